"""What the numbers say in words: who is best, what differs from the baseline, where we lose.

Nothing here praises: each sentence follows from the cells by a fixed rule.
"""

from __future__ import annotations

from math import isnan

from bridgerag.evaluation.columns import Column
from bridgerag.evaluation.report.model import Report, difference, verdict
from bridgerag.evaluation.report.wording import change, counted, listed, quantity
from bridgerag.evaluation.summary import Row

__all__ = ["against_baseline", "best", "losses", "measured_on", "tie_meaning", "wins"]

_NO_METHOD = "none"  # answers without retrieval: cheapest in all, and not what is compared
_COSTS = ("total p50", "total p95", "prompt_tokens", "build_seconds", "llm_tokens", "index_bytes")


def measured_on(report: Report) -> str:
    """Return what was compared on what, in a sentence."""
    summary = report.summary
    return (
        f"{counted(len(summary.rows), 'method')} and variants, compared on "
        f"{counted(summary.questions, 'question')} over {counted(report.documents, 'document')}."
    )


def tie_meaning(report: Report) -> str:
    """Return what a difference, its interval, and a tie are."""
    base, level = report.summary.baseline, 100 * report.summary.level
    return (
        f"A difference is to {base} on the same questions, in points. Its interval holds the true "
        f"difference with {level:g} % confidence (paired bootstrap over the questions). Where the "
        "interval holds 0, no difference has been shown: a tie. The best value of a column is "
        "marked, as printed; whether it differs from the second best is not tested."
    )


def best(report: Report, column: Column) -> list[Row]:
    """Return the rows with the best value of a column, as printed.

    Empty where nobody can be best: a column that is only part of another, or all values alike.
    """
    if column.unit != "%" and column.key not in _COSTS:
        return []
    rows = [row for row in report.summary.rows if row.label != _NO_METHOD]
    values = {row.label: row.cells[column.key].value for row in rows if column.key in row.cells}
    shown = {at: quantity(value, column.unit) for at, value in values.items() if not isnan(value)}
    if len(set(shown.values())) < 2:
        return []
    choose = max if column.higher else min
    first = shown[choose(shown, key=lambda label: values[label])]
    return [row for row in rows if shown.get(row.label) == first]


def against_baseline(report: Report) -> list[str]:
    """Return in what our main method is better and worse than the baseline, and in what neither."""
    row, base = report.main_row(), report.summary.baseline
    if row is None:
        return []
    parts: dict[str, list[str]] = {"better": [], "worse": [], "tie": []}
    for column in report.summary.columns:
        cell = row.cells.get(column.key)
        by = difference(report.summary, row, column)
        if cell is not None and by is not None:
            shown = "" if cell.tie else f" ({change(by, column.unit)})"
            parts[verdict(cell)].append(column.title + shown)
    told = {
        "better": f"{row.label} is better than {base}:",
        "worse": f"{row.label} is worse than {base}:",
        "tie": f"No difference between {row.label} and {base} is shown:",
    }
    return [f"{told[name]} {listed(found)}." for name, found in parts.items() if found]


def wins(report: Report) -> str:
    """Return in which columns a method of ours is best, in a sentence; "" where none was run."""
    judged = _judged(report)
    if not judged or report.main_row() is None:
        return ""
    found = [column.title for column, rows in judged if any(report.ours(r.label) for r in rows)]
    rows = sum(report.ours(row.label) for row in report.summary.rows)
    start = f"Of {counted(len(judged), 'column')} in which methods differ, one of our {rows} rows"
    if not found:
        return f"{start} has the best value in none."
    return f"{start} has the best value, alone or with others, in {len(found)}: {listed(found)}."


def losses(report: Report) -> list[str]:
    """Return for each method that is best where none of ours is, in what and by how much."""
    found: dict[str, list[str]] = {}
    for column, leaders in _judged(report):
        near = _nearest(report, column)
        if near is None or any(report.ours(row.label) for row in leaders):
            continue
        value, mine = (
            quantity(row.cells[column.key].value, column.unit) for row in (leaders[0], near)
        )
        unit = f" {column.unit}" if column.unit in ("ms", "s") else ""
        tie = leaders[0].label == report.summary.baseline and near.cells[column.key].tie
        found.setdefault(listed([row.label for row in leaders]), []).append(
            f"{column.title} ({value}{unit}; {near.label} {mine}{unit}{', a tie' if tie else ''})"
        )
    return [f"{leaders}: {listed(columns)}." for leaders, columns in found.items()]


def _nearest(report: Report, column: Column) -> Row | None:
    """Return the best of our rows in a column."""
    rows = [row for row in report.summary.rows if report.ours(row.label)]
    rows = [row for row in rows if not isnan(row.cells[column.key].value)]
    choose = max if column.higher else min
    return choose(rows, key=lambda row: row.cells[column.key].value, default=None)


def _judged(report: Report) -> list[tuple[Column, list[Row]]]:
    found = [(column, best(report, column)) for column in report.summary.columns]
    return [(column, rows) for column, rows in found if rows]
