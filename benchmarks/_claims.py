"""The paper's claims, each tested on our numbers: which hold, which do not, which stay open.

A claim is a list of comparisons: one method against another in one measure, on the same questions.
A comparison is decided by the paired bootstrap interval of its difference, or of its ratio for
times, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, isnan, log, nan

import numpy as np
from numpy.typing import NDArray

from benchmarks._paper import METRICS, SECONDS
from bridgerag.evaluation.bootstrap import paired_interval
from bridgerag.evaluation.records import Run

__all__ = ["CLAIMS", "Claim", "Comparison", "Measured", "beats_none", "is_faster", "pools_pay"]

MS, IN_CONTEXT = "ms", "in_context"
OURS = "bridge d=3"  # the paper's best
RIVALS = ("naive", "raptor", "tree", "graph")
FACTOR = 1.67  # the least of the four ratios in Table 1, "1.7x-1.9x" in the abstract

Values = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Measured:
    """What was measured on one data set, and what the paper has for it.

    Attributes:
        values: by method and metric, one number a question; under `MS` its median search time.
        paper: Table 1 by method and metric; empty for data that the paper does not have.
        seed: of the bootstrap.
    """

    values: Mapping[str, Values]
    paper: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    seed: int = 0

    @classmethod
    def of(cls, run: Run, paper: Mapping[str, Mapping[str, float]]) -> Measured:
        """Return what a run gave, of the methods that answered every question."""
        took = {
            (row.method, row.question): float(np.median(row.ms.get("total", nan)))
            for row in run.latencies
        }
        values = {
            label: {
                **{metric: run.values(label, metric) for metric in (*METRICS, IN_CONTEXT)},
                MS: np.array([took.get((label, item.id), nan) for item in run.questions]),
            }
            for label in run.methods
        }
        return cls(values, paper, int(run.settings["seed"]))


@dataclass(frozen=True)
class Comparison:
    """``first``, which the claim calls better, against ``second``.

    Attributes:
        value: mean difference in the metric, or for `MS` how many times as long ``second`` takes.
        low, high: the 95 % interval of that.
        least: what the interval must exceed: 0 for a difference, a factor for `MS`.
        paper: the same value from Table 1; NaN where it has none.
    """

    first: str
    second: str
    metric: str
    value: float
    low: float
    high: float
    least: float
    paper: float

    @property
    def verdict(self) -> str:
        """``"better"``, ``"worse"``, or ``"tie"`` where the interval holds ``least``."""
        if self.low > self.least:
            return "better"
        return "worse" if self.high < self.least else "tie"


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, and what became of it.

    Attributes:
        missing: methods that it speaks of and that were not run.
    """

    says: str
    comparisons: Sequence[Comparison]
    missing: Sequence[str] = ()

    @property
    def verdict(self) -> str:
        """``"holds"`` if every comparison is better, ``"does not hold"`` if one is worse.

        With ties and no loss it is ``"not shown"``.
        """
        found = {comparison.verdict for comparison in self.comparisons}
        if not found:
            return "not tested"
        if "worse" in found:
            return "does not hold"
        if "tie" in found:
            return "not shown"
        return "holds as far as tested" if self.missing else "holds"

    def having(self, verdict: str) -> list[Comparison]:
        """Return the comparisons with that verdict."""
        return [found for found in self.comparisons if found.verdict == verdict]

    @property
    def against_itself(self) -> list[Comparison]:
        """The comparisons in which the paper's own table contradicts the claim."""
        return [found for found in self.comparisons if found.paper <= found.least]


# ---- the claims ---------------------------------------------------------------------------------


def beats_all(measured: Measured) -> Claim:
    """Section 4.5: "Bridge-RAG achieves the best performance across both datasets"."""
    says = f"{OURS} beats naive, raptor, tree and graph in every text metric"
    return _in_metrics(says, measured, [(OURS, rival) for rival in RIVALS])


def grows_with_depth(measured: Measured) -> Claim:
    """Section 4.5: "The accuracy improvement with increasing depth ..."."""
    steps = [("bridge d=2", "bridge d=1"), ("bridge d=3", "bridge d=2")]
    return _in_metrics("every text metric grows from depth 1 to 2 to 3", measured, steps)


def is_faster(measured: Measured) -> Claim:
    """Section 4.5: the time of retrieval against that of tree and graph."""
    says = f"{OURS} retrieves faster than tree and graph"
    return _faster(says, measured, ("tree", "graph"))


