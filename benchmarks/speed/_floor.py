"""The random-access floor: what reading single cache lines in random order costs on this machine.

A table of so many bytes cannot be asked faster than its memory answers. Reads that wait for one
another show the latency; independent reads, each asked for some reads ahead, show the floor of a
batch. With pages of 4 KB, and with huge pages where the system gives them.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed._rows import Row, race, row
from bridgerag._native import chase_lines, sum_lines

__all__ = ["READS", "reads", "rows"]

Lines = NDArray[np.uint64]

_LINE = 64
_MEGABYTE = 1 << 20
_SIZES = tuple(size * _MEGABYTE for size in (16, 64, 256, 1024))
READS, _STEPS = 1 << 20, 1 << 16
_AHEAD = (16, 32)  # the better one counts
_PAGES = {"4 KB pages": "MADV_NOHUGEPAGE", "huge pages": "MADV_HUGEPAGE"}


def rows() -> Iterator[Row]:
    """Yield the floor for some sizes of memory, measured once a process. Takes some seconds."""
    yield from _measured()


@cache
def _measured() -> tuple[Row, ...]:
    found = []
    for size in _SIZES:
        name = f"{size // _MEGABYTE:,} MB of memory"
        for pages, lines in _memories(size):
            seconds = race({"chase": partial(chase_lines, lines, _STEPS)}, rounds=3)["chase"]
            waits = [second / _STEPS * 1e9 for second in seconds]
            found.append(row(name, f"each read waits for the last, {pages}", "ns a read", waits))
            _, samples = _fastest(_prefetched(lines))
            found.append(row(name, f"independent reads, prefetched, {pages}", "ns a read", samples))
    return tuple(found)


def reads(size: int, count: int = READS) -> Callable[[], object]:
    """Return a call of ``count`` prefetched reads in ``size`` bytes, on the better pages."""
    return _fastest([call for _, lines in _memories(size) for call in _prefetched(lines, count)])[0]


def _fastest(calls: Sequence[Callable[[], object]]) -> tuple[Callable[[], object], list[float]]:
    """Return the fastest of some calls of ``READS`` reads, and samples of ns a read."""
    ways = {str(number): call for number, call in enumerate(calls)}
    spent = race(ways, rounds=3)
    best = min(spent, key=lambda way: float(np.median(spent[way])))
    return ways[best], [second / READS * 1e9 for second in spent[best]]


def _prefetched(lines: Lines, count: int = READS) -> list[Callable[[], object]]:
    order = np.random.default_rng(1).integers(0, len(lines), count, np.uint32)
    return [partial(sum_lines, lines, order, ahead) for ahead in _AHEAD]


def _memories(size: int) -> Iterator[tuple[str, Lines]]:
    """Yield memory of about ``size`` bytes on each kind of page, a chain through it."""
    for pages, advice in _PAGES.items():
        memory = mmap.mmap(-1, max(1, size // _LINE) * _LINE)
        if hasattr(mmap, advice):
            memory.madvise(getattr(mmap, advice))
        lines = np.frombuffer(memory, np.uint64).reshape(-1, _LINE // 8)
        lines[:, 0] = _chain(len(lines))
        yield pages, lines
        if not hasattr(mmap, advice):
            return


def _chain(lines: int) -> Lines:
    """Return the line that follows each: a linear congruence, a single circle for powers of two."""
    at = np.arange(lines, dtype=np.uint64)
    return (at * np.uint64(0x5851F42D) + np.uint64(0x14057B7F)) % np.uint64(lines)
