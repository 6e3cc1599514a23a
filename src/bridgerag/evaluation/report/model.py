"""What a report shows of one run: small, without a word of any document or question, and storable.

Every form of a report is drawn from this record, so the same numbers stand in all of them. As JSON
it is what `benchmarks/results/` keeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bridgerag.evaluation.columns import Column
from bridgerag.evaluation.summary import Cell, Row, Summary

__all__ = ["PERCENTILES", "Report", "difference", "verdict"]

PERCENTILES = (5, 25, 50, 75, 95, 99)
_HEADLINE = ("recall@5", "in_context", "f1")
_DRAWN = 2  # of these, the first that were measured
_OURS = ("walk", "bridge")  # what stands for us first; every other method is a baseline


@dataclass(frozen=True, slots=True)
class Report:
    """One run over one data set, its method by method figures in ``summary``.

    Attributes:
        fingerprint: of questions and documents: tells whether a rerun has the same.
        command: runs the same comparison again.
        conditions: what was the same for all methods, in words: model, k, budget, seed, machine.
        depths: of the methods that walk a forest, by label.
        percentiles: `PERCENTILES` of a search in ms, without embedding, by label.
        leaks: signs of leaked answers, a sentence each.
    """

    summary: Summary
    fingerprint: str
    documents: int
    version: str
    command: str
    conditions: Mapping[str, str] = field(default_factory=dict)
    depths: Mapping[str, int] = field(default_factory=dict)
    percentiles: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    leaks: tuple[str, ...] = ()

    @property
    def headline(self) -> list[Column]:
        """The columns that are drawn, the most telling first; at least one where any is known."""
        chosen = [c for key in _HEADLINE for c in self.summary.columns if c.key == key]
        return chosen[:_DRAWN] or [c for c in self.summary.columns if c.unit == "%"][:1]

    def ours(self, label: str) -> bool:
        """Tell whether a label is this package's own method rather than a baseline."""
        return _method(label) in _OURS

    def series(self, label: str) -> str:
        """Return the label without its depth: rows of one series form a curve."""
        return label.replace(f" d={self.depths.get(label)}", "")

    def main_row(self) -> Row | None:
        """Return the row that stands for us: the first of our methods at depth 2, or None."""
        for method in _OURS:
            rows = [row for row in self.summary.rows if _method(row.label) == method]
            for row in rows:
                if self.depths.get(row.label, 2) == 2:
                    return row
            if rows:
                return rows[0]
        return None


def _method(label: str) -> str:
    return label.partition(" ")[0]


def verdict(cell: Cell) -> str:
    """Return ``better``, ``worse`` or ``tie`` against the baseline; "" where nothing is known."""
    if cell.tie:
        return "tie"
    return "" if cell.better is None else "better" if cell.better else "worse"


def difference(summary: Summary, row: Row, column: Column) -> float | None:
    """Return by how much a row's value is above the baseline's; None where nothing is compared."""
    cell = row.cells.get(column.key)
    base = next((other for other in summary.rows if other.label == summary.baseline), None)
    if base is None or cell is None or not verdict(cell):
        return None
    return cell.value - base.cells[column.key].value
