"""A run as comma-separated values: one row a method and measure, numbers as they are."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from math import isnan

from bridgerag.evaluation.report.model import Report, difference

__all__ = ["csv_table"]

_HEAD = ("dataset", "method", "metric", "unit", "value", "difference", "low", "high", "tie")
_DIGITS = 6  # significant


def csv_table(reports: Sequence[Report]) -> str:
    """Return the runs as one table, with a heading. Shares lie in [0, 1].

    ``difference``, its interval from ``low`` to ``high``, and ``tie`` (``true`` or ``false``) are
    against the baseline, empty where nothing is compared. What was not measured has no row.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEAD)
    for report in reports:
        writer.writerows(_rows(report))
    return text.getvalue()


def _rows(report: Report) -> Iterator[list[str]]:
    for row in report.summary.rows:
        for column in report.summary.columns:
            cell = row.cells[column.key]
            if isnan(cell.value):
                continue
            unit = "share" if column.unit == "%" else column.unit
            compared = ["", "", "", ""]
            by = difference(report.summary, row, column)
            if by is not None:
                numbers = [_written(value) for value in (by, cell.low, cell.high)]
                compared = [*numbers, "true" if cell.tie else "false"]
            name = report.summary.dataset
            yield [name, row.label, column.key, unit, _written(cell.value), *compared]


def _written(value: float) -> str:
    return f"{value:.{_DIGITS}g}"
