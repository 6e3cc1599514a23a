"""Merging entity indexes, against building one from what is left."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag._native import DROPPED, EntityIndex

KEYS = st.one_of(st.integers(0, 8), st.sampled_from([2**63, 2**64 - 1]))
# A part: how many abstracts it has, and its (entity, abstract) pairs, taken modulo that.
PARTS = st.lists(
    st.tuples(st.integers(1, 8), st.lists(st.tuples(KEYS, st.integers(0, 7)), max_size=30)),
    max_size=4,
)


def keys_of(values):
    return np.array(values, np.uint64)


def ids_of(values):
    return np.array(values, np.uint32)


def index_of(pairs, verify=True):
    return EntityIndex.build(
        keys_of([k for k, _ in pairs]), ids_of([a for _, a in pairs]), verify=verify
    )


@given(PARTS, st.data())
def test_a_merge_is_byte_for_byte_what_is_built_of_the_abstracts_that_are_left(parts, data):
    verify = data.draw(st.booleans())
    parts = [(size, [(key, a % size) for key, a in pairs]) for size, pairs in parts]
    all_abstracts = [(i, a) for i, (size, _) in enumerate(parts) for a in range(size)]
    kept = data.draw(st.permutations([one for one in all_abstracts if data.draw(st.booleans())]))
    maps = [np.full(size, DROPPED, np.uint32) for size, _ in parts]
    for number, (i, a) in enumerate(kept):
        maps[i][a] = number
    left = [
        (key, int(maps[i][a]))
        for i, (_, pairs) in enumerate(parts)
        for key, a in pairs
        if maps[i][a] != DROPPED
    ]
    indexes = [index_of(pairs) for _, pairs in parts]
    merged = EntityIndex.merge(indexes, maps, verify=verify)
    assert merged.to_bytes() == index_of(left, verify).to_bytes()
    grown = [index.thaw() for index in indexes]
    assert EntityIndex.merge(grown, maps, verify=verify).to_bytes() == merged.to_bytes()


def test_a_hundred_thousand_entities_merge_as_they_are_built():
    random = np.random.default_rng(11)
    keys = random.integers(0, 2**64, 100_000, np.uint64)
    parts, maps, left, next_number = [], [], [], 0
    for _ in range(3):
        mine = keys[random.integers(0, len(keys), 80_000)]
        abstracts = random.integers(0, 5000, len(mine)).astype(np.uint32)
        alive = random.random(5000) < 0.7
        numbers = np.where(alive, next_number + np.cumsum(alive) - 1, DROPPED).astype(np.uint32)
        next_number += int(alive.sum())
        parts.append(EntityIndex.build(mine, abstracts))
        maps.append(numbers)
        left.append((mine[alive[abstracts]], numbers[abstracts[alive[abstracts]]]))
    merged = EntityIndex.merge(parts, maps)
    built = EntityIndex.build(*(np.concatenate(column) for column in zip(*left, strict=True)))
    assert merged.to_bytes() == built.to_bytes()


def test_temperatures_do_not_change_what_is_merged():
    index = index_of([(key, 0) for key in range(50)])
    before = EntityIndex.merge([index], [ids_of([0])]).to_bytes()
    index.touch_many(keys_of(range(0, 50, 3)))
    index.reorder()
    assert EntityIndex.merge([index], [ids_of([0])]).to_bytes() == before


def test_maps_and_parts_that_do_not_fit_are_refused():
    index = index_of([(1, 0), (1, 2)])
    with pytest.raises(ValueError, match="1 parts and 0 maps"):
        EntityIndex.merge([index], [])
    with pytest.raises(ValueError, match="holds abstract 2; its map has 2"):
        EntityIndex.merge([index], [ids_of([0, 1])])
    with pytest.raises(ValueError, match="keep 3 numbers, and 1 is one too many"):
        EntityIndex.merge([index], [ids_of([0, 1, 1])])
    with pytest.raises(TypeError, match="None"):
        EntityIndex.merge([None], [ids_of([0])])
    with pytest.raises(TypeError):
        EntityIndex.merge([index], [np.array([0.0, 1.0, 2.0])])


@pytest.mark.parametrize("numbers", [[2, 3, 3], [2, 3, 1], [0, 1, 3], [3, 1, 3]])
def test_given_a_damaged_run_then_it_is_not_merged(numbers):
    payload = bytearray(index_of([(1, 1), (1, 3)]).to_bytes())
    payload[-16:-4] = ids_of(numbers).tobytes()
    damaged = EntityIndex.from_buffer(payload)
    with pytest.raises(ValueError, match="entity index holds"):
        EntityIndex.merge([damaged], [ids_of([0, 1, 2, 3])])


def test_merging_goes_on_beside_readers_and_a_writer_of_its_parts():
    parts = [index_of([(key, key % 7) for key in range(2000)]).thaw() for _ in range(2)]
    maps = [ids_of(range(8)), ids_of(range(8, 16))]
    sizes = []

    def merge(order):
        mine = [parts[i] for i in order]
        sizes.extend(len(EntityIndex.merge(mine, maps)) for _ in range(30))

    threads = [threading.Thread(target=merge, args=(order,)) for order in ([0, 1], [1, 0], [0, 0])]
    for thread in threads:
        thread.start()
    for extra in range(2000, 3000):
        parts[0].add(extra, 7)
    for thread in threads:
        thread.join()
    assert len(sizes) == 90
    assert all(2000 <= size <= 3000 for size in sizes)
