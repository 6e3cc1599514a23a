import sys

import numpy as np
import pytest

import bridgerag
from bridgerag.entities.relations import Relation
from bridgerag.errors import InputError, MissingExtra
from bridgerag.retrieval.corpus import Corpus
from bridgerag.retrieval.entity_graph import EntityGraph
from bridgerag.retrieval.entity_walk import walk
from bridgerag.retrieval.graph import Graph
from bridgerag.retrieval.hnsw import Hnsw
from bridgerag.types import Document
from retrieval.tree_toy import ask, snapshot_of

pytest.importorskip("faiss", reason="faiss-cpu is not installed")

# Arvo Kell - Bruna Lott - Casimir Dorn - Delia Munk: each text names two of them, or one.
CHAIN = {
    "tea": "Arvo Kell drinks tea.",
    "arvo-bruna": "Arvo Kell once met Bruna Lott.",
    "bruna-casimir": "Bruna Lott once met Casimir Dorn.",
    "pears": "Casimir Dorn grows pears.",
    "casimir-delia": "Casimir Dorn sang with Delia Munk.",
    "paint": "Delia Munk paints.",
    "rain": "Rain falls on the roofs.",
}
QUESTION = "What does Arvo Kell do?"


def documents(texts=CHAIN):
    return [Document(name, "", "", text) for name, text in texts.items()]


def reached(found_and_reasons):
    """Return the documents that came by way of the graph, not to fill up."""
    return {name for name, why in found_and_reasons[1].items() if "score" in why}


@pytest.fixture
def snapshot(tmp_path, hashed):
    with snapshot_of(tmp_path, hashed, documents()) as snapshot:
        yield snapshot


@pytest.mark.parametrize(
    ("depth", "expected"),
    [
        (0, {"tea", "arvo-bruna"}),
        (1, {"tea", "arvo-bruna", "bruna-casimir"}),
        (2, {"tea", "arvo-bruna", "bruna-casimir", "pears", "casimir-delia"}),
        (3, {"tea", "arvo-bruna", "bruna-casimir", "pears", "casimir-delia", "paint"}),
    ],
)
def test_each_hop_reaches_one_link_of_a_chain_farther(snapshot, hashed, depth, expected):
    found = ask(Graph(entries=0), snapshot, hashed, QUESTION, k=20, depth=depth)
    assert reached(found) == expected
    assert set(found[1]) == set(CHAIN)  # the others fill up
    assert not found[0].fallback
    assert [seeds.text for seeds in found[0].seeds] == ["Arvo Kell"]


def test_the_way_is_told_in_words(snapshot, hashed):
    _, reasons = ask(Graph(entries=0), snapshot, hashed, QUESTION, k=20, depth=2)
    assert reasons["pears"].startswith(
        "'Arvo Kell' is in the question; 'Arvo Kell' is mentioned with 'Bruna Lott'; "
        "'Bruna Lott' is mentioned with 'Casimir Dorn'; 'Casimir Dorn' is in this; score 0."
    )


def test_nearer_entities_rank_higher(snapshot, hashed):
    method = Graph(entries=0)
    found, _ = ask(method, snapshot, hashed, "Arvo Kell?", k=20, depth=3)
    scores = [chosen.score for chosen in found.selected if chosen.origins[0].kind == "graph"]
    assert scores == sorted(scores, reverse=True)
    _, few = ask(method, snapshot, hashed, "Arvo Kell?", k=2, depth=3)
    assert set(few) == {"tea", "arvo-bruna"}


def test_a_question_that_names_nothing_enters_by_its_vector(snapshot, hashed):
    nothing_named = "munk delia paints."  # the vector of CHAIN["paint"], but no name
    found = ask(Graph(entries=1), snapshot, hashed, nothing_named, k=20, depth=0)
    assert reached(found) == {"paint", "casimir-delia"}
    assert "'Delia Munk' is near to the question" in found[1]["paint"]
    assert found[0].seeds == []
    neither = ask(Graph(entries=0), snapshot, hashed, nothing_named, k=20)
    assert neither[0].fallback
    assert next(iter(neither[1])) == "paint"


