"""From numbers to places in a drawing: linear and logarithmic scales with round ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Scale"]

_ROUND = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps ``[low, high]`` to ``[start, end]``; calling it gives a coordinate.

    Attributes:
        ticks: round numbers inside ``[low, high]``, ascending, at least one.
    """

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the coordinate of ``value``; what lies outside is moved to the nearer end."""
        low, high, at = self.low, self.high, min(max(value, self.low), self.high)
        if self.log:
            low, high, at = math.log10(low), math.log10(high), math.log10(at)
        return self.start + (at - low) / (high - low) * (self.end - self.start)

    @classmethod
    def linear(
        cls,
        values: Iterable[float],
        start: float,
        end: float,
        *,
        marks: int = 5,
        within: tuple[float, float] = (-math.inf, math.inf),
    ) -> Scale:
        """Return a scale from one round number to another that holds all ``values``.

        Args:
            marks: about how many ticks.
            within: the scale does not go beyond, where the values do not; at least 1 wide.
        """
        found = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        low, high = min(found), max(found)
        if high - low < 1:
            low, high = max(within[0], low - 1), min(within[1], high + 1)
        step = _round_up((high - low) / marks)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        ticks = tuple(round(step * place, 10) for place in range(first, last + 1))
        return cls(ticks[0], ticks[-1], start, end, ticks)

    @classmethod
    def logarithmic(cls, values: Iterable[float], start: float, end: float) -> Scale:
        """Return a logarithmic scale that holds all ``values`` above 0, with some air around."""
        found = [value for value in values if value > 0 and math.isfinite(value)] or [0.1, 10.0]
        low, high = min(found) / 1.3, max(found) * 1.3
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = (1.0,) if high / low > 1_000 else (1.0, 2.0, 5.0) if high / low < 30 else (1.0, 3.0)
        ticks = tuple(
            round(step * 10.0**decade, 10)
            for decade in decades
            for step in steps
            if low <= step * 10.0**decade <= high
        )
        return cls(low, high, start, end, ticks or (min(found),), log=True)


def _round_up(step: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is not below ``step``."""
    power = 10.0 ** math.floor(math.log10(step))
    return next(mark * power for mark in _ROUND if mark * power >= step * (1 - 1e-9))
