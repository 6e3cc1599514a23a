"""Which plots a report has, and from which of its numbers each is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isnan

from bridgerag.evaluation.columns import Column
from bridgerag.evaluation.report.markup import Markup
from bridgerag.evaluation.report.model import Report, difference, verdict
from bridgerag.evaluation.report.row_plots import Bar, Box, Interval, bars, boxes, intervals
from bridgerag.evaluation.report.wording import counted, signed
from bridgerag.evaluation.report.xy_plots import Curve, Point, curves, scatter
from bridgerag.evaluation.summary import Row

__all__ = ["Figure", "figures"]


@dataclass(frozen=True, slots=True)
class Figure:
    """Plots that are read alike: how, and each with its caption."""

    heading: str
    reading: str
    plots: tuple[tuple[str, Markup], ...]


def figures(report: Report, key: str) -> list[Figure]:
    """Return the figures that the report has numbers for; ``key`` starts the id of each plot."""
    columns = [(f"{key}-{place}", column) for place, column in enumerate(report.headline)]
    level = 100 * report.summary.level
    found = (
        Figure(
            "Quality against latency",
            "Further up finds more, further left is faster.",
            _drawn(_against_latency(report, column, name) for name, column in columns[:2]),
        ),
        Figure(
            f"Differences to {report.summary.baseline}",
            f"The dot is the mean over the questions, the line its {level:g} % interval. A hollow "
            "dot is a tie: the line holds zero.",
            _drawn(_differences(report, column, name) for name, column in columns),
        ),
        Figure(
            "Depth",
            "How many levels a search goes up and down the forest from the abstracts that the "
            "question's entities name.",
            _drawn(_depths(report, column, name) for name, column in columns),
        ),
        Figure(
            "Kinds of questions",
            f"{columns[0][1].title if columns else ''} apart for each kind of question that the "
            "data set names.",
            _drawn(_groups(report, *columns[0]) if columns else ()),
        ),
        Figure(
            "How long a search takes",
            "Box: half of the searches. Line: nine in ten. Dot: the 99th percentile. Embedding the "
            "question is left out; it is the same for all.",
            _drawn([_latencies(report, key)]),
        ),
    )
    return [figure for figure in found if figure.plots]


_Plot = tuple[str, Markup] | None


def _drawn(plots: Iterable[_Plot]) -> tuple[tuple[str, Markup], ...]:
    return tuple(plot for plot in plots if plot)


def _values(rows: Iterable[Row], column: Column) -> dict[str, float]:
    """Return what was measured, by label, in per cent."""
    found = {row.label: 100 * row.cells[column.key].value for row in rows}
    return {label: value for label, value in found.items() if not isnan(value)}


def _against_latency(report: Report, column: Column, key: str) -> _Plot:
    values = _values(report.summary.rows, column)
    labels = [label for label in values if label in report.percentiles]
    if len(labels) < 2:
        return None
    labels.sort(key=lambda label: ("ours", "naive", "other").index(_class(report, label)))
    points = [_point(report, label, values[label]) for label in labels]
    title = f"{column.title} against latency"
    told = ", ".join(f"{point.label} {point.y:.1f} at {point.x:.3g} ms" for point in points)
    axes = "milliseconds of a median search, without embedding", f"{column.title} (%)"
    return title, scatter(f"{key}-latency", title, told, points, *axes)


def _point(report: Report, label: str, value: float) -> Point:
    """Return a method's point; the depths of one method are joined, and only the first named."""
    chain = report.series(label) if label in report.depths and report.ours(label) else ""
    depths = [report.depths[other] for other in report.depths if report.series(other) == chain]
    name, depth = label, report.depths.get(label, 0)
    if len(depths) > 1 and depth > min(depths):
        name = f"d={depth}"
    return Point(label, _class(report, label), report.percentiles[label][2], value, name, chain)


def _differences(report: Report, column: Column, key: str) -> _Plot:
    rows = []
    for row in report.summary.rows:
        by = difference(report.summary, row, column)
        if by is not None:
            cell = row.cells[column.key]
            numbers = (100 * by, 100 * cell.low, 100 * cell.high)
            rows.append(Interval(row.label, _class(report, row.label), verdict(cell), *numbers))
    if not rows:
        return None
    told = ", ".join(f"{row.label} {signed(row.value)} ({row.verdict})" for row in rows)
    title = f"{column.title}: difference to {report.summary.baseline}"
    return title, intervals(f"{key}-difference", title, told, rows, "points")


def _depths(report: Report, column: Column, key: str) -> _Plot:
    values = _values(report.summary.rows, column)
    at = [label for label in values if label in report.depths and report.ours(label)]
    lines: list[Curve] = []
    for series in dict.fromkeys(report.series(label) for label in at):
        members = [label for label in at if report.series(label) == series]
        points = tuple(sorted((report.depths[label], values[label]) for label in members))
        lines.append(Curve(series, "second" if lines else "ours", points))
    if not any(len(line.points) > 1 for line in lines):
        return None
    if report.summary.baseline in values:
        label = report.summary.baseline
        lines.append(Curve(label, "naive", ((0, values[label]),), level=True))
    told = "; ".join(
        f"{line.label}: " + ", ".join(f"{value:.1f} at {depth}" for depth, value in line.points)
        for line in lines
    )
    title = f"{column.title} by depth"
    return title, curves(f"{key}-depth", title, told, lines, "depth", f"{column.title} (%)")


def _groups(report: Report, key: str, column: Column) -> Iterator[_Plot]:
    for place, group in enumerate(report.summary.groups):
        values = _values(group.rows, column)
        rows = [Bar(label, _class(report, label), value) for label, value in values.items()]
        if rows:
            name = f"{group.name} hops" if group.by == "hops" else group.name
            title = f"{name} · {counted(group.questions, 'question')}"
            told = ", ".join(f"{row.label} {row.value:.1f}" for row in rows)
            yield title, bars(f"{key}-kind-{place}", title, told, rows, f"{column.title} (%)")


def _latencies(report: Report, key: str) -> _Plot:
    labels = sorted(report.percentiles, key=lambda label: report.percentiles[label][2])
    rows = [Box(label, _class(report, label), report.percentiles[label]) for label in labels]
    if not rows:
        return None
    told = ", ".join(f"{row.label} median {row.percentiles[2]:.3g} ms" for row in rows)
    title = "Milliseconds of a search, without embedding"
    return title, boxes(f"{key}-times", title, told, rows, "milliseconds")


def _class(report: Report, label: str) -> str:
    if report.ours(label):
        return "ours"
    return "naive" if label == report.summary.baseline else "other"
