"""A corpus shows every live chunk once, in the order of ties, and an index follows the store."""

import numpy as np

import bridgerag
from bridgerag import Document
from bridgerag.retrieval import Found, Timings
from bridgerag.retrieval.corpus import Corpus
from bridgerag.retrieval.derived import Derived
from bridgerag.types import Footprint


def text(topic):
    return " ".join(f"The {topic} number {n} is described here in a sentence." for n in range(60))


def filled(tmp_path, hashed):
    bridge = bridgerag.open(tmp_path / "store", embedder=hashed)
    for name in ("b", "d", "a"):
        bridge.add(documents=[Document(name, name.upper(), "", text(f"thing of {name}"))])
    bridge.add(documents=[Document("c", "C", "", text("thing of c"))])
    bridge.remove("d")
    return bridge


def test_chunks_come_by_document_then_position(tmp_path, hashed):
    with filled(tmp_path, hashed) as bridge, bridge._stores.reading() as snapshot:
        corpus = Corpus(snapshot)
        assert [ref.id for ref in corpus.documents] == ["a", "b", "c"]
        assert len(corpus) == snapshot.chunks == len(corpus.texts)
        assert np.all(np.diff(corpus.document) >= 0)
        whole = " ".join(corpus.texts[i] for i in np.flatnonzero(corpus.document == 1))
        assert whole == text("thing of b")
        assert corpus.vectors.shape == (len(corpus), hashed.dim)
        np.testing.assert_allclose(np.linalg.norm(corpus.vectors, axis=1), 1, atol=1e-3)


def test_places_lead_back_to_segments(tmp_path, hashed):
    with filled(tmp_path, hashed) as bridge, bridge._stores.reading() as snapshot:
        corpus = Corpus(snapshot)
        picked = corpus.places.select(snapshot, [3, 0], [0.5, 0.1], [(), ()])
        refs = [
            chosen.live.document(chosen.live.document_of_chunk(chosen.chunk)) for chosen in picked
        ]
        assert [ref.id for _, ref in refs] == [
            corpus.documents[corpus.document[n]].id for n in (3, 0)
        ]
        pools = corpus.places.pools(snapshot, np.arange(len(corpus), dtype=np.uint32))
        assert sum(map(len, pools)) == len(corpus)
        given = [np.arange(live.segment.chunks) for live in snapshot.segments]
        np.testing.assert_array_equal(corpus.places.row(given), corpus.places.chunk)


def test_an_index_is_kept_until_the_store_shows_something_else(tmp_path, hashed):
    built = []
    index = Derived(lambda corpus: built.append(len(corpus)) or len(corpus))
    with filled(tmp_path, hashed) as bridge:
        for _ in range(2):
            with bridge._stores.reading() as snapshot:
                assert index.of(snapshot) == snapshot.chunks
        assert len(built) == 1
        bridge.remove("a")
        with bridge._stores.reading() as snapshot:
            assert index.of(snapshot) == snapshot.chunks < built[0]
        assert len(built) == 2


class First:
    """A method of a user's own: the first chunk, always."""

    def __init__(self):
        self.index = Derived(lambda corpus: corpus.places)

    def prepare(self, snapshot):
        return Footprint(size_bytes=len(self.index.of(snapshot)), stand_in="nothing")

    def __call__(self, snapshot, question, k, depth, timings: Timings):
        chosen = self.index.of(snapshot).select(snapshot, [0], [1.0], [()])
        return Found(chosen, [], fallback=False, notes=("A is part of B.",))


def test_a_method_of_ones_own_is_prepared_and_searched(tmp_path, hashed):
    with filled(tmp_path, hashed) as bridge:
        bridge.use("first", First())
        assert bridge.prepare("first").stand_in == "nothing"
        assert bridge.prepare("bridge") == Footprint()
        context = bridge.search("anything?", method="first")
        assert [hit.document.id for hit in context.hits] == ["a"]
        assert context.background == ("A is part of B.",)
        only_b = bridge.search("anything?", method="first", where='id in ("b")')
        assert [hit.document.id for hit in only_b.hits] == ["b"]