TITLED = {
    "Oslo": "Ships call here in summer. It is older than Norway.",
    "Norway": "Fish is sold from here.",
    "Bergen": "Bergen is the rainiest city of Norway. Oslo is far.",
}


def test_what_titles_a_document_goes_with_all_that_it_names(tmp_path, hashed):
    titled = [Document(name.lower(), name, "", text) for name, text in TITLED.items()]
    with snapshot_of(tmp_path, hashed, titled) as snapshot:
        _, reasons = ask(Graph(entries=0), snapshot, hashed, "When do ships call at Oslo?")
        assert "'Oslo' titles this" in reasons["oslo"]
        assert "'Oslo' is mentioned with 'Norway'; 'Norway' titles this" in reasons["norway"]
        assert "'Oslo' is in this" in reasons["bergen"]
        assert list(reasons)[:1] == ["oslo"]


RELATED = {
    "oslo": "Oslo is the capital of Norway.",
    "bergen": "Bergen belongs to Norway.",
    "paris": "Paris is the capital of France.",
    "fish": "Fish is caught near Bergen.",
}


def test_relations_around_the_question_are_notes(tmp_path, hashed):
    with snapshot_of(tmp_path, hashed, documents(RELATED)) as snapshot:
        near, _ = ask(Graph(entries=0), snapshot, hashed, "Where is Oslo?", depth=1)
        far, _ = ask(Graph(entries=0), snapshot, hashed, "Where is Oslo?", depth=2)
    assert near.notes == ("Oslo is the capital of Norway.",)
    assert set(far.notes) == {"Oslo is the capital of Norway.", "Bergen belongs to Norway."}
    assert far.notes[0] == near.notes[0]


def test_relations_may_come_from_elsewhere(tmp_path, hashed):
    def two(texts):
        texts = list(texts)
        yield Relation("Arvo Kell", "taught", "Delia Munk", texts.index(CHAIN["tea"]), 0)
        yield Relation("nobody", "taught", "", 0, 0)  # an empty name names nothing

    with snapshot_of(tmp_path, hashed, documents()) as snapshot:
        method = Graph(two, entries=0)
        found = ask(method, snapshot, hashed, QUESTION, k=20, depth=1)
        assert {"paint", "casimir-delia"} <= reached(found)
        assert found[0].notes == ("Arvo Kell taught Delia Munk.",)
        assert "patterns" not in method.prepare(snapshot).stand_in
        assert "patterns" in Graph().prepare(snapshot).stand_in


def test_segments_and_removed_documents_make_no_difference(tmp_path, hashed):
    removed = [Document("gone", "Casimir Dorn", "", "Arvo Kell taught Casimir Dorn to swim.")]
    settings = bridgerag.Settings(embedding="none")
    answers = []
    for name, batches in (("one", [documents()]), ("many", [[d] for d in documents()[::-1]])):
        with bridgerag.open(tmp_path / name, settings=settings, embedder=hashed) as bridge:
            for batch in batches:
                bridge.add(documents=batch + removed if name == "many" else batch)
            if name == "many":
                bridge.remove("gone")
            context = bridge.search(QUESTION, method="graph", depth=2, k=20)
            answers.append(
                ([(hit.document.id, hit.score, hit.why) for hit in context.hits],
                 context.background, context.entities)
            )  # fmt: skip
    assert answers[0] == answers[1]


def test_a_filter_hides_what_it_leaves_out_from_the_walk_too(tmp_path, hashed):
    settings = bridgerag.Settings(embedding="none")
    with bridgerag.open(tmp_path, settings=settings, embedder=hashed) as bridge:
        bridge.add(documents=documents())
        bridge.use("graph", Graph(entries=0))
        context = bridge.search(QUESTION, method="graph", where='id != "bruna-casimir"', k=20)
    by_graph = {hit.document.id for hit in context.hits if hit.why[0].kind == "graph"}
    assert by_graph == {"tea", "arvo-bruna"}  # the chain is cut
    assert len(context.hits) == len(CHAIN) - 1


