"""What a benchmark gives back: rows with a median, its spread, and a ratio to a named baseline.

Every round of `race` runs all ways once, so that a busy moment of the machine meets them all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

__all__ = ["Row", "against", "clocked", "race", "row"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table.

    Attributes:
        size: of what is searched or built, such as ``"1,000,000 entities"``.
        way: what was timed.
        unit: of the figures, such as ``"ns a key"``.
        median, low, high: of the samples; low and high are the quartiles.
        than: the way of the same size that ``ratio`` is against; "" for none.
        ratio: this median to that of ``than``.
        facts: whatever else was measured, by its name with the unit in it, such as ``"p99 ms"``.
    """

    size: str
    way: str
    unit: str
    median: float
    low: float
    high: float
    than: str = ""
    ratio: float | None = None
    facts: dict[str, float | str] = field(default_factory=dict)


def row(size: str, way: str, unit: str, samples: Sequence[float], **facts: float | str) -> Row:
    """Return the row of some samples; underscores in names of facts become blanks."""
    low, middle, high = np.quantile(samples, (0.25, 0.5, 0.75)).tolist()
    named = {name.replace("_", " "): value for name, value in facts.items()}
    return Row(size, way, unit, middle, low, high, facts=named)


def against(rows: Sequence[Row], than: str) -> list[Row]:
    """Return rows of one size with their ratios to the way ``than``, which is among them."""
    base = next(one.median for one in rows if one.way == than)
    return [
        one if one.way == than else replace(one, than=than, ratio=one.median / base) for one in rows
    ]


def clocked(
    size: str,
    way: str,
    call: Callable[[Any], object],
    given: Sequence[Any],
    facts: Mapping[str, float | str],
) -> Row:
    """Return the row of one call a question, in milliseconds.

    On the wall, and of the processor, which a busy machine disturbs less.
    """
    times = []
    for one in given:
        start, worked = time.perf_counter(), time.thread_time()
        call(one)
        times.append((time.perf_counter() - start, time.thread_time() - worked))
    wall, cpu = (1e3 * np.array(times)).T
    known = {
        "p99 ms": float(np.quantile(wall, 0.99)),
        "median CPU ms": float(np.median(cpu)),
        "p99 CPU ms": float(np.quantile(cpu, 0.99)),
    }
    return row(size, way, "ms a question", wall, **known, **facts)


def race(
    ways: Mapping[str, Callable[[], object]], rounds: int = 5, twice: bool = False
) -> dict[str, list[float]]:
    """Return the seconds that each way took in each of ``rounds`` interleaved rounds.

    Check that the ways agree, and warm them up, before calling this.

    Args:
        twice: clock the second of two calls, which finds the caches as the first left them, not as
            another way did.
    """
    spent: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, call in ways.items():
            if twice:
                call()
            start = time.perf_counter()
            call()
            spent[way].append(time.perf_counter() - start)
    return spent