def is_much_faster(measured: Measured) -> Claim:
    """The abstract: "1.7x-1.9x faster"."""
    says = f"{OURS} retrieves at least {FACTOR} times as fast as tree and graph"
    return _faster(says, measured, ("tree", "graph"), FACTOR)


def pools_pay(measured: Measured) -> Claim:
    """Section 4.5: ranking a pool of candidates in place of all chunks "greatly speeds up"."""
    says = f"{OURS} retrieves faster than naive, whose time the paper leaves out"
    return _faster(says, measured, ("naive",))


def raptor_is_below(measured: Measured) -> Claim:
    """Section 4.5: "RAPTOR underperforms Bridge-RAG on both datasets"."""
    return _in_metrics(f"raptor is below {OURS}", measured, [(OURS, "raptor")])


def gain_is_not_the_prompt(measured: Measured) -> Claim:
    """Appendix B.1: there the baselines get a simpler prompt than Bridge-RAG; here all get one."""
    says = f"the gain of {OURS} over naive remains when both get the same prompt"
    return _in_metrics(says, measured, [(OURS, "naive")])


def finds_answers(measured: Measured) -> Claim:
    """No claim of the paper, but the fairest test of it: it does not matter who writes answers."""
    says = f"{OURS} brings the answer into more prompts than naive, raptor, tree and graph"
    return _in_metrics(says, measured, [(OURS, rival) for rival in RIVALS], [IN_CONTEXT])


def beats_none(measured: Measured) -> Claim:
    """No claim of the paper, but what each of them rests on: that retrieving helps at all."""
    says = "answers from what was retrieved beat those from nothing"
    return _in_metrics(says, measured, [(OURS, "none"), ("naive", "none")])


CLAIMS: Sequence[Callable[[Measured], Claim]] = (
    beats_all,
    grows_with_depth,
    is_faster,
    is_much_faster,
    pools_pay,
    raptor_is_below,
    gain_is_not_the_prompt,
    finds_answers,
    beats_none,
)


# ---- comparing ----------------------------------------------------------------------------------


def _in_metrics(
    says: str,
    measured: Measured,
    pairs: Sequence[tuple[str, str]],
    metrics: Iterable[str] = METRICS,
) -> Claim:
    known = _known(measured, pairs)
    found = [_difference(measured, *pair, metric) for pair in known for metric in metrics]
    return Claim(says, [one for one in found if not isnan(one.value)], _missing(measured, pairs))


def _faster(says: str, measured: Measured, rivals: Sequence[str], least: float = 1.0) -> Claim:
    pairs = [(OURS, rival) for rival in rivals]
    found = [_ratio(measured, *pair, least) for pair in _known(measured, pairs)]
    return Claim(says, [one for one in found if not isnan(one.value)], _missing(measured, pairs))


def _known(measured: Measured, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [pair for pair in pairs if measured.values.keys() >= set(pair)]


def _missing(measured: Measured, pairs: Sequence[tuple[str, str]]) -> list[str]:
    named = dict.fromkeys(label for pair in pairs for label in pair)
    return [label for label in named if label not in measured.values]


def _difference(measured: Measured, first: str, second: str, metric: str) -> Comparison:
    own, other = (measured.values[label].get(metric, _NOTHING) for label in (first, second))
    interval = paired_interval(own.tolist(), other.tolist(), seed=measured.seed)
    told = [measured.paper.get(label, {}).get(metric, nan) for label in (first, second)]
    bounds = interval.mean, interval.low, interval.high
    return Comparison(first, second, metric, *bounds, 0.0, told[0] - told[1])


def _ratio(measured: Measured, first: str, second: str, least: float) -> Comparison:
    """Compare times by the geometric mean of the ratios on the same questions."""
    own, other = (np.log(measured.values[label].get(MS, _NOTHING)) for label in (first, second))
    interval = paired_interval(other.tolist(), own.tolist(), seed=measured.seed)
    told = [measured.paper.get(label, {}).get(SECONDS, nan) for label in (first, second)]
    bounds = (exp(bound) for bound in (interval.mean, interval.low, interval.high))
    return Comparison(first, second, MS, *bounds, least, exp(log(told[1]) - log(told[0])))


_NOTHING = np.empty(0)
