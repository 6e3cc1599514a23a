"""Looking up entities: the index in batches and one by one, against a dict and others.

Keys are 64-bit numbers, asked in random order; lists of ids are Zipf-long, three in four of one id.
A dict is asked for Python ints that were made beforehand, the index for an array; a row shows what
it costs to make the array first. Before a clock starts, the answers to keys that are present and to
keys that are absent are compared with the dict's. The floor is one prefetched read at random in a
memory as large as the index's table. Handing out the lists takes more than that: a second floor
adds a read in as much memory as the longer lists take for each key that has one, and writing as
many bytes as the answer has, to memory that is warm. Of every two calls the second is clocked, so
that each way, the floors too, finds the caches as itself left them.
"""

from __future__ import annotations

import argparse
import gc
import mmap
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks.speed._floor import READS, reads
from benchmarks.speed._lookup_baselines import (
    Entities,
    NumberedDict,
    SortedKeys,
    Trie,
    dict_bytes,
    dict_of_lists,
)
from benchmarks.speed._rows import Row, against, race, row
from bridgerag._native import EntityIndex
from bridgerag.types import Ids, Keys

__all__ = ["add_options", "measure"]

_SIZES, _QUICK = (3_000, 100_000, 1_000_000, 10_000_000), (3_000, 20_000)
_LEAST_ASKED, _MOST_ASKED = 20_000, 1_000_000  # keys a round
_MOST_SPELLED = 1_000_000  # entities; a larger trie takes minutes to build
_DICT, _FLOOR = "dict.get", "floor: one read in as much memory"
_LISTS_FLOOR = "floor: the reads of the lists too, and writing them"


