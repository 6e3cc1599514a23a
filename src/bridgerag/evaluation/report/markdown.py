"""Tables in GitHub's Markdown, and the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from bridgerag.evaluation.columns import Column
from bridgerag.evaluation.report.findings import (
    against_baseline,
    best,
    losses,
    measured_on,
    tie_meaning,
    wins,
)
from bridgerag.evaluation.report.meanings import PARTS, meanings
from bridgerag.evaluation.report.model import Report, difference
from bridgerag.evaluation.report.wording import change, heading, interval, quantity
from bridgerag.evaluation.summary import Group, Row

__all__ = ["explained", "markdown", "plain", "section"]

_MARKUP = re.compile(r"([\\`*_\[\]<>|#~&!$])")


def markdown(reports: Sequence[Report]) -> str:
    """Return a page on one or more runs: a section each, and what the columns mean."""
    parts = ["# Retrieval methods side by side", *map(section, reports), explained(reports)]
    return "\n\n".join(parts) + "\n"


def section(report: Report, *, brief: bool = False) -> str:
    """Return a section on one run: what was found in words, the tables, how to have them again.

    Args:
        brief: only the columns that matter most; the words are about all.
    """
    summary = report.summary
    parts = [
        f"## {plain(summary.dataset)}",
        plain(measured_on(report)),
        *(plain(sentence) for sentence in (wins(report), *against_baseline(report)) if sentence),
    ]
    if lost := losses(report):
        parts += ["Best where none of ours is, with our nearest:", _bullets(lost)]
    for part, columns in groupby(_columns(report, brief), key=lambda column: column.part):
        parts += [f"### {PARTS[part]}", _table(report, list(columns))]
    for by, rows in groupby(summary.groups, key=lambda group: group.by):
        if report.headline:
            title = "number of hops" if by == "hops" else "kind of question"
            parts += [
                f"### {report.headline[0].title} by {title}",
                _groups(report, report.headline[0], list(rows)),
            ]
    parts += ["### What else to know", _bullets([*_known(report)]), _again(report)]
    return "\n\n".join(parts)


def explained(reports: Sequence[Report], *, brief: bool = False) -> str:
    """Return what the columns mean, and what a tie is."""
    columns = dict.fromkeys(c for report in reports for c in _columns(report, brief))
    compared = [tie_meaning(report) for report in reports if report.summary.baseline]
    told = [f"- **{plain(name)}**: {plain(text)}" for name, text in meanings(columns).items()]
    return "\n\n".join(
        ["## What the columns mean", "\n".join(told), *(plain(text) for text in compared[:1])]
    )


def _columns(report: Report, brief: bool) -> list[Column]:
    """Return the columns to show, never the high percentiles of single stages."""
    columns = report.summary.columns
    if brief:
        return [column for column in columns if column.brief]
    return [
        column
        for column in columns
        if column.part != "latency" or column.key.startswith("total") or column.key.endswith("p50")
    ]


def plain(text: str) -> str:
    """Return text on one line, with nothing left that Markdown or HTML would act on."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def _table(report: Report, columns: Sequence[Column]) -> str:
    leaders = {column.key: best(report, column) for column in columns}
    head = ["method", *(heading(column) for column in columns)]
    rows = [
        [plain(row.label), *(_cell(report, row, c, row in leaders[c.key]) for c in columns)]
        for row in report.summary.rows
    ]
    return _lines(head, rows)


def _cell(report: Report, row: Row, column: Column, leads: bool) -> str:
    cell = row.cells[column.key]
    value = quantity(cell.value, column.unit)
    shown = f"**{value}**" if leads else value
    by = difference(report.summary, row, column)
    if by is None:
        return shown
    said = "tie" if cell.tie else change(by, column.unit)
    return f"{shown} ({said} {interval(cell, column.unit)})"


def _groups(report: Report, column: Column, groups: Sequence[Group]) -> str:
    head = ["method", *(f"{plain(group.name)} ({group.questions:,})" for group in groups)]
    values = [{row.label: row.cells[column.key].value for row in group.rows} for group in groups]
    rows = [
        [plain(row.label), *(quantity(value[row.label], column.unit) for value in values)]
        for row in report.summary.rows
    ]
    return _lines(head, rows)


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    aligned = ["---", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, aligned, *rows))


def _known(report: Report) -> Iterator[str]:
    yield from report.leaks or ("No sign of leaked answers was found.",)
    yield from report.summary.notes
    for name, words in report.conditions.items():
        yield f"{name}: {words}."
    yield f"Data: {report.summary.dataset}, fingerprint {report.fingerprint[:16]}."
    yield f"Version: bridgerag {report.version}."


def _again(report: Report) -> str:
    command = " ".join(report.command.split())
    longest = max((len(run) for run in re.findall("`+", command)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"Run it again:\n\n{fence}sh\n{command}\n{fence}"


def _bullets(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {plain(sentence)}" for sentence in sentences)
