"""How sure a mean, or a difference of two methods, is: percentile bootstrap over the questions.

Source: Efron and Tibshirani, *An Introduction to the Bootstrap*, chapter 13. Two methods are
compared by resampling the differences on the same question, which takes out how hard it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from bridgerag.errors import InputError

__all__ = ["Interval", "mean_interval", "paired_interval"]

_BLOCK = 1 << 20  # numbers drawn at once: bounds the memory to about 20 MB
_DECIMALS = 12  # sums in another order differ beyond these: a 0 must stay a 0 on every machine


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true mean lies, at the level asked for; all NaN where nothing could be compared.

    Attributes:
        mean: over the questions that count.
        count: how many do.
    """

    low: float
    high: float
    mean: float
    count: int

    @property
    def tie(self) -> bool:
        """Whether the interval holds 0, so that no difference has been shown."""
        return not (self.low > 0 or self.high < 0)


def paired_interval(
    values: Sequence[float | None],
    baseline: Sequence[float | None],
    *,
    seed: int,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Return the interval of the mean of ``values[i] - baseline[i]`` over the questions i.

    A question on which either has no value (None or NaN) is left out.

    Args:
        values: one number a question.
        baseline: the same for the method compared with, in the same order.
        seed: the same seed and input give the same interval on every machine.
        resamples: how often the questions are drawn anew, 1 or more.
        level: the share of such intervals that hold the truth, between 0 and 1. With fewer than
            about 30 questions they hold it somewhat less often.

    Raises:
        InputError: the lengths differ, or a number is out of its range.

    Cost: O(resamples · questions), about 5 ns each.
    """
    if len(values) != len(baseline):
        expected = f"{len(values)}, one for each of the values"
        raise InputError("the length of the baseline", len(baseline), expected)
    return _interval(_numbers(values) - _numbers(baseline), seed, resamples, level)


def mean_interval(
    values: Sequence[float | None], *, seed: int, resamples: int = 10_000, level: float = 0.95
) -> Interval:
    """Return the interval of the mean of ``values``; all else as in `paired_interval`."""
    return _interval(_numbers(values), seed, resamples, level)


def _numbers(values: Sequence[float | None]) -> NDArray[np.float64]:
    return np.array([nan if value is None else value for value in values], np.float64)


def _interval(sample: NDArray[np.float64], seed: int, resamples: int, level: float) -> Interval:
    if resamples < 1:
        raise InputError("resamples", resamples, "1 or more")
    if not 0 < level < 1:
        raise InputError("level", level, "between 0 and 1")
    sample = sample[~np.isnan(sample)]
    if not sample.size:
        return Interval(nan, nan, nan, 0)
    outside = (1 - level) / 2
    low, high = np.quantile(_means(sample, seed, resamples), [outside, 1 - outside])
    low, high, mean = (round(float(number), _DECIMALS) for number in (low, high, sample.mean()))
    return Interval(low, high, mean, sample.size)


def _means(sample: NDArray[np.float64], seed: int, resamples: int) -> NDArray[np.float64]:
    """Return the means of ``resamples`` samples drawn from ``sample`` with replacement."""
    random = np.random.Generator(np.random.PCG64(seed))
    means = np.empty(resamples)
    rows = max(1, _BLOCK // sample.size)
    for start in range(0, resamples, rows):
        shape = (min(rows, resamples - start), sample.size)
        means[start : start + rows] = sample[random.integers(sample.size, size=shape)].mean(axis=1)
    return means