@dataclass(frozen=True, slots=True)
class _Contenders:
    """What is asked, and for what: keys as an array and as the ints of a list."""

    made: Entities
    table: dict[int, list[int]]
    index: EntityIndex
    mapped: EntityIndex
    unverified: EntityIndex
    present: Keys
    absent: Keys
    present_ints: list[int]
    absent_ints: list[int]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", help="how many entities")


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows of each size, with ratios to the dict."""
    if not Trie.installed:
        print("marisa-trie skipped: pip install marisa-trie")
    for size in options.sizes or (_QUICK if options.quick else _SIZES):
        with tempfile.TemporaryDirectory() as folder, _no_collector():
            yield from against(list(_rows(size, Path(folder))), _DICT)


def _rows(size: int, folder: Path) -> Iterator[Row]:
    all_ = _prepare(size, folder)
    own = all_.index.size_bytes - all_.made.list_bytes
    ways = _ways(all_)
    _expect_same(all_, ways)
    name, count = f"{size:,} entities", len(all_.present)
    floors = {_FLOOR: reads(own), _LISTS_FLOOR: _reads_of_lists(own, all_.made)}
    spent = race({**floors, **ways}, twice=True)
    floor, lists_floor = (
        float(np.median(spent[way])) / READS * 1e9 for way in (_FLOOR, _LISTS_FLOOR)
    )
    for way, seconds in spent.items():
        done = READS if way in (_FLOOR, _LISTS_FLOOR) else count
        samples = [second / done * 1e9 for second in seconds]
        facts: dict[str, float | str] = {}
        if way == _DICT:
            facts = {"bytes_an_entity": dict_bytes(all_.table)}
        if "_many" in way:
            facts = {"times_the_floor": float(np.median(samples)) / floor}
        if way == "lookup_many":
            facts["times_the_floor_with_lists"] = float(np.median(samples)) / lists_floor
            facts |= {"bytes_an_entity": own / size, "with_lists": all_.index.size_bytes / size}
        if way == "lookup_many, unverified, absent":
            wrong = np.count_nonzero(all_.unverified.count_many(all_.absent)) / count
            facts["wrong_answers"] = f"{wrong:.3%}"
        yield row(name, way, "ns a key", samples, **facts)


def _reads_of_lists(own: int, made: Entities) -> Callable[[], object]:
    """Return a call that does for ``READS`` keys what handing out their lists takes at least."""
    sizes = np.diff(made.first)
    tables, lists = reads(own), reads(made.list_bytes, round(READS * float(np.mean(sizes > 1))))
    answer = np.zeros(round(READS * (8 + 4 * float(np.mean(sizes)))), np.uint8)

    def floor() -> None:
        tables()
        lists()
        answer.fill(1)

    return floor


def _prepare(size: int, folder: Path) -> _Contenders:
    random = np.random.default_rng(size)
    made = Entities.random(size, random)
    count = min(max(size, _LEAST_ASKED), _MOST_ASKED)
    present = random.choice(made.keys, count)
    others = random.integers(0, 2**64, count + 100, np.uint64)
    absent = others[~np.isin(others, made.keys)][:count]
    pairs = np.repeat(made.keys, np.diff(made.first)), made.ids
    index = EntityIndex.build(*pairs)
    unverified = EntityIndex.build(*pairs, verify=False)
    return _Contenders(
        made, dict_of_lists(made), index, _mapped(index, folder), unverified,
        present, absent, present.tolist(), absent.tolist(),
    )  # fmt: skip


def _mapped(index: EntityIndex, folder: Path) -> EntityIndex:
    """Return the index over a mapped file, as a store has it."""
    path = folder / "entities.bin"
    path.write_bytes(bytes(64) + index.to_bytes())
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    return EntityIndex.from_buffer(memoryview(mapped)[64:])


def _ways(all_: _Contenders) -> dict[str, Callable[[], object]]:
    index, present, absent = all_.index, all_.present, all_.absent
    table, ints = all_.table, all_.present_ints
    numbered, ordered = NumberedDict(all_.made, iter(table)), SortedKeys(all_.made)
    ways: dict[str, Callable[[], object]] = {
        _DICT: lambda: deque(map(table.get, ints), maxlen=0),
        "dict.get, absent": lambda: deque(map(table.get, all_.absent_ints), maxlen=0),
        "dict + NumPy offsets": lambda: numbered.find(ints),
        "NumPy searchsorted": lambda: ordered.find(present),
        "lookup, one by one": lambda: deque(map(index.lookup, ints), maxlen=0),
        "lookup_many": lambda: index.lookup_many(present),
        "lookup_many, absent": lambda: index.lookup_many(absent),
        "count_many": lambda: index.count_many(present),
        "count_many, absent": lambda: index.count_many(absent),
        "lookup_many, array made of ints": lambda: index.lookup_many(
            np.fromiter(ints, np.uint64, len(ints))
        ),
        "lookup_many, mapped file": lambda: all_.mapped.lookup_many(present),
        "lookup_many, mapped file, absent": lambda: all_.mapped.lookup_many(absent),
        "lookup_many, unverified": lambda: all_.unverified.lookup_many(present),
        "lookup_many, unverified, absent": lambda: all_.unverified.lookup_many(absent),
    }
    if Trie.installed and len(table) <= _MOST_SPELLED:
        trie, spelled = Trie(all_.made), Trie.spell(present)
        ways["marisa-trie + NumPy offsets"] = lambda: trie.find(spelled)
    return ways


def _expect_same(all_: _Contenders, ways: dict[str, Callable[[], object]]) -> None:
    """Compare every way's answers with the dict's, and all that is stored."""
    lists = [all_.table[key] for key in all_.present_ints]
    sizes = np.fromiter(map(len, lists), np.int64, len(lists))
    ids = np.fromiter(chain.from_iterable(lists), np.uint32, int(sizes.sum()))
    for way, call in ways.items():
        if way.startswith(("dict.get", "lookup, ")) or "unverified" in way:
            continue
        wanted = (np.zeros(len(lists), np.int64), ids[:0]) if "absent" in way else (sizes, ids)
        found = call()
        if isinstance(found, tuple):
            agrees = _same(np.diff(found[0]), wanted[0]) and _same(found[1], wanted[1])
        else:
            agrees = _same(found, wanted[0])
        if not agrees:
            raise SystemExit(f"{len(all_.table):,} entities: {way} and the dict disagree")
    for key in all_.present_ints[:10_000] + all_.absent_ints[:10_000]:
        if all_.index.lookup(key).tolist() != all_.table.get(key, []):
            raise SystemExit(f"{len(all_.table):,} entities: lookup and the dict disagree")
    offsets, stored = all_.index.lookup_many(all_.made.keys)
    if not (_same(offsets, all_.made.first) and _same(stored, all_.made.ids)):
        raise SystemExit(f"{len(all_.table):,} entities: not all that was stored is found")
    if any(key in all_.table for key in all_.absent_ints):
        raise SystemExit("a key that should be absent is in the dict")


def _same(found: object, wanted: Ids | np.ndarray) -> bool:
    return np.array_equal(np.asarray(found), wanted)


@contextmanager
def _no_collector() -> Iterator[None]:
    """Keep the cycle collector from walking through millions of lists."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect()
