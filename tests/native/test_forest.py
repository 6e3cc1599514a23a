import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bridgerag._native import Forest


def ids_of(values):
    return np.array(values, np.uint32)


@st.composite
def forests(draw, twins):
    """Nodes of one to four documents, each a tree of windows of random width."""
    chunk, roots = 0, []
    for _ in range(draw(st.integers(1, 4))):
        level = []
        for count in draw(st.lists(st.integers(1, 4), min_size=1, max_size=12)):
            level.append(twins.Node(chunks=range(chunk, chunk + count)))
            chunk += count
        while len(level) > 1:
            width = draw(st.integers(2, 5))
            level = [twins.Node(children=level[i : i + width]) for i in range(0, len(level), width)]
        roots += level
    return twins.number_forest(roots)


@given(data=st.data())
def test_expansion_and_pool_agree_with_walking_objects(twins, data):
    nodes = data.draw(forests(twins))
    seeds = data.draw(st.lists(st.sampled_from(nodes)))
    depth = data.draw(st.integers(0, 6))
    forest = Forest(*twins.forest_arrays(nodes))
    assert forest.check() == ""
    found = forest.expand(ids_of([node.number for node in seeds]), depth)
    assert found.tolist() == twins.expand(seeds, depth)
    chunks = {chunk for number in found for chunk in nodes[number].chunks}
    assert forest.pool(found).tolist() == sorted(chunks)
    for seed in seeds:
        up = [node.number for node in twins.ancestors(seed, depth)]
        down = sorted(node.number for node in twins.descendants(seed, depth))
        assert forest.ancestors(seed.number, depth).tolist() == up
        assert forest.descendants(seed.number, depth).tolist() == down


@given(data=st.data())
def test_a_forest_comes_back_from_its_bytes(twins, data):
    arrays = twins.forest_arrays(data.draw(forests(twins)))
    forest = Forest(*arrays)
    opened = Forest.from_buffer(forest.to_bytes())
    names = ("parent", "first_child", "child_count", "level", "first_chunk", "chunk_count")
    for name, array in zip(names, arrays, strict=True):
        view = getattr(opened, name)
        assert view.tolist() == array.tolist()
        assert not view.flags.writeable
    assert len(opened) == len(arrays[0])
    assert opened.chunks == arrays[4][-1] + arrays[5][-1]
    assert opened.to_bytes() == forest.to_bytes()


@given(data=st.data())
def test_check_names_an_abstract_whose_numbers_do_not_fit(twins, data):
    arrays = [array.copy() for array in twins.forest_arrays(data.draw(forests(twins)))]
    which = data.draw(st.sampled_from([0, 2, 3, 4, 5]))
    row = data.draw(st.integers(0, len(arrays[0]) - 1))
    last_alone = row == len(arrays[0]) - 1 and arrays[3][row] == 0
    assume(not (which == 5 and last_alone))  # nothing says where the last leaf ends
    arrays[which][row : row + 1] += data.draw(st.integers(1, 3))  # NO_PARENT may wrap to 0
    assert Forest(*arrays).check() != ""


@settings(max_examples=300)
@given(data=st.data())
def test_an_altered_payload_is_refused_or_answers_inside_the_forest(twins, data):
    nodes = data.draw(forests(twins))
    payload = bytearray(Forest(*twins.forest_arrays(nodes)).to_bytes())
    if data.draw(st.booleans(), label="cut"):
        del payload[data.draw(st.integers(0, len(payload) - 1)) :]
    for _ in range(data.draw(st.integers(0, 6), label="flips") if len(payload) > 32 else 0):
        at = data.draw(st.integers(32, len(payload) - 1))
        payload[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        forest = Forest.from_buffer(payload)
        forest.check()
        everything = np.arange(len(forest), dtype=np.uint32)
        assert forest.expand(everything, 255).tolist() == everything.tolist()
        assert all(forest.pool(everything) < forest.chunks)
    except ValueError as error:
        assert str(error).startswith(("forest payload", "these bytes", "abstract"))


def test_the_arrays_outlive_the_forest_they_come_from():
    parent = Forest(
        ids_of([1, 0xFFFFFFFF]), ids_of([0, 0]), ids_of([0, 1]),
        np.array([0, 1], np.uint8), ids_of([0, 0]), ids_of([5, 5]),
    ).parent  # fmt: skip
    assert parent.tolist() == [1, 0xFFFFFFFF]


def test_what_cannot_be_is_refused_with_what_was_found():
    one, level = ids_of([0]), np.array([0], np.uint8)
    with pytest.raises(ValueError, match="level has 2 entries, parent 1"):
        Forest(one, one, one, np.zeros(2, np.uint8), one, one)
    forest = Forest(ids_of([0xFFFFFFFF]), one, one * 0, level, one, one + 1)
    with pytest.raises(IndexError, match="abstract is 1; the forest has 1"):
        forest.expand(ids_of([0, 1]), 2)
    with pytest.raises(ValueError, match="depth is -1; it must be 0 or more"):
        forest.expand(ids_of([0]), -1)
    assert forest.expand(ids_of([0, 0]), 10**15).tolist() == [0]


def perfect_binary_tree(height):
    """One document: 2**height leaves of one chunk each, then every level above."""
    sizes = [2 ** (height - level) for level in range(height + 1)]
    starts = np.cumsum([0, *sizes])
    nodes = [
        (level, i, starts[level + 1] + i // 2, starts[level - 1] + 2 * i)
        for level, size in enumerate(sizes)
        for i in range(size)
    ]
    level, i, parent, first_child = np.array(nodes).T
    parent[-1] = 0xFFFFFFFF
    inner = level > 0
    columns = (parent, first_child * inner, 2 * inner, level, i << level, 1 << level)
    dtypes = (np.uint32, np.uint32, np.uint32, np.uint8, np.uint32, np.uint32)
    return Forest(*(c.astype(t) for c, t in zip(columns, dtypes, strict=True)))


def test_thousands_of_seeds_at_great_depth_share_their_relatives():
    forest = perfect_binary_tree(14)
    assert forest.check() == ""
    everything = np.arange(len(forest), dtype=np.uint32)
    assert (forest.expand(everything, 1000) == everything).all()
    leaves = np.arange(2**14, dtype=np.uint32)
    assert (forest.expand(leaves, 1000) == everything).all()
    assert len(forest.expand(leaves, 3)) == 2**14 + 2**13 + 2**12 + 2**11
    root = everything[-1:].copy()
    assert (forest.expand(root, 1000) == everything).all()
    assert forest.expand(root, 2).tolist() == everything[-7:].tolist()
