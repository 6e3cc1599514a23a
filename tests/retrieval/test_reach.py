"""What the entities of a question reach, against plain Python, whatever the documents."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bridgerag
from bridgerag._native import EntityIndex, Forest, Reach, ReachSegment, known
from retrieval import reach_twin as twin

ENTITIES = range(5)
KEYS = np.array([1000 + e for e in ENTITIES], np.uint64)
NO_PARENT = 0xFFFFFFFF
DIM = 4


@st.composite
def documents(draw, first_abstract, first_chunk):
    """A document of windows of random width, each abstract with some entities."""
    level, chunk = [], first_chunk
    for count in draw(st.lists(st.integers(1, 3), min_size=1, max_size=6)):
        level.append(twin.Abstract(0, range(chunk, chunk + count)))
        chunk += count
    every = list(level)
    width = draw(st.integers(2, 3))
    while len(level) > 1:
        groups = [level[i : i + width] for i in range(0, len(level), width)]
        level = []
        for group in groups:
            above = twin.Abstract(0, range(group[0].chunks.start, group[-1].chunks.stop), group)
            for child in group:
                child.parent = above
            level.append(above)
        every += level
    for number, abstract in enumerate(every, first_abstract):
        abstract.number = number
        # Seeds of an entity own chunks of their own, as those that an index holds do.
        inside = {e for child in abstract.children for e in carried(child)}
        abstract.entities = draw(st.sets(st.sampled_from(ENTITIES), max_size=2)) - inside
    return twin.Document(draw(st.integers(0, 4)) > 0, every)


def carried(abstract):
    return abstract.entities.union(*(carried(child) for child in abstract.children))


@st.composite
def corpora(draw):
    segments = []
    for _ in range(draw(st.integers(1, 3))):
        segment, abstracts, chunks = [], 0, 0
        for _ in range(draw(st.integers(1, 5))):
            segment.append(draw(documents(abstracts, chunks)))
            abstracts += len(segment[-1].abstracts)
            chunks = segment[-1].abstracts[-1].chunks.stop
        segments.append(segment)
    return segments


def native(segment, masked=True):
    """Return a segment as the native core takes it; vectors of whole numbers, so ties are real."""
    abstracts = [a for document in segment for a in document.abstracts]
    columns = zip(
        *(
            (
                a.parent.number if a.parent else NO_PARENT,
                a.children[0].number if a.children else 0,
                len(a.children), height(a), a.chunks.start, len(a.chunks),
            )
            for a in abstracts
        ),
        strict=True,
    )  # fmt: skip
    kinds = (np.uint32, np.uint32, np.uint32, np.uint8, np.uint32, np.uint32)
    forest = Forest(*(np.array(c, kind) for c, kind in zip(columns, kinds, strict=True)))
    assert forest.check() == ""
    pairs = [(1000 + e, a.number) for a in abstracts for e in a.entities]
    keys, ids = zip(*pairs, strict=True) if pairs else ((), ())
    index = EntityIndex.build(np.array(keys, np.uint64), np.array(ids, np.uint32))
    sizes = [(len(d.abstracts), d.abstracts[-1].chunks) for d in segment]
    first_abstract = np.cumsum([0, *(size for size, _ in sizes)], dtype=np.uint32)
    first_chunk = np.array([0, *(chunks.stop for _, chunks in sizes)], np.uint32)
    alive = np.array([d.alive for d in segment], np.uint8)
    chunks = int(first_chunk[-1])
    vectors = np.random.default_rng(chunks).integers(-2, 3, (chunks, DIM)).astype(np.float16)
    checked = np.zeros(chunks, np.uint8)  # a block a row
    whole = alive.all() and not masked
    return ReachSegment(
        index, forest, first_abstract, first_chunk, None if whole else alive, vectors, checked,
        2 * DIM,
    ), vectors  # fmt: skip


def height(abstract):
    return 1 + height(abstract.children[0]) if abstract.children else 0


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    corpora(), st.integers(0, 3), st.integers(0, 4), st.integers(0, 30), st.integers(1, 9),
    st.booleans(), st.sampled_from([1, 1000]),
)  # fmt: skip
def test_reach_pool_ranking_and_ways_agree_with_plain_python(
    segments, depth, few, most, k, masked, others
):
    made = [native(segment, masked) for segment in segments]
    everything = [d for segment in segments for d in segment]
    reach = Reach(
        [one for one, _ in made], KEYS, others * sum(d.alive for d in everything), depth,
        few_documents=few, most_chunks=most,
    )  # fmt: skip
    depth, expected = twin.verdicts(segments, ENTITIES, depth, few, 0.05 * others, most)
    assert reach.depth == depth
    assert reach.verdicts() == expected
    followed = [e for e in ENTITIES if expected[e][0] == "followed"]
    query = np.array([0.5, -0.5, 0.5, 0.5], np.float32)
    scored = []
    for i, segment in enumerate(segments):
        for e in ENTITIES:
            seeds = [a.number for d in segment for a in twin.seeds_of(d, e) if e in followed]
            assert reach.seeds(i, e).tolist() == seeds
        found = [a.number for d in segment for a in twin.expanded(d, followed, depth)]
        assert reach.expanded(i).tolist() == found
        chunks = [c for d in segment for c in twin.pool(d, followed, depth)]
        assert reach.pool(i).tolist() == chunks
        vectors = made[i][1].astype(np.float32)
        scored += [(i, c, float(vectors[c] @ query)) for c in chunks]
        for document in segment:
            for chunk in twin.pool(document, followed, depth):
                way = twin.ways(document, followed, depth, chunk)
                assert reach.trace([(i, chunk)]) == [way]
    assert reach.chunks == len(scored)
    scored.sort(key=lambda one: (-one[2], one[0], one[1]))
    best = reach.best(query, k)
    assert best[:k] == scored[:k]
    assert all(one[2] == scored[k - 1][2] for one in best[k:])
    assert reach.unchecked() == [
        (i, pool) for i in range(len(segments)) if (pool := reach.pool(i).tolist())
    ]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(corpora())
def test_an_entity_is_known_where_a_live_document_has_it(segments):
    found = known([native(segment)[0] for segment in segments], KEYS)
    for e in ENTITIES:
        assert found[e] == any(twin.seeds_of(d, e) for segment in segments for d in segment)


def test_a_followed_entity_is_heated_in_every_index_that_holds_it():
    leaf = twin.Abstract(0, range(2), entities={0})
    segment, _ = native([twin.Document(True, [leaf])])
    reach = Reach([segment, segment], KEYS, 1, 2)
    reach.touch(KEYS)
    with pytest.raises(ValueError, match="the keys that the reach was made of"):
        reach.touch(KEYS[:2])


def test_an_entity_that_would_open_too_many_chunks_is_left_out_and_says_so(tmp_path, hashed):
    def letter(number):
        text = " ".join(f"Zorvex Quillan wrote letter {i}." for i in range(120))
        text = "Mirthe Okonda waits. Mirthe Okonda reads. " * 9 * (number < 3) + text
        return bridgerag.Document(f"d{number:02}", "", "", text, metadata={"even": number % 2 == 0})

    how = bridgerag.Settings(embedding="none", chunk_tokens=8, window=4, branching=4)
    asked = "What did Zorvex Quillan write to Mirthe Okonda?"
    pages = [bridgerag.Document(f"p{i:03}", "", "", f"Page {i} is blank.") for i in range(600)]
    contexts = []
    for cut in (26, 9):  # one segment of letters, or two
        with bridgerag.open(tmp_path / f"store{cut}", settings=how, embedder=hashed) as bridge:
            bridge.add(documents=[letter(i) for i in range(26)][:cut])
            bridge.add(documents=[letter(i) for i in range(26)][cut:] + pages)
            contexts.append(bridge.search(asked, method="bridge", k=5))
            few = bridge.search(asked, method="bridge", k=5, where="even = true")
    first, second = contexts
    ignored = {entity.text: entity.ignored for entity in first.entities}
    assert ignored == {
        "Zorvex Quillan": "with it there would be more than 2,048 chunks to choose from; "
        "a smaller depth or a filter narrows it",
        "Mirthe Okonda": None,
    }
    assert [e.ignored for e in second.entities] == [e.ignored for e in first.entities]
    assert [(h.document.id, h.chunk, h.score) for h in second.hits] == [
        (h.document.id, h.chunk, h.score) for h in first.hits
    ]
    assert [entity.ignored for entity in few.entities] == [None, None]


@pytest.mark.parametrize("depth", [2, "auto"])
def test_a_name_is_followed_at_a_smaller_depth_where_the_one_asked_for_opens_too_much(
    tmp_path, hashed, depth
):
    how = bridgerag.Settings(embedding="none", chunk_tokens=8, window=4, branching=8)

    def book(number):
        lines = [f"On page {i} it rains in town {i % 7}." for i in range(256)]
        lines[100] = "Zorvex Quillan signs here."
        return bridgerag.Document(f"d{number:02}", "", "", " ".join(lines))

    notes = [bridgerag.Document(f"n{i:03}", "", "", f"Note {i} is short.") for i in range(480)]
    with bridgerag.open(tmp_path / "store", settings=how, embedder=hashed) as bridge:
        bridge.add(documents=[book(i) for i in range(22)] + notes)
        asked = "Where does Zorvex Quillan sign?"
        found = bridge.search(asked, method="bridge", k=300, depth=depth)
        fixed = bridge.search(asked, method="bridge", k=300, depth=1)
    assert (found.depth, found.hits) == (1, fixed.hits)
    assert [(e.ignored, len(e.abstracts)) for e in found.entities] == [(None, 22)]
    assert found.depth_why
    assert (fixed.depth_why, found.fallback) == ("", False)


def test_many_names_too_many_to_follow_are_followed_from_the_rarest_on():
    def document(number):
        leaves = [twin.Abstract(c, range(c, c + 1), entities={c}) for c in range(number + 1)]
        root = twin.Abstract(number + 1, range(number + 1), leaves)
        for leaf in leaves:
            leaf.parent = root
        return twin.Document(True, [*leaves, root])

    # Entity e is in the documents from e on: the last is the rarest.
    made = [native([document(number)])[0] for number in range(60)]
    keys = np.array([1000 + e for e in range(60)], np.uint64)
    reach = Reach(made, keys, 10_000, 0, few_documents=0, most_chunks=56)
    followed = [e for e, (verdict, _) in enumerate(reach.verdicts()) if verdict == "followed"]
    assert (followed, reach.chunks) == (list(range(50, 60)), 55)


def toy():
    return native([twin.Document(True, [twin.Abstract(0, range(3), entities={0})])])[0]


def test_what_does_not_fit_is_refused():
    segment = toy()
    with pytest.raises(ValueError, match="depth is -1"):
        Reach([segment], KEYS, 1, -1)
    reach = Reach([segment], KEYS, 1, 0)
    with pytest.raises(ValueError, match="query has 3 numbers, a row 4"):
        reach.best(np.ones(3, np.float32), 1)
    with pytest.raises(ValueError, match="k is -1"):
        reach.best(np.ones(DIM, np.float32), -1)
    with pytest.raises(IndexError):
        reach.trace([(0, 3)])
    with pytest.raises(IndexError):
        reach.trace([(1, 0)])
    with pytest.raises(IndexError):
        reach.seeds(0, len(KEYS))


@pytest.mark.parametrize("wrong", ["first_abstract", "first_chunk", "alive", "vectors", "checked"])
def test_a_segment_whose_parts_do_not_belong_together_is_refused(wrong):
    leaf = [np.array(column) for column in ([NO_PARENT], [0], [0], [0], [0], [3])]
    kinds = (np.uint32, np.uint32, np.uint32, np.uint8, np.uint32, np.uint32)
    parts = {
        "entities": EntityIndex.build(KEYS[:1], np.zeros(1, np.uint32)),
        "forest": Forest(*(c.astype(k) for c, k in zip(leaf, kinds, strict=True))),
        "first_abstract": np.array([0, 1], np.uint32),
        "first_chunk": np.array([0, 3], np.uint32),
        "alive": np.ones(1, np.uint8),
        "vectors": np.zeros((3, DIM), np.float16),
        "checked": np.zeros(3, np.uint8),
        "block_bytes": 2 * DIM,
    }
    ReachSegment(**parts)
    parts[wrong] = np.concatenate([parts[wrong], parts[wrong]])[: len(parts[wrong]) - 1]
    with pytest.raises(ValueError, match=r"must|differ"):
        ReachSegment(**parts)


def test_segments_stay_as_long_as_a_reach_needs_them():
    reach = Reach([toy()], KEYS, 1, 1)
    assert reach.best(np.ones(DIM, np.float32), 3)
    ranks = [score for _, _, score in reach.best(np.ones(DIM, np.float32), 3)]
    assert all(a >= b for a, b in pairwise(ranks))
