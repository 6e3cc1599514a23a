"""Lifting: an entity that most children share is stored at their parent."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.abstracts.lift import lift
from bridgerag.forest import grow, join


def lift_plainly(pairs, forest, share):
    """The oracle: one entity, one level, one parent at a time."""
    held = {}
    for key, abstract in pairs:
        held.setdefault(key, set()).add(abstract)
    for holders in held.values():
        for parent in range(len(forest)):  # children stand before their parents
            first, count = int(forest.first_child[parent]), int(forest.child_count[parent])
            inside = holders & set(range(first, first + count))
            if len(inside) >= 2 and len(inside) > share * count:
                holders -= inside
                holders.add(parent)
    return sorted((key, abstract) for key, holders in held.items() for abstract in holders)


@st.composite
def cases(draw):
    sizes = draw(st.lists(st.integers(1, 40), min_size=1, max_size=4))
    window, branching = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    forest, _, _ = join([grow(size, window, branching) for size in sizes])
    leaves = np.flatnonzero(forest.level == 0).tolist()
    pairs = draw(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(leaves)), max_size=60))
    return pairs, forest, draw(st.sampled_from([0.2, 0.5, 0.75, 1.0]))


@given(cases())
def test_lifting_agrees_with_one_entity_at_a_time(case):
    pairs, forest, share = case
    keys = np.array([key for key, _ in pairs], np.uint64)
    abstracts = np.array([abstract for _, abstract in pairs], np.uint32)
    lifted = lift(keys, abstracts, forest, share)
    found = list(zip(*(column.tolist() for column in lifted), strict=True))
    assert found == lift_plainly(pairs, forest, share)


def test_given_an_entity_on_every_page_then_it_rises_to_the_root():
    forest = grow(100, window=5, branching=5)
    leaves = np.arange(20, dtype=np.uint32)
    keys, abstracts = lift(np.full(20, 7, np.uint64), leaves, forest, 0.5)
    assert (keys.tolist(), abstracts.tolist()) == ([7], [len(forest) - 1])


def test_given_lifting_is_off_then_every_leaf_keeps_its_entity():
    forest = grow(100, window=5, branching=5)
    leaves = np.arange(20, dtype=np.uint32)
    _, abstracts = lift(np.full(20, 7, np.uint64), leaves, forest, 1.0)
    assert abstracts.tolist() == leaves.tolist()
