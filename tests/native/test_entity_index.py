import mmap
import threading
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bridgerag._native import EntityIndex

GOLDEN = Path(__file__).parents[1] / "golden" / "entity_index"

# Few keys, so that they meet again; edges of the range; and anything.
KEYS = st.one_of(st.integers(0, 20), st.sampled_from([2**63, 2**64 - 1]), st.integers(0, 2**64 - 1))
ABSTRACTS = st.one_of(st.integers(0, 20), st.just(2**31 - 2))


def keys_of(values):
    return np.array(values, np.uint64)


def ids_of(values):
    return np.array(values, np.uint32)


def distinct_pairs(count, seed):
    random = np.random.default_rng(seed)
    keys = np.unique(random.integers(0, 2**64, count + 100, np.uint64))[:count]
    return keys, random.integers(0, 5000, len(keys)).astype(np.uint32)


class IndexAgainstDict(RuleBasedStateMachine):
    """Whatever is done to an index, it answers as a dict of sets does."""

    @initialize()
    def start(self):
        self.index, self.truth = EntityIndex(), defaultdict(set)

    @rule(key=KEYS, abstract=ABSTRACTS)
    def add(self, key, abstract):
        assert self.index.add(key, abstract) == (abstract not in self.truth[key])
        self.truth[key].add(abstract)

    @rule(first=st.integers(0, 2**60), count=st.integers(1, 300))
    def add_many_so_that_it_grows(self, first, count):
        for i in range(count):
            self.index.add(first + i, i)
            self.truth[first + i].add(i)

    @rule(key=KEYS, abstract=ABSTRACTS)
    def discard(self, key, abstract):
        assert self.index.discard(key, abstract) == (abstract in self.truth.get(key, ()))
        if key in self.truth:
            self.truth[key].discard(abstract)
            if not self.truth[key]:
                del self.truth[key]

    @rule(key=KEYS)
    def remove(self, key):
        assert self.index.remove(key) == len(self.truth.pop(key, ()))

    @rule(key=KEYS, times=st.integers(1, 5))
    def touch(self, key, times):
        before = self.index.temperature(key)
        for _ in range(times):
            assert self.index.touch(key) == (key in self.truth)
        assert self.index.temperature(key) == (before + times if key in self.truth else 0)

    @rule()
    def reorder(self):
        self.index.reorder()

    @rule()
    def serialise_and_reopen(self):
        payload = self.index.to_bytes()
        self.index = EntityIndex.from_buffer(payload)
        self.answers_are_the_same()
        assert self.index.to_bytes() == payload
        self.index = self.index.thaw()

    @invariant()
    def answers_are_the_same(self):
        keys, offsets, ids = self.index.entries()
        assert len(self.index) == len(self.truth)
        assert keys.tolist() == sorted(self.truth)
        expected = [a for key in sorted(self.truth) for a in sorted(self.truth[key])]
        assert ids.tolist() == expected
        assert self.index.pairs == len(expected)
        asked = keys_of([*self.truth, 12345678901234567])
        offsets, ids = self.index.lookup_many(asked)
        for key, start, end in zip(asked.tolist(), offsets[:-1], offsets[1:], strict=True):
            assert ids[start:end].tolist() == sorted(self.truth.get(key, ()))


IndexAgainstDict.TestCase.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None
)
test_an_index_answers_as_a_dict_whatever_is_done_to_it = IndexAgainstDict.TestCase


@given(st.lists(st.tuples(KEYS, ABSTRACTS)), st.randoms())
def test_building_at_once_in_any_order_gives_the_bytes_of_adding_one_by_one(pairs, random):
    index = EntityIndex()
    for key, abstract in pairs:
        index.add(key, abstract)
    random.shuffle(pairs)
    built = EntityIndex.build(keys_of([k for k, _ in pairs]), ids_of([a for _, a in pairs]))
    assert built.to_bytes() == index.to_bytes()


