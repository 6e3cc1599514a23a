"""A document's tree: windows of chunks, groups of abstracts, one root."""

from dataclasses import fields

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.forest import grow, grow_over, join, separate

shapes = st.tuples(st.integers(1, 400), st.integers(1, 9), st.integers(2, 7))


def test_given_27_chunks_then_the_tree_is_the_papers():
    tree = grow(27, window=5, branching=5)
    leaves = tree.level == 0
    assert tree.chunk_count[leaves].tolist() == [5, 5, 5, 5, 5, 2]
    assert tree.level.tolist() == [0] * 6 + [1, 1, 2]
    assert tree.chunk_count[~leaves].tolist() == [25, 2, 27]


@given(shapes)
def test_every_tree_keeps_the_forests_invariants(shape):
    assert grow(*shape).native().check() == ""


@given(shapes)
def test_each_level_tiles_the_chunks_in_order(shape):
    tree = grow(*shape)
    for level in range(int(tree.level[-1]) + 1):
        here = tree.level == level
        owned = [
            chunk
            for first, count in zip(tree.first_chunk[here], tree.chunk_count[here], strict=True)
            for chunk in range(first, first + count)
        ]
        assert owned == list(range(shape[0]))


@given(st.lists(shapes, min_size=1, max_size=6))
def test_trees_side_by_side_stay_what_they_were(several):
    trees = [grow(*shape) for shape in several]
    forest, first_abstract, first_chunk = join(trees)
    assert forest.native().check() == ""
    assert first_abstract.tolist() == np.cumsum([0, *map(len, trees)]).tolist()
    assert first_chunk.tolist() == np.cumsum([0, *(shape[0] for shape in several)]).tolist()
    for tree, abstract, chunk in zip(trees, first_abstract, first_chunk, strict=False):
        part = slice(abstract, abstract + len(tree))
        assert (forest.first_chunk[part] - chunk).tolist() == tree.first_chunk.tolist()
        assert (forest.parent[part][:-1] - abstract).tolist() == tree.parent[:-1].tolist()
    for place, tree in enumerate(trees):
        again = separate(forest.native(), first_abstract, first_chunk, place)
        for one, other in zip(fields(tree), fields(again), strict=True):
            assert getattr(tree, one.name).tolist() == getattr(again, other.name).tolist()
            assert getattr(tree, one.name).dtype == getattr(again, other.name).dtype


@given(st.lists(st.integers(1, 9), min_size=1, max_size=80), st.integers(2, 7))
def test_a_tree_over_given_leaves_has_them_and_knows_whose_each_chunk_is(sizes, branching):
    first = np.cumsum([0, *sizes[:-1]]).astype(np.uint32)
    tree = grow_over(first, sum(sizes), branching)
    assert tree.native().check() == ""
    assert tree.chunk_count[tree.level == 0].tolist() == sizes
    owners = tree.leaf_of(np.arange(sum(sizes), dtype=np.uint32))
    assert owners.tolist() == np.repeat(np.arange(len(sizes)), sizes).tolist()
