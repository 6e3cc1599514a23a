"""The tables of the HTML page, and the explanations below them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from math import isnan

from bridgerag.evaluation.columns import Column
from bridgerag.evaluation.report.findings import best, tie_meaning
from bridgerag.evaluation.report.markup import Markup, element
from bridgerag.evaluation.report.meanings import PARTS, meanings
from bridgerag.evaluation.report.model import Report, difference, verdict
from bridgerag.evaluation.report.wording import change, heading, interval, quantity
from bridgerag.evaluation.summary import Row

__all__ = ["explanations", "tables"]


def tables(report: Report, level: int) -> Iterator[Markup]:
    """Yield one section with one table for each part of the columns; ``level`` is its heading's."""
    for part, columns in groupby(report.summary.columns, key=lambda column: column.part):
        yield element(
            "section", _heading(PARTS[part], level), _table(report, PARTS[part], list(columns))
        )


def explanations(report: Report, level: int) -> Iterator[Markup]:
    """Yield what one must know to trust the numbers, and to have them again."""
    for title, part in _told(report).items():
        yield element("section", _heading(title, level), part, class_="prose")


def _told(report: Report) -> dict[str, Markup]:
    summary = report.summary
    data = f"{summary.dataset}, fingerprint {report.fingerprint}"
    measured = {"Data": data, **report.conditions, "Version": f"bridgerag {report.version}"}
    told = {"What the columns mean": _definitions(meanings(summary.columns))}
    if summary.baseline:
        told["What a tie is"] = element("p", tie_meaning(report))
    told["Leaked answers"] = _list(report.leaks or ("No sign of any was found.",))
    if summary.notes:
        told["What else to know"] = _list(summary.notes)
    told["How it was measured"] = _definitions(measured)
    told["Run it again"] = element("pre", element("code", report.command), tabindex=0)
    return told


def _table(report: Report, title: str, columns: list[Column]) -> Markup:
    leaders = {column.key: best(report, column) for column in columns}
    head = element(
        "tr",
        element("th", "Method", scope="col"),
        *(element("th", heading(column), scope="col") for column in columns),
    )
    body = [
        element(
            "tr",
            element("th", row.label, scope="row"),
            *(_cell(report, row, column, row in leaders[column.key]) for column in columns),
            class_=_class(report, row),
        )
        for row in report.summary.rows
    ]
    parts = (element("caption", title), element("thead", head), element("tbody", *body))
    scroll = {"class_": "scroll", "role": "region", "aria_label": title, "tabindex": 0}
    return element("div", element("table", *parts), **scroll)


def _cell(report: Report, row: Row, column: Column, leads: bool) -> Markup:
    cell = row.cells.get(column.key)
    if cell is None or isnan(cell.value):
        return element("td", element("span", "–", title="not measured"))
    value = quantity(cell.value, column.unit)
    parts = [element("strong", value, title="best") if leads else element("span", value)]
    by = difference(report.summary, row, column)
    if by is not None:
        said = "tie" if cell.tie else change(by, column.unit)
        within = element("span", interval(cell, column.unit))
        parts.append(element("small", element("b", said), within, class_=verdict(cell)))
    return element("td", *parts)


def _class(report: Report, row: Row) -> str | None:
    if report.ours(row.label):
        return "ours"
    return "naive" if row.label == report.summary.baseline else None


def _definitions(parts: Mapping[str, str]) -> Markup:
    pairs = (
        element("div", element("dt", name), element("dd", text)) for name, text in parts.items()
    )
    return element("dl", *pairs)


def _list(sentences: tuple[str, ...]) -> Markup:
    return element("ul", *(element("li", sentence) for sentence in sentences))


def _heading(title: str, level: int) -> Markup:
    return element(f"h{level}", title, class_="section")