def test_answers_are_identical_at_a_hundred_thousand_entities():
    random = np.random.default_rng(7)
    keys = random.integers(0, 2**64, 100_000, np.uint64)
    pairs = np.concatenate([np.arange(100_000), random.integers(0, 100_000, 150_000)])
    abstracts = random.integers(0, 3000, len(pairs)).astype(np.uint32)
    truth = defaultdict(set)
    index = EntityIndex()
    for key, abstract in zip(keys[pairs].tolist(), abstracts.tolist(), strict=True):
        truth[key].add(abstract)
        index.add(key, abstract)
    index.touch_many(keys[:30_000])
    index.reorder()
    for key in keys[::10].tolist():
        index.remove(key)
        del truth[key]
    for copy in (index, EntityIndex.from_buffer(index.to_bytes()), index.thaw()):
        offsets, ids = copy.lookup_many(keys)
        bounds = offsets.tolist()
        assert all(
            ids[bounds[i] : bounds[i + 1]].tolist() == sorted(truth.get(key, ()))
            for i, key in enumerate(keys.tolist())
        )
        assert len(copy) == len(truth)
    assert index.load < 0.97


def test_unverified_absent_keys_are_answered_at_the_rate_of_theory():
    keys, abstracts = distinct_pairs(100_000, seed=1)
    index = EntityIndex.build(keys, abstracts, verify=False)
    absent = np.random.default_rng(2).integers(0, 2**64, 1_000_000, np.uint64)
    rate = np.count_nonzero(index.count_many(absent)) / len(absent)
    theory = 8 * index.load / 4096
    print(f"absent keys answered: {rate:.3%}, theory {theory:.3%}")
    assert 0.9 * theory < rate < 1.1 * theory
    assert not EntityIndex.build(keys, abstracts).count_many(absent).any()


def test_unverified_a_stored_key_keeps_its_pairs_and_nearly_always_answers_with_them():
    keys, _ = distinct_pairs(100_000, seed=3)
    abstracts = np.arange(len(keys), dtype=np.uint32)
    index = EntityIndex.build(keys, abstracts, verify=False)
    _, ids = index.lookup_many(keys)
    assert len(ids) == len(keys)  # every stored key is answered
    assert np.count_nonzero(ids != abstracts) < 0.002 * len(keys)
    stored, _, ids = index.entries()
    assert (stored == keys).all()
    assert (ids == abstracts).all()


def golden_pairs():
    """Return what the golden payloads hold: lists of one to seven ids, and twelve crowded keys."""
    key_of = {e: e * 0x9E3779B97F4A7C15 % 2**64 for e in range(300)}
    lists = {
        key_of[e]: [e * 31 + j * 17 for j in range(1 + (e % 7 if e % 5 == 0 else 0))]
        for e in range(300)
    }
    return lists | {unmix(0xABC << 52 | i << 32 | 5): [i] for i in range(12)}


def unmix(x):
    """Return the key that the core's mixer turns into ``x``."""
    for multiplier, shift in ((0x94D049BB133111EB, 31), (0xBF58476D1CE4E5B9, 27), (1, 30)):
        x = x ^ x >> shift ^ x >> 2 * shift
        x = x * pow(multiplier, -1, 2**64) % 2**64
    return x


@pytest.mark.parametrize("layout", [1, 2])
def test_a_payload_of_any_layout_answers_and_is_written_in_the_newest(layout):
    payload = (GOLDEN / f"layout-{layout}.bin").read_bytes()
    assert payload[8] == layout
    assert int.from_bytes(payload[40:48], "little") == 4  # some are in the stash
    index, truth = EntityIndex.from_buffer(bytearray(payload)), golden_pairs()
    absent = np.random.default_rng(6).integers(0, 2**64, 5000, np.uint64)
    asked = np.concatenate([keys_of(list(truth)), absent])
    for _ in range(2):
        offsets, ids = index.lookup_many(asked)
        for key, start, end in zip(asked.tolist(), offsets[:-1], offsets[1:], strict=True):
            assert ids[start:end].tolist() == truth.get(key, [])
            assert index.lookup(key).tolist() == truth.get(key, [])
        assert index.count_many(asked).tolist() == np.diff(offsets).tolist()
        index.touch_many(asked[:400])
        index.reorder()
    assert index.to_bytes() == (GOLDEN / "layout-2.bin").read_bytes()


@pytest.mark.parametrize("entities", [3000, 3001, 20_000, 100_000])
def test_a_packed_table_takes_little_more_than_its_entities_at_any_size(entities):
    keys, abstracts = distinct_pairs(entities, seed=entities)
    index = EntityIndex.build(keys, abstracts)
    assert 0.79 < index.load <= 0.8
    assert index.size_bytes < 20.5 * entities


