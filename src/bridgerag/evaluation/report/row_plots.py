"""Plots with one row a method: bars, boxes of latencies, and intervals of differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bridgerag.evaluation.report.drawing import WIDTH, Frame, group, label, line, picture
from bridgerag.evaluation.report.markup import Markup, element
from bridgerag.evaluation.report.scale import Scale
from bridgerag.evaluation.report.wording import signed, spread

__all__ = ["Bar", "Box", "Interval", "bars", "boxes", "intervals"]

_RIGHT = 18.0  # so that the last tick's text is not cut


@dataclass(frozen=True, slots=True)
class Bar:
    """One value in per cent."""

    label: str
    class_: str
    value: float


@dataclass(frozen=True, slots=True)
class Box:
    """Latencies in milliseconds, above 0: percentiles 5, 25, 50, 75, 95 and 99."""

    label: str
    class_: str
    percentiles: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Interval:
    """A difference in points and its interval; the verdict is better, worse or tie."""

    label: str
    class_: str
    verdict: str
    value: float
    low: float
    high: float


def bars(key: str, title: str, description: str, rows: Sequence[Bar], scale_title: str) -> Markup:
    """Return horizontal bars that begin at 0, each with its value."""
    frame = Frame.of([row.label for row in rows], [row.class_ for row in rows])
    room = 34.0  # for the value behind the longest bar
    scale = Scale.linear(
        [0.0, *(row.value for row in rows)], frame.left, WIDTH - _RIGHT - room, marks=4
    )
    drawn = frame.parts(scale, [f"{tick:g}" for tick in scale.ticks], scale_title)
    for place, row in enumerate(rows):
        y, end = frame.middle(place), scale(row.value)
        drawn.append(
            group(
                f"mark {row.class_}",
                f"{row.label}: {row.value:.1f}",
                element("rect", x=scale.start, y=y - 6, width=end - scale.start, height=12.0, rx=2),
                label(f"{row.value:.1f}", end + 5, y + 4, "value"),
            )
        )
    return picture(key, title, description, frame.height, drawn)


def boxes(key: str, title: str, description: str, rows: Sequence[Box], scale_title: str) -> Markup:
    """Return box plots on a logarithmic scale: p25 to p75, whiskers p5 to p95, a dot at p99."""
    frame = Frame.of([row.label for row in rows], [row.class_ for row in rows])
    values = [value for row in rows for value in row.percentiles]
    scale = Scale.logarithmic(values, frame.left, WIDTH - _RIGHT)
    drawn = frame.parts(scale, [f"{tick:g}" for tick in scale.ticks], scale_title)
    for place, row in enumerate(rows):
        y = frame.middle(place)
        low, left, middle, right, high, last = map(scale, row.percentiles)
        drawn.append(
            group(
                f"mark {row.class_}",
                f"{row.label}: {spread(row.percentiles)}",
                line(low, y, high, y, "whisker"),
                line(low, y - 4, low, y + 4, "whisker"),
                line(high, y - 4, high, y + 4, "whisker"),
                element("rect", x=left, y=y - 6, width=max(right - left, 1.5), height=12.0, rx=2),
                line(middle, y - 6, middle, y + 6, "median"),
                element("circle", cx=last, cy=y, r=2.5, class_="far"),
            )
        )
    return picture(key, title, description, frame.height, drawn)


def intervals(
    key: str, title: str, description: str, rows: Sequence[Interval], scale_title: str
) -> Markup:
    """Return a forest plot: a dot for each difference, a line for its interval, 0 marked."""
    frame = Frame.of([row.label for row in rows], [row.class_ for row in rows])
    ends = [value for row in rows for value in (row.low, row.high)]
    scale = Scale.linear([0.0, *ends], frame.left + 8, WIDTH - _RIGHT)
    drawn = frame.parts(
        scale, [signed(tick, 0 if tick == int(tick) else 1) for tick in scale.ticks], scale_title
    )
    drawn.append(line(scale(0.0), 2.0, scale(0.0), frame.bottom, "zero"))
    for place, row in enumerate(rows):
        y = frame.middle(place)
        low, middle, high = scale(row.low), scale(row.value), scale(row.high)
        drawn.append(
            group(
                f"mark {row.verdict}",
                f"{row.label}: {signed(row.value)} [{signed(row.low)}, {signed(row.high)}], "
                f"{row.verdict}",
                line(low, y, high, y, "whisker"),
                line(low, y - 4, low, y + 4, "whisker"),
                line(high, y - 4, high, y + 4, "whisker"),
                element("circle", cx=middle, cy=y, r=4.5),
            )
        )
    return picture(key, title, description, frame.height, drawn)
