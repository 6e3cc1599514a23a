"""How long it takes from seed abstracts to the chunks of their relatives, as a forest grows.

Documents have 1 to 64 chunks, windows of four, three branches; a question's seeds are drawn at
random, so that nothing of them is in the processor's caches. Beside the native forest: plain sets
that are widened a step at a time (also the oracle that all must agree with), and whole arrays in
NumPy. Times are for expansion by two levels and the chunks owned.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from benchmarks.speed._reach_twin import Numbers, expanded, pool_of
from benchmarks.speed._rows import Row, against, row
from bridgerag._native import NO_PARENT, Forest
from bridgerag.forest import grow, join

__all__ = ["add_options", "measure"]

_BASE = "Python sets"
_DEPTH = 2
_WINDOW, _BRANCHING, _LONGEST = 4, 3, 64
_SEEDS = (1, 10, 100)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000, 10_000_000]
    )
    parser.add_argument("--questions", type=int, default=300)


def measure(options: argparse.Namespace) -> Iterator[Row]:
    smallest: dict[str, float] = {}
    for chunks in [2_000] if options.quick else options.sizes:
        forest = _forest(chunks)
        for one in _rows(forest, options.questions):
            key = one.size.partition(", ")[2] + one.way
            one.facts["times the smallest"] = one.median / smallest.setdefault(key, one.median)
            yield one


def _forest(chunks: int) -> Forest:
    chance = np.random.default_rng(chunks)
    sizes = chance.integers(1, _LONGEST + 1, 2 * chunks // _LONGEST)
    return join([grow(size, _WINDOW, _BRANCHING) for size in sizes.tolist()])[0].native()


def _rows(forest: Forest, count: int) -> Iterator[Row]:
    chance = np.random.default_rng(7)
    ways: Mapping[str, Callable[[Numbers], Numbers]] = {
        _BASE: _Sets(forest),
        "NumPy": lambda seeds: pool_of(forest, expanded(forest, seeds, _DEPTH)),
        "forest": lambda seeds: forest.pool(forest.expand(seeds, _DEPTH)),
    }
    for each in _SEEDS:
        size = f"{forest.chunks:,} chunks, seeds: {each}"
        seeds = [
            np.unique(chance.integers(0, len(forest), each)).astype(np.uint32)
            for _ in range(2 * count)
        ]
        pools = [_agreed(ways, one) for one in seeds[:20]]
        facts = {"pool chunks": float(np.mean(pools))}
        rows = [_clocked(size, way, call, seeds[count:], facts) for way, call in ways.items()]
        yield from against(rows, _BASE)


class _Sets:
    """The parents and children of abstracts one by one, in sets."""

    def __init__(self, forest: Forest) -> None:
        self._parent, self._first, self._count = (
            forest.parent, forest.first_child, forest.child_count,
        )  # fmt: skip
        self._first_chunk, self._chunk_count = forest.first_chunk, forest.chunk_count

    def __call__(self, seeds: Numbers) -> Numbers:
        found = set(seeds.tolist())
        above, below = set(found), set(found)
        for _ in range(_DEPTH):
            above = {int(self._parent[a]) for a in above} - {NO_PARENT}
            below = {
                child
                for a in below
                for child in range(int(self._first[a]), int(self._first[a]) + int(self._count[a]))
            }
            found |= above | below
        chunks = {
            chunk
            for a in found
            for chunk in range(
                int(self._first_chunk[a]), int(self._first_chunk[a]) + int(self._chunk_count[a])
            )
        }
        return np.array(sorted(chunks), np.uint32)


def _agreed(ways: Mapping[str, Callable[[Numbers], Numbers]], seeds: Numbers) -> int:
    """Return how many chunks all ways find; leave the program where they differ."""
    first, *others = [way(seeds).tolist() for way in ways.values()]
    if any(other != first for other in others):
        raise SystemExit("the ways to expand differ")
    return len(first)


def _clocked(
    size: str,
    way: str,
    call: Callable[[Numbers], Numbers],
    given: Sequence[Numbers],
    facts: Mapping[str, float],
) -> Row:
    times = []
    for one in given:
        start = time.perf_counter()
        call(one)
        times.append(1e6 * (time.perf_counter() - start))
    return row(size, way, "us a question", times, p99_us=float(np.quantile(times, 0.99)), **facts)