def test_an_index_over_a_private_map_warms_up_in_place_and_leaves_the_file_alone(tmp_path):
    path = tmp_path / "entities.bin"
    path.write_bytes(EntityIndex.build(keys_of([1, 2, 3]), ids_of([7, 8, 9])).to_bytes())
    before = path.read_bytes()
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    index = EntityIndex.from_buffer(mapped)
    assert index.touch_many(keys_of([2, 2, 5])) == 2
    index.reorder()
    assert index.temperature(2) == 2
    assert index.lookup(2).tolist() == [8]
    assert path.read_bytes() == before
    with pytest.raises(BufferError):  # the index keeps its buffer
        mapped.close()
    del index
    mapped.close()


def test_an_index_over_read_only_bytes_keeps_no_temperatures():
    index = EntityIndex.from_buffer(EntityIndex.build(keys_of([1]), ids_of([7])).to_bytes())
    assert index.touch(1)
    index.reorder()
    assert index.temperature(1) == 0
    assert index.lookup(1).tolist() == [7]


def test_a_packed_index_refuses_changes_and_says_what_to_do():
    index = EntityIndex.build(keys_of([1]), ids_of([7]))
    with pytest.raises(RuntimeError, match=r"packed index.*thaw\(\)"):
        index.add(1, 8)
    copy = index.thaw()
    assert copy.add(1, 8)
    assert (index.pairs, copy.pairs) == (1, 2)
    assert (index.packed, copy.packed) == (True, False)


@settings(max_examples=300)
@given(st.data())
def test_an_altered_payload_is_refused_or_answers_without_harm(data):
    keys, _ = distinct_pairs(60, seed=4)
    payload = bytearray(EntityIndex.build(keys.repeat(2), ids_of(range(120))).to_bytes())
    if data.draw(st.booleans(), label="cut"):
        del payload[data.draw(st.integers(0, len(payload) - 1)) :]
    for _ in range(data.draw(st.integers(0, 6), label="flips") if payload else 0):
        payload[data.draw(st.integers(0, len(payload) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        index = EntityIndex.from_buffer(payload)
        index.touch_many(keys)
        index.reorder()
        offsets, ids = index.lookup_many(keys)
        assert offsets[-1] == len(ids)
        index.entries()
    except ValueError as error:
        assert str(error).startswith(("entity index", "these bytes"))


def test_what_cannot_be_is_refused_with_what_was_found():
    with pytest.raises(ValueError, match="keys has 2 entries, abstracts 1"):
        EntityIndex.build(keys_of([1, 2]), ids_of([1]))
    with pytest.raises(IndexError, match="abstract id is 2147483647; the highest is 2147483646"):
        EntityIndex().add(1, 2**31 - 1)
    with pytest.raises(ValueError, match="has 3 bytes; its header alone has 64"):
        EntityIndex.from_buffer(b"abc")
    with pytest.raises(TypeError):
        EntityIndex().lookup_many(np.array([1.0]))
    with pytest.raises(TypeError):
        EntityIndex().lookup(-1)


@pytest.mark.parametrize("shift", [8, 16, 24, 40])
def test_a_payload_at_any_multiple_of_eight_bytes_answers(shift):
    keys, ids = distinct_pairs(300, seed=8)
    payload = EntityIndex.build(keys, ids).to_bytes()
    moved = np.zeros(len(payload) + shift, np.uint8)
    moved[shift:] = np.frombuffer(payload, np.uint8)
    index = EntityIndex.from_buffer(memoryview(moved)[shift:])
    assert index.count_many(keys).tolist() == [1] * len(keys)
    assert index.lookup_many(keys)[1].tolist() == ids.tolist()


def test_readers_and_a_writer_in_different_threads_do_each_other_no_harm():
    keys, abstracts = distinct_pairs(5000, seed=5)
    index = EntityIndex.build(keys, abstracts).thaw()
    wrong = []

    def read():
        for _ in range(40):
            _, ids = index.lookup_many(keys)
            if len(ids) != len(keys) or (ids != abstracts).any():
                wrong.append(len(ids))
            index.touch_many(keys)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for extra in range(3000):
        index.add(extra, extra)  # the table grows under the readers
        if extra % 500 == 0:
            index.reorder()
    for reader in readers:
        reader.join()
    assert not wrong
    assert index.temperature(int(keys[0])) == 80