def test_two_builds_answer_alike(snapshot, hashed):
    questions = [QUESTION, "Who paints?", *CHAIN.values()]
    first, second = (
        [ask(method, snapshot, hashed, text) for text in questions] for method in (Graph(), Graph())
    )
    assert [reasons for _, reasons in first] == [reasons for _, reasons in second]
    assert [found.notes for found, _ in first] == [found.notes for found, _ in second]


def test_a_store_that_names_nothing_falls_back_to_the_nearest(tmp_path, hashed):
    plain = {"a": "rain falls on roofs.", "b": "snow lies on hills."}
    with snapshot_of(tmp_path, hashed, documents(plain)) as snapshot:
        found, reasons = ask(Graph(), snapshot, hashed, "snow on hills", k=2)
    assert found.fallback
    assert list(reasons) == ["b", "a"]


def test_a_store_without_embeddings_is_refused_with_the_remedy(tmp_path):
    with snapshot_of(tmp_path, None, documents()) as snapshot:
        for work in (
            lambda: ask(Graph(), snapshot, None, QUESTION),
            lambda: Graph().prepare(snapshot),
        ):
            with pytest.raises(InputError, match="bridgerag reembed"):
                work()


def test_given_no_faiss_then_the_extra_is_named(snapshot, hashed, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(MissingExtra, match=r"bridgerag\[eval\]"):
        ask(Graph(), snapshot, hashed, QUESTION)


# ---- the parts ----------------------------------------------------------------------------------


def test_the_graph_holds_each_edge_once_at_either_end(tmp_path, hashed):
    twice = RELATED | {"again": "Oslo is the capital of Norway. Oslo is the capital of Norway."}
    with snapshot_of(tmp_path, hashed, documents(twice)) as snapshot:
        graph = EntityGraph.of(Corpus(snapshot), lambda texts: [])
        assert graph.names == [graph.names[i] for i in graph.find(graph.keys).tolist()]
        assert set(graph.names) == {"Oslo", "Norway", "Bergen"}  # in two chunks each
        ends = [tuple(graph.names[end] for end in graph.ends(e)) for e in range(len(graph.target))]
    assert sorted(ends) == sorted(
        2 * [("Norway", "Oslo"), ("Oslo", "Norway")]  # in two chunks
        + [("Norway", "Bergen"), ("Bergen", "Norway")]
    )


def test_a_walk_takes_the_edges_whose_chunks_are_near_to_the_question(snapshot):
    graph = EntityGraph.of(Corpus(snapshot), lambda texts: [])
    number = {name: i for i, name in enumerate(graph.names)}
    start = np.zeros(len(graph.keys), np.float32)
    start[number["Bruna Lott"]] = 1.0
    order = sorted(CHAIN)

    def near(chunk):
        return lambda chunks: np.where(chunks == order.index(chunk), 0.8, 0.1).astype(np.float32)

    for chunk, near_name, far_name in (
        ("arvo-bruna", "Arvo Kell", "Casimir Dorn"),
        ("bruna-casimir", "Casimir Dorn", "Arvo Kell"),
    ):
        closeness = walk(graph, start, near(chunk), 1).closeness
        assert closeness[number[near_name]] > closeness[number[far_name]] > 0
        assert closeness[number["Bruna Lott"]] == 1
        assert closeness[number["Delia Munk"]] == 0
    assert walk(graph, start, near("tea"), 0).closeness.tolist() == start.tolist()


def test_hnsw_finds_the_nearest_rows():
    chance = np.random.default_rng(0)
    rows = chance.normal(size=(500, 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index = Hnsw(rows, "this test")
    found, cosines = index.search(rows[7], 5)
    assert found == np.argsort(-(rows @ rows[7]), kind="stable")[:5].tolist()
    np.testing.assert_allclose(cosines, np.sort(rows @ rows[7])[::-1][:5], atol=1e-5)
    assert Hnsw(rows[:0], "this test").search(rows[7], 5) == ([], [])
    assert index.search(rows[7], 0) == ([], [])
    assert len(Hnsw(rows[:3], "this test").search(rows[7], 5)[0]) == 3
