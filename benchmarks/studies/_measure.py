"""What the studies of building and searching share: quality, time, and how sure a difference is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import inf, nan
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks._data import data_folder
from benchmarks.studies._pool import PoolShare
from benchmarks.studies._show import Study
from benchmarks.studies._stores import open_store
from bridgerag.embedding import open_embedder
from bridgerag.evaluation.answering import open_generator
from bridgerag.evaluation.asking import Asker
from bridgerag.evaluation.bootstrap import paired_interval
from bridgerag.evaluation.dataset import Dataset, load_dataset
from bridgerag.evaluation.judging import Judge
from bridgerag.evaluation.remember import RememberingEmbedder
from bridgerag.evaluation.scope import by_scope
from bridgerag.evaluation.variants import Variant
from bridgerag.settings import Settings
from bridgerag.types import Context, Depth

__all__ = [
    "BUDGET_TOKENS",
    "LONG_AND_SHORT",
    "NOTE",
    "Data",
    "Way",
    "data_sets",
    "rows",
    "setting_study",
]

BUDGET_TOKENS = 4000
DEPTHS = (0, 2)  # for studies of other settings: 0 shows them alone, 2 is the usual one
NOTE = (
    "Differences are in points, against the usual setting on the same questions, with the 95 % "
    "interval of a paired bootstrap; a tie is an interval that holds 0. Time is that of a search "
    "without embedding the question: the best of three, the median over the questions. Pool: the "
    "median share of the chunks that are candidates; at 100 % bridge ranks as naive does, or as "
    "hybrid where no entity leads anywhere. In `aa_lcr` a question is asked of its own documents, "
    "in `aa_lcr, whole` of all."
)
LONG_AND_SHORT = ("aa_lcr", "musique")  # data sets
_LONG = {"aa_lcr"}
_K, _K_LONG = 20, 50  # the latter is more than the budget holds
_TURNS = 3

Value: TypeAlias = float | str  # of what is under study


@dataclass(frozen=True)
class Way:
    """One setting under study.

    Attributes:
        depth: of searches.
        choice: settings of the store, where they differ from the usual ones.
    """

    depth: Depth = 2
    choice: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """What one way gave.

    Attributes:
        quality: a share a question; NaN for those that cannot be judged.
        ms: how long a search took, the best of three a question.
        pool: the share of the chunks searched that are candidates, one a question.
    """

    quality: NDArray[np.float64]
    ms: NDArray[np.float64]
    pool: NDArray[np.float64]
    size_mb: float


@dataclass
class Data:
    """A data set and its stores.

    Passages are judged by recall@5. Long documents, of which each question has its own, are
    searched in those alone and judged by whether a prompt of `BUDGET_TOKENS` holds the answer.

    Attributes:
        whole: search long documents all together, and judge them as passages are.
    """

    name: str
    stores: Path
    embedding: str = "minilm"
    whole: bool = False

    @property
    def measure(self) -> str:
        return "answer in context" if self._apart else "recall@5"

    def measured(self, ways: Mapping[Value, Way]) -> dict[Value, Measured]:
        """Return what `bridge` finds in each way; they take turns at every question."""
        dataset = load_dataset(data_folder(self.name), scope="gold" if self._apart else "all")
        embedder = RememberingEmbedder(open_embedder(self.embedding))
        generator = open_generator("none", embedder, BUDGET_TOKENS)
        with ExitStack() as stack:
            bridges = {
                str(value): stack.enter_context(
                    open_store(self.name, self.stores, embedder, way.choice)
                )
                for value, way in ways.items()
            }
            asker = Asker(bridges, generator, Judge(overlap=False), _K_LONG if self._long else _K)
            variants = [Variant(str(v), "bridge", way.depth, str(v)) for v, way in ways.items()]
            found = list(self._ask(dataset, asker, variants))
            sizes = [bridge.status().size_bytes / 1e6 for bridge in bridges.values()]
        table = np.array(found, np.float64)  # questions, ways, (quality, ms, pool)
        return {
            v: Measured(*table[:, i].T, size)
            for i, (v, size) in enumerate(zip(ways, sizes, strict=True))
        }

    def _ask(
        self, dataset: Dataset, asker: Asker, variants: Sequence[Variant]
    ) -> Iterator[list[tuple[float, float, float]]]:
        """Yield for each question the quality, milliseconds and pool of every variant."""
        key = "in_context" if self._apart else "recall@5"
        for where, items in by_scope(dataset.questions):
            for item in items:
                first = [asker.search(variant, item, where) for variant in variants]  # warms up
                best = {variant.label: inf for variant in variants}
                for turn in range(_TURNS):
                    for variant in [*variants[turn:], *variants[:turn]]:
                        ms = _searching_ms(asker.search(variant, item, where))
                        best[variant.label] = min(best[variant.label], ms)
                yield [
                    (
                        asker.outcome(variant, item, found, None).metrics.get(key, nan),
                        best[variant.label],
                        _pool(asker, variant, found, where),
                    )
                    for variant, found in zip(variants, first, strict=True)
                ]

    @property
    def _long(self) -> bool:
        return self.name in _LONG

    @property
    def _apart(self) -> bool:
        return self._long and not self.whole


def _pool(asker: Asker, variant: Variant, found: Context, where: str | None) -> float:
    bridge, pool = asker.bridges[variant.store], PoolShare()
    bridge.use("pool", pool)
    bridge.search(found.question, k=asker.k, depth=found.depth, where=where, method="pool")
    return pool.share


def _searching_ms(context: Context) -> float:
    return context.timings_ms["total"] - context.timings_ms["embed"]


def data_sets(names: Sequence[str], stores: Path, embedding: str) -> dict[str, Data]:
    """Return the data sets by label: long documents twice, searched apart and all together."""
    sets = {name: Data(name, stores, embedding) for name in names}
    whole = {
        f"{name}, whole": Data(name, stores, embedding, True) for name in names if name in _LONG
    }
    return sets | whole


def setting_study(
    setting: str,
    values: Sequence[Value],
    title: str,
    note: str,
    stores: Path,
    names: Sequence[str],
    embedding: str,
) -> Study:
    """Return one row a data set, depth and value of a setting of the store."""
    table = []
    for name, data in data_sets(names, stores, embedding).items():
        for depth in DEPTHS:
            ways = {value: Way(depth, {setting: value}) for value in values}
            usual = getattr(Settings(), setting)
            table += rows(
                f"{name}, depth {depth}", data.measure, setting, data.measured(ways), usual
            )
    drawn = ["quality %", "pool %", "median, ms"]
    return Study(setting, title, table, setting, drawn, series="data", note=f"{NOTE} {note}")


def rows(
    label: str, measure: str, setting: str, found: Mapping[Value, Measured], usual: Value
) -> list[dict[str, float | int | str]]:
    """Return a row a value of ``setting``, each compared with the ``usual`` one."""
    base = found[usual].quality
    return [
        {
            "data": label,
            "measure": measure,
            "questions": int((~np.isnan(one.quality)).sum()),
            setting: value,
            "quality %": 100 * float(np.nanmean(one.quality)),
            **_compared(one.quality, base, value == usual),
            "pool %": 100 * float(np.median(one.pool)),
            "median, ms": float(np.median(one.ms)),
            "store, MB": one.size_mb,
        }
        for value, one in found.items()
    ]


def _compared(
    own: NDArray[np.float64], base: NDArray[np.float64], usual: bool
) -> dict[str, float | str]:
    interval = paired_interval(own.tolist(), base.tolist(), seed=0)
    verdict = (
        "usual" if usual else "tie" if interval.tie else "better" if interval.mean > 0 else "worse"
    )
    points = {"difference": interval.mean, "low": interval.low, "high": interval.high}
    return {**{name: 100 * value for name, value in points.items()}, "verdict": verdict}
