"""From a run to the rows of a table: means, intervals against the baseline, costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import nan

import numpy as np
from numpy.typing import NDArray

from bridgerag.evaluation.bootstrap import paired_interval
from bridgerag.evaluation.columns import COLUMNS, QUALITY, QUANTILES, STAGES, Column
from bridgerag.evaluation.records import Run
from bridgerag.evaluation.remarks import remarks

__all__ = ["Cell", "Group", "Row", "Summary", "summarize", "summary_form"]

_BASELINE = "naive"


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a table.

    Attributes:
        value: in the column's unit; NaN where the measure does not apply.
        low: of the interval of the difference to the baseline, in the same unit; NaN without one.
        high: the same.
        tie: whether that interval holds 0: no difference has been shown.
        better: whether it is better than the baseline, beyond chance; None for a tie, and where
            nothing was compared.
    """

    value: float
    low: float = nan
    high: float = nan
    tie: bool = False
    better: bool | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One method; a cell for each of the summary's columns."""

    label: str
    cells: Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Group:
    """The quality of all methods on the questions of one kind, or with one number of hops.

    Attributes:
        by: ``"kind"`` or ``"hops"``.
        rows: cells for the quality columns only, without intervals.
    """

    by: str
    name: str
    questions: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A run as a table.

    Attributes:
        columns: those for which at least one method has a value, in the order of `COLUMNS`.
        rows: in the order of the run's methods.
        baseline: the row that intervals compare with; None where it was not run.
        groups: empty where the questions are all of one kind.
        notes: what a reader must know to judge the table, a sentence each.
    """

    dataset: str
    questions: int
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    baseline: str | None
    level: float
    groups: tuple[Group, ...] = ()
    notes: tuple[str, ...] = field(default=())


def summarize(
    run: Run, *, baseline: str = _BASELINE, resamples: int = 10_000, level: float = 0.95
) -> Summary:
    """Return the table of a run.

    Args:
        baseline: the label that quality is compared with, question by question.
        resamples: of the bootstrap; the run's seed makes it repeatable.
        level: of the intervals.

    Cost: for each method and metric, ``resamples`` times the questions, at about 5 ns.
    """
    against = baseline if baseline in run.methods else None
    values = {
        (label, column.key): run.values(label, column.key)
        for label in run.methods
        for column in QUALITY
    }
    rows = []
    for label in run.methods:
        cells: dict[str, Cell] = {}
        for column in QUALITY:
            own = values[label, column.key]
            cells[column.key] = Cell(_mean(own))
            if against is not None and against != label:
                base = values[against, column.key]
                cells[column.key] = _compared(run, own, base, column, resamples, level)
        cells |= {name: Cell(value) for name, value in _costs(run, label).items()}
        rows.append(Row(label, cells))
    shown = [c for c in COLUMNS if any(not math.isnan(row.cells[c.key].value) for row in rows)]
    return Summary(
        dataset=str(run.dataset["name"]),
        questions=len(run.questions),
        columns=tuple(shown),
        rows=tuple(rows),
        baseline=against,
        level=level,
        groups=tuple(_groups(run, values)) if rows else (),
        notes=tuple(remarks(run, baseline, against is not None)),
    )


def summary_form(summary: Summary) -> dict[str, object]:
    """Return the summary as plain values for JSON, NaN as None."""

    def cells(row: Row) -> dict[str, object]:
        return {
            key: {
                "value": _plain(cell.value),
                "low": _plain(cell.low),
                "high": _plain(cell.high),
                "tie": cell.tie,
                "better": cell.better,
            }
            for key, cell in row.cells.items()
            if any(column.key == key for column in summary.columns)
        }

    return {
        "dataset": summary.dataset,
        "questions": summary.questions,
        "baseline": summary.baseline,
        "level": summary.level,
        "columns": [
            {"key": c.key, "title": c.title, "unit": c.unit, "part": c.part, "higher": c.higher}
            for c in summary.columns
        ],
        "methods": {row.label: cells(row) for row in summary.rows},
        "groups": [
            {
                "by": group.by,
                "name": group.name,
                "questions": group.questions,
                "methods": {
                    row.label: {key: _plain(cell.value) for key, cell in row.cells.items()}
                    for row in group.rows
                },
            }
            for group in summary.groups
        ],
        "notes": list(summary.notes),
    }


# ---- cells --------------------------------------------------------------------------------------


def _compared(
    run: Run,
    own: NDArray[np.float64],
    base: NDArray[np.float64],
    column: Column,
    resamples: int,
    level: float,
) -> Cell:
    seed = int(run.settings["seed"])
    pairs = own.tolist(), base.tolist()
    interval = paired_interval(*pairs, seed=seed, resamples=resamples, level=level)
    if math.isnan(interval.mean):
        return Cell(_mean(own))
    better = None if interval.tie else (interval.mean > 0) == column.higher
    return Cell(_mean(own), interval.low, interval.high, interval.tie, better)


def _costs(run: Run, label: str) -> dict[str, float]:
    own, store = run.footprints[label], run.stores.get(run.store_of[label])
    built = store.seconds if store is not None and store.seconds is not None else nan
    costs = {
        f"{stage} p{q}": _quantile(run.latency(label, stage), q)
        for stage in STAGES
        for q in QUANTILES
    }
    return costs | {
        "prompt_tokens": _mean(run.values(label, "prompt_tokens")),
        "build_seconds": built + own.seconds,
        "own_seconds": own.seconds,
        "llm_tokens": float(own.llm_tokens),
        "index_bytes": float(own.size_bytes + store.size_bytes) if store is not None else nan,
        "own_bytes": float(own.size_bytes),
    }


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else nan


def _quantile(values: NDArray[np.float64], percent: int) -> float:
    return float(np.percentile(values, percent)) if values.size else nan


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


# ---- groups -------------------------------------------------------------------------------------


def _groups(run: Run, values: Mapping[tuple[str, str], NDArray[np.float64]]) -> Iterator[Group]:
    by = {
        "kind": [item.kind for item in run.questions],
        "hops": [None if item.hops is None else str(item.hops) for item in run.questions],
    }
    for name, marks in by.items():
        present = sorted({mark for mark in marks if mark is not None})
        for mark in present if len(present) > 1 else ():
            here = np.array([found == mark for found in marks])
            rows = tuple(
                Row(
                    label,
                    {c.key: Cell(_mean(values[label, c.key][here])) for c in QUALITY},
                )
                for label in run.methods
            )
            yield Group(name, mark, int(here.sum()), rows)
