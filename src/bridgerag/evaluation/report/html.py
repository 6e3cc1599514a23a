"""One HTML page that needs nothing else: no script, no network, styles and drawings inside."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from math import isnan

from bridgerag.evaluation.columns import Column
from bridgerag.evaluation.report.figures import figures
from bridgerag.evaluation.report.findings import (
    against_baseline,
    losses,
    measured_on,
    wins,
)
from bridgerag.evaluation.report.html_tables import explanations, tables
from bridgerag.evaluation.report.markup import Markup, element
from bridgerag.evaluation.report.model import Report, difference
from bridgerag.evaluation.report.wording import change, listed, milliseconds, quantity
from bridgerag.evaluation.summary import Row

__all__ = ["html"]


def html(reports: Sequence[Report]) -> str:
    """Return a page on one or more runs. The same reports give the same bytes."""
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    names = listed(list(dict.fromkeys(report.summary.dataset for report in reports)))
    many = len(reports) > 1
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(style)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", f"Retrieval methods on {names}"),
        element("style", Markup(style)),
    )
    links = [element("a", r.summary.dataset, href=f"#d{place}") for place, r in enumerate(reports)]
    top = element(
        "header",
        element("p", "bridgerag evaluation", class_="kicker"),
        element("h1", f"Retrieval methods on {names}"),
        *([element("nav", *links, aria_label="Data sets")] if many else []),
    )
    level = 3 if many else 2  # of the headings inside a report
    sections = [_report(report, f"d{place}", level) for place, report in enumerate(reports)]
    body = element("body", top, element("main", *sections))
    return "<!DOCTYPE html>\n" + element("html", head, body, lang="en") + "\n"


def _policy(style: str) -> str:
    """Return a policy that allows this style sheet and nothing else: no script, no request."""
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _report(report: Report, key: str, level: int) -> Markup:
    title = element("h2", report.summary.dataset, class_="dataset")
    return element(
        "article",
        *([title] if level > 2 else []),
        element("p", measured_on(report), class_="lead"),
        _cards(report),
        _in_short(report, level),
        *_figures(report, key, level),
        *tables(report, level),
        *explanations(report, level),
        id=key,
    )


def _cards(report: Report) -> Markup:
    row = report.main_row()
    cards = []
    for column in report.headline if row else ():
        cell = row.cells[column.key] if row else None
        if row and cell and not isnan(cell.value):
            title = f"{column.title}, {row.label}"
            cards.append(
                (title, f"{quantity(cell.value, column.unit)} %", _note(report, row, column))
            )
    if row and row.label in report.percentiles:
        shown = milliseconds(report.percentiles[row.label][2]) + " ms"
        cards.append((f"Median search, {row.label}", shown, "without embedding"))
    found = str(len(report.leaks)) if report.leaks else "none"
    cards.append(("Signs of leaked answers", found, "see below" if report.leaks else "looked for"))
    return element(
        "ul",
        *(
            element("li", element("p", title), element("strong", value), element("p", note))
            for title, value, note in cards
        ),
        class_="cards",
    )


def _note(report: Report, row: Row, column: Column) -> str:
    by, base = difference(report.summary, row, column), report.summary.baseline
    if by is None:
        return ""
    if row.cells[column.key].tie:
        return f"a tie with {base}"
    return f"{change(by, column.unit)} points to {base}"


def _in_short(report: Report, level: int) -> Markup:
    said = [wins(report), *against_baseline(report)]
    lost = losses(report)
    parts = [
        element(f"h{level}", "In short", class_="section"),
        *(element("p", each) for each in said if each),
    ]
    if lost:
        parts += [
            element(f"h{level + 1}", "Where we lose"),
            element("p", "Best where none of our methods is, with our nearest:"),
            element("ul", *(element("li", sentence) for sentence in lost)),
        ]
    return element("section", *parts, class_="prose")


def _figures(report: Report, key: str, level: int) -> list[Markup]:
    return [
        element(
            "section",
            element(f"h{level}", figure.heading, class_="section"),
            element("p", figure.reading, class_="reading"),
            element(
                "div",
                *(
                    element("figure", element("figcaption", caption), plot)
                    for caption, plot in figure.plots
                ),
                class_="figures",
            ),
        )
        for figure in figures(report, key)
    ]
