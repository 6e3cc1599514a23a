"""Plots with two scales: quality against latency, and quality against depth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bridgerag.evaluation.report.drawing import (
    WIDTH,
    group,
    label,
    line,
    picture,
    short,
    text_width,
)
from bridgerag.evaluation.report.markup import Markup, element, number
from bridgerag.evaluation.report.placing import Box, arrange
from bridgerag.evaluation.report.scale import Scale
from bridgerag.evaluation.report.wording import milliseconds

__all__ = ["Curve", "Point", "curves", "scatter"]

_TOP, _BOTTOM, _LEFT, _RIGHT = 28.0, 300.0, 36.0, WIDTH - 10
_HEIGHT = _BOTTOM + 40
_AIR = 0.06  # of the span of the values
_ROOM = 14.0  # a name takes from top to bottom


@dataclass(frozen=True, slots=True)
class Point:
    """One method: milliseconds above 0, and a value in per cent.

    Attributes:
        name: what is written beside it, where the label would be too much.
        chain: points of one chain are joined by a line, in the order given; "" is no chain.
    """

    label: str
    class_: str
    x: float
    y: float
    name: str
    chain: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """Values in per cent at whole numbers, ascending; a level is drawn right across the plot."""

    label: str
    class_: str
    points: tuple[tuple[int, float], ...]
    level: bool = False


def scatter(
    key: str, title: str, description: str, points: Sequence[Point], x_title: str, y_title: str
) -> Markup:
    """Return points named in place, over a logarithmic scale of milliseconds."""
    x = Scale.logarithmic([point.x for point in points], _LEFT, _RIGHT)
    y = _upright([point.y for point in points])
    at = [(x(point.x), y(point.y)) for point in points]
    names = [short(point.name) for point in points]
    widths = [text_width(name) for name in names]
    placed = arrange(widths, at, Box(_LEFT + 2, _TOP - 6, WIDTH, _BOTTOM - 2))
    drawn = [*_axes(x, y, x_title, y_title), *_chains(points, at)]
    for point, name, place in zip(points, names, placed, strict=True):
        parts = [line(*place.leader, "leader")] if place.leader else []
        edge = {"start": place.box.left, "end": place.box.right}
        middle = (place.box.left + place.box.right) / 2
        where = edge.get(place.anchor, middle), place.box.bottom - 3
        parts.append(label(name, *where, f"label {point.class_}", place.anchor))
        drawn += parts
    for point, (px, py) in zip(points, at, strict=True):
        hover = f"{point.label}: {point.y:.1f} at {milliseconds(point.x)} ms"
        drawn.append(group(f"mark {point.class_}", hover, element("circle", cx=px, cy=py, r=5.0)))
    return picture(key, title, description, _HEIGHT, drawn)


def curves(
    key: str, title: str, description: str, lines: Sequence[Curve], x_title: str, y_title: str
) -> Markup:
    """Return lines over whole numbers, each named at its end."""
    room = max((text_width(short(each.label)) for each in lines), default=0.0) + 12
    steps = sorted({at for each in lines if not each.level for at, _ in each.points}) or [0]
    x = Scale(min(steps), max(*steps, min(steps) + 1), _LEFT + 12, WIDTH - room, tuple(steps))
    y = _upright([value for each in lines for _, value in each.points])
    drawn = [*_axes(x, y, x_title, y_title), *(_curve(each, x, y) for each in lines)]
    ends = [(x.end if each.level else x(each.points[-1][0]), each) for each in lines]
    heights = _pushed_apart([y(each.points[-1][1]) for each in lines])
    for (end, each), height in zip(ends, heights, strict=True):
        drawn.append(label(short(each.label), end + 8, height + 4, f"label {each.class_}"))
    return picture(key, title, description, _HEIGHT, drawn)


def _chains(points: Sequence[Point], at: Sequence[tuple[float, float]]) -> Iterator[Markup]:
    for chain in dict.fromkeys(point.chain for point in points if point.chain):
        members = [place for point, place in zip(points, at, strict=True) if point.chain == chain]
        path = " ".join(f"{number(x)},{number(y)}" for x, y in members)
        yield element("polyline", points=path, class_="chain")


def _curve(curve: Curve, x: Scale, y: Scale) -> Markup:
    if curve.level:
        height = y(curve.points[0][1])
        hover = f"{curve.label}: {curve.points[0][1]:.1f}"
        return group(f"mark {curve.class_}", hover, line(x.start, height, x.end, height, "level"))
    path = " ".join(f"{number(x(at))},{number(y(value))}" for at, value in curve.points)
    parts = [element("polyline", points=path, class_="curve")] if len(curve.points) > 1 else []
    for at, value in curve.points:
        dot = element("circle", cx=x(at), cy=y(value), r=4.0)
        parts.append(group("dot", f"{curve.label}, {at}: {value:.1f}", dot))
    return group(f"mark {curve.class_}", curve.label, *parts)


def _upright(values: Sequence[float]) -> Scale:
    """Return a scale of per cent with room for a name below the lowest and above the highest."""
    least, most = min(values), max(values)
    room = _AIR * (most - least)
    return Scale.linear(
        [max(0.0, least - room), min(100.0, most + room)], _BOTTOM, _TOP, within=(0.0, 100.0)
    )


def _axes(x: Scale, y: Scale, x_title: str, y_title: str) -> Iterator[Markup]:
    for tick in y.ticks:
        yield line(_LEFT, y(tick), _RIGHT, y(tick), "grid")
        yield label(f"{tick:g}", _LEFT - 7, y(tick) + 4, "tick", "end")
    for tick in x.ticks:
        yield line(x(tick), _BOTTOM, x(tick), _BOTTOM + 4, "rule")
        yield label(f"{tick:g}", x(tick), _BOTTOM + 17, "tick", "middle")
    yield line(_LEFT, _BOTTOM, _RIGHT, _BOTTOM, "rule")
    yield label(x_title, (x.start + x.end) / 2, _BOTTOM + 35, "axis", "middle")
    yield label(y_title, 2.0, 12.0, "axis")


def _pushed_apart(heights: Sequence[float]) -> list[float]:
    """Return the heights, moved as little as keeps names from covering one another or the axis."""
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    placed = list(heights)
    least = _TOP
    for at in order:
        placed[at] = max(placed[at], least)
        least = placed[at] + _ROOM
    most = _BOTTOM - 6
    for at in reversed(order):
        placed[at] = min(placed[at], most)
        most = placed[at] - _ROOM
    return placed
