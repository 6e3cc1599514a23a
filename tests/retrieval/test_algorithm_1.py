"""The engine against a plain Algorithm 1: same seeds, same expansion, same pool, same chunks."""

import tempfile
from bisect import bisect_right
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import bridgerag
from bridgerag.entities import question_words
from bridgerag.retrieval import Question, Timings
from bridgerag.retrieval.bridge import reach
from bridgerag.retrieval.seeds import seeds_of
from bridgerag.types import Document, Section
from retrieval.algorithm_1 import algorithm_1

NAMES = ["Zorvex Quillan", "Brandor Pellix", "Mirthe Okonda", "Tavish Ureno", "Ilse Varrow"]
DIM = 8


class QuarterVectors:
    """Vectors of four halves: unit length, exact in float16, and full of ties."""

    name, fingerprint, dim = "quarters", "quarters-1", DIM

    def embed(self, texts, on_done=None):
        rows = np.zeros((len(texts), DIM), np.float32)
        for row, text in zip(rows, texts, strict=True):
            pick = np.random.default_rng(sum(map(ord, text)) % 13).permutation(DIM)[:4]
            row[pick] = 0.5
        return rows

    def count_tokens(self, text):
        return len(text.split())


chunk_entities = st.sets(st.sampled_from(NAMES), max_size=2)
documents = st.lists(chunk_entities, min_size=1, max_size=30)
corpora = st.lists(documents, min_size=1, max_size=5)


def text_of(entities, number):
    return f"{', '.join(sorted(entities)) or 'nobody'} is here for {number % 4}."


def make_document(name, chunks):
    """One chunk a table row, so that the test decides where chunks begin."""
    text, sections = "", []
    for number, entities in enumerate(chunks):
        start = len(text)
        text += text_of(entities, number) + "\n"
        sections.append(Section(start, len(text), row=number + 1))
    return Document(name, "", "", text, tuple(sections))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    corpora,
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True),
    st.integers(1, 6),
    st.integers(2, 5),
    st.integers(0, 4),
    st.integers(1, 12),
    st.sampled_from([0.3, 0.5, 0.8, 1.0]),
    st.integers(0, 5),
)
def test_the_engine_finds_what_a_plain_algorithm_1_finds(
    corpus_entities, asked, n, b, d, k, share, split
):
    embedder = QuarterVectors()
    corpus = {f"doc{i}": chunks for i, chunks in enumerate(corpus_entities)}
    known = [name for name in asked if any(name in c for chunks in corpus.values() for c in chunks)]
    assume(known)
    question = f"Where is {', '.join(asked)}?"
    vectors = {
        name: [(c, embedder.embed([text_of(c, i)])[0].tolist()) for i, c in enumerate(chunks)]
        for name, chunks in corpus.items()
    }
    seeds, expansion, pool, ranked = algorithm_1(
        vectors, known, embedder.embed([question])[0].tolist(), n, b, d, k, share
    )

    with tempfile.TemporaryDirectory() as folder:
        how = bridgerag.Settings(embedding="none", window=n, branching=b, lift=share)
        bridge = bridgerag.open(Path(folder) / "store", settings=how, embedder=embedder)
        made = [make_document(name, chunks) for name, chunks in corpus.items()]
        bridge.add(documents=made[:split])  # perhaps two segments, perhaps one
        bridge.add(documents=made[split:])
        found_seeds, found_expansion, found_pool = look_inside(bridge, question, d)
        context = bridge.search(question, k=k, depth=d, method="bridge")
        found_seeds = {name: found_seeds.get(name) for name in known}  # not the parts of names
        ways_hold(bridge, context, d)
        bridge.close()

    assert found_seeds == seeds
    assert found_expansion == expansion
    assert found_pool == pool
    assert [((h.document.id, h.chunk), h.score) for h in context.hits] == ranked
    assert not context.fallback


def ways_hold(bridge, context, d):
    """Every reason leads from a seed of its entity to an abstract that owns the chunk."""
    with bridge._stores.open().reading() as snapshot:
        place = {
            live.first_abstract_id + a: (live.segment.forest, a)
            for live in snapshot.segments
            for a in range(len(live.segment.forest))
        }
    seeds = {entity.text: set(entity.abstracts) for entity in context.entities}
    for hit in context.hits:
        assert hit.why
        for reason in hit.why:
            assert reason.seed in seeds[reason.entity]
            assert reason.abstract in hit.abstracts
            assert abs(reason.steps) <= d
            (forest, seed), (_, abstract) = place[reason.seed], place[reason.abstract]
            low, high = (seed, abstract) if reason.steps > 0 else (abstract, seed)
            assert [low, *forest.ancestors(low, abs(reason.steps))][-1] == high
            assert int(forest.level[high]) - int(forest.level[low]) == abs(reason.steps)


def look_inside(bridge, question, d):
    """Return seeds by entity, expansion and pool of the engine, by the oracle's names."""
    words = question_words(question)
    store = bridge._stores.open()
    with store.reading() as snapshot:
        mentions, reached = reach(snapshot, Question(question, words, None), d, Timings())
        seeds = seeds_of(snapshot, mentions, reached)
        ids = [document.id for document in snapshot.all_documents()]
        assert ids == sorted(ids)

        def document(live, number):
            return live.document(number)[1].id

        def abstract(live, a):
            forest, owner = (
                live.segment.forest,
                bisect_right(live.segment.first_abstract.tolist(), a) - 1,
            )
            first = int(forest.first_chunk[a]) - int(live.segment.first_chunk[owner])
            return document(live, owner), int(forest.level[a]), first, int(forest.chunk_count[a])

        def chunk(live, c):
            owner = live.document_of_chunk(c)
            return document(live, owner), int(c) - int(live.segment.first_chunk[owner])

        lives = snapshot.segments
        expanded = [reached.expanded(i) for i in range(len(lives))]
        pools = [reached.pool(i) for i in range(len(lives))]
        return (
            {
                s.text: {
                    abstract(live, a)
                    for live, ids in zip(lives, s.abstracts, strict=True)
                    for a in ids
                }
                for s in seeds
            },
            {abstract(live, a) for live, ids in zip(lives, expanded, strict=True) for a in ids},
            {chunk(live, c) for live, ids in zip(lives, pools, strict=True) for c in ids},
        )
