"""How numbers are written, the same in every form of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bridgerag.evaluation.columns import Column
from bridgerag.evaluation.summary import Cell

__all__ = [
    "change",
    "counted",
    "heading",
    "interval",
    "listed",
    "milliseconds",
    "quantity",
    "signed",
    "spread",
]

_BYTES = ("bytes", "kB", "MB", "GB", "TB")
_UNITS = ("%", "ms", "s")


def heading(column: Column) -> str:
    """Return a column's title with the unit that its values are printed in."""
    return f"{column.title} ({column.unit})" if column.unit in _UNITS else column.title


def quantity(value: float, unit: str) -> str:
    """Return ``value`` as ``unit`` wants it: a share in per cent, bytes grow to kB, MB, GB."""
    if not math.isfinite(value):
        return "–"
    if unit == "%":
        return f"{100 * value:.1f}"
    if unit == "bytes":
        return _size(value)
    if unit == "tokens":
        return f"{value:,.0f}"
    return milliseconds(value)


def change(value: float, unit: str) -> str:
    """Return a difference with its sign: of shares in points."""
    return signed(100 * value) if unit == "%" else signed(value, 2)


def interval(cell: Cell, unit: str) -> str:
    """Return ``[low, high]`` of the difference to the baseline."""
    return f"[{change(cell.low, unit)}, {change(cell.high, unit)}]"


def signed(value: float, decimals: int = 1) -> str:
    """Return ``value`` with its sign; what rounds to 0 has none."""
    text = f"{value:+.{decimals}f}"
    return text[1:] if float(text) == 0 else text.replace("-", "−")


def milliseconds(value: float) -> str:
    """Return a time with three figures, without the unit; at most four decimals."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "–"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(decimals, 4)}f}"


def spread(percentiles: Sequence[float]) -> str:
    """Return percentiles 5, 25, 50, 75, 95, 99 of times in milliseconds in words."""
    low, left, middle, right, high, last = map(milliseconds, percentiles)
    return f"median {middle} ms, half in {left}–{right}, nine in ten in {low}–{high}, p99 {last}"


def counted(count: int, noun: str) -> str:
    """Return for example ``1 question`` or ``1,000 questions``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(parts: Sequence[str]) -> str:
    """Return ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def _size(value: float) -> str:
    for unit in _BYTES[:-1]:
        if abs(value) < 999.5:
            return f"{value:,.0f} {unit}" if unit == "bytes" else f"{milliseconds(value)} {unit}"
        value /= 1000
    return f"{milliseconds(value)} {_BYTES[-1]}"
