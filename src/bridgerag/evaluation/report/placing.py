"""Where the names of points go, so that they cover neither points nor one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot, inf
from typing import NamedTuple

__all__ = ["Box", "Place", "arrange"]

_HEIGHT = 13.0  # of a line of text
_RADIUS = 6.0  # of a point, with some air
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))
_DISTANCES = (0.0, 6.0, 14.0, 24.0, 36.0, 50.0, 66.0)
_SWEEPS = 4


class Box(NamedTuple):
    """A rectangle; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: Box) -> float:
        """Return the area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return width * height if width > 0 and height > 0 else 0.0

    def surrounds(self, other: Box) -> bool:
        """Tell whether another lies inside."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.top <= other.top and other.bottom <= self.bottom

    def holds(self, x: float, y: float) -> bool:
        """Tell whether a point lies inside."""
        return self.left < x < self.right and self.top < y < self.bottom


class Place(NamedTuple):
    """Where a name goes.

    Attributes:
        anchor: at which end of the box the name begins: ``start``, ``middle`` or ``end``.
        leader: the line to it from a point that is not right beside it.
    """

    box: Box
    anchor: str
    leader: tuple[float, float, float, float] | None


def arrange(
    widths: Sequence[float], points: Sequence[tuple[float, float]], area: Box
) -> list[Place]:
    """Return a place inside ``area`` for the name of each point, one of ``widths`` wide.

    Each name in turn takes the place where it costs least, given all others; after a few sweeps
    nothing moves any more. Cost: covering something, being far away, a leader across something.
    """
    dots = [Box(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in points]
    choices = [
        list(_around(x, y, width, area)) for width, (x, y) in zip(widths, points, strict=True)
    ]
    chosen: list[Place] = []
    for _ in range(_SWEEPS):
        before = list(chosen)
        for at, places in enumerate(choices):
            others = [place for i, place in enumerate(chosen) if i != at]
            chosen[at : at + 1] = [_cheapest(places, others, dots, at)]
        if chosen == before:
            break
    return chosen


def _cheapest(
    places: Sequence[Place], others: Sequence[Place], dots: Sequence[Box], own: int
) -> Place:
    """Return the first of the places that cost least; one that costs nothing ends the search."""
    found, least = places[0], inf
    for place in places:
        cost = _cost(place, others, dots, own)
        if cost < least:
            found, least = place, cost
        if not cost:
            break
    return found


def _cost(place: Place, others: Sequence[Place], dots: Sequence[Box], own: int) -> float:
    cost = 3 * sum(place.box.overlap(box) for box in dots)
    cost += 3 * sum(place.box.overlap(other.box) for other in others)
    if place.leader:
        x1, y1, x2, y2 = place.leader
        cost += 4 + 0.5 * hypot(x2 - x1, y2 - y1)
        cost += 30 * sum(_crosses(place.leader, box) for i, box in enumerate(dots) if i != own)
        cost += 30 * sum(_crosses(place.leader, other.box) for other in others)
    return cost + 30 * sum(_crosses(other.leader, place.box) for other in others if other.leader)


def _crosses(leader: tuple[float, float, float, float], box: Box) -> bool:
    """Tell whether a line goes through a box, by looking at points of it."""
    x1, y1, x2, y2 = leader
    if max(x1, x2) < box.left or min(x1, x2) > box.right:
        return False
    if max(y1, y2) < box.top or min(y1, y2) > box.bottom:
        return False
    return any(
        box.holds(x1 + (x2 - x1) * step / 12, y1 + (y2 - y1) * step / 12) for step in range(13)
    )


def _around(x: float, y: float, width: float, area: Box) -> Iterator[Place]:
    """Yield the places around a point that lie inside the area, nearest first."""
    for far in _DISTANCES:
        for across, down in _SIDES:
            aside = width / 2 + (far if across and down else 8 + far) * abs(across)
            middle, centre = x + across * aside if across else x, y + down * (14 + far)
            box = Box(
                middle - width / 2, centre - _HEIGHT / 2, middle + width / 2, centre + _HEIGHT / 2
            )
            if area.surrounds(box):
                anchor = ("middle", "start", "end")[across]
                yield Place(box, anchor, _leader(x, y, box) if far > 6 else None)
    # Never without any, however wide the name is.
    yield Place(Box(x, y - _HEIGHT / 2, x + width, y + _HEIGHT / 2), "start", None)


def _leader(x: float, y: float, box: Box) -> tuple[float, float, float, float]:
    return (
        x,
        y,
        min(max(x, box.left + 2), box.right - 2),
        min(max(y, box.top + 2), box.bottom - 2),
    )
