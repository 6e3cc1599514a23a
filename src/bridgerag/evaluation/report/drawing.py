"""What every plot is made of: a titled picture, lines, labels, and a frame of one row a method.

Colours are classes that the page's style sheet fills, so that a drawing follows the reader's choice
of light or dark. A picture is 400 units wide: its letters stay readable on a phone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bridgerag.evaluation.report.markup import Markup, element
from bridgerag.evaluation.report.scale import Scale

__all__ = ["LINE", "WIDTH", "Frame", "group", "label", "line", "picture", "short", "text_width"]

WIDTH = 400.0
LINE = 22.0  # from one row to the next
_LETTER = 7.2  # the mean width of a bold letter, on the safe side
_GUTTER = 140.0  # no label takes more


def picture(key: str, title: str, description: str, height: float, parts: Iterable[str]) -> Markup:
    """Return an SVG element that says what it shows to those who do not see it.

    ``key`` must not occur twice in a page.
    """
    return element(
        "svg",
        element("title", title, id=f"{key}-title"),
        element("desc", description, id=f"{key}-desc"),
        *parts,
        class_="plot",
        role="img",
        viewBox=f"0 0 {WIDTH:.0f} {height:.0f}",
        aria_labelledby=f"{key}-title {key}-desc",
    )


def group(class_: str, hover: str, *parts: str) -> Markup:
    """Return shapes that belong together; ``hover`` appears when the pointer rests on them."""
    return element("g", element("title", hover), *parts, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Return a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def label(text: str, x: float, y: float, class_: str = "label", anchor: str = "start") -> Markup:
    """Return text whose base line starts, is centred, or ends at ``(x, y)``."""
    return element("text", text, x=x, y=y, class_=class_, text_anchor=anchor)


def text_width(text: str) -> float:
    """Return about how wide ``text`` is drawn, never much too little."""
    return sum(
        2 * _LETTER if unicodedata.east_asian_width(letter) in "WF" else _LETTER for letter in text
    )


def short(text: str, room: float = _GUTTER) -> str:
    """Return ``text``, cut so that it is not wider than ``room``."""
    if text_width(text) <= room:
        return text
    while text and text_width(text) > room - _LETTER:
        text = text[:-1]
    return text.rstrip() + "…"


@dataclass(frozen=True, slots=True)
class Frame:
    """A plot of one row a method, names at the left, the scale at the bottom.

    Attributes:
        left: where the names end and the drawing begins.
        bottom: where the scale is drawn.
    """

    labels: Sequence[str]
    classes: Sequence[str]
    left: float
    bottom: float

    @classmethod
    def of(cls, labels: Sequence[str], classes: Sequence[str]) -> Frame:
        """Return a frame with room for these names."""
        names = [short(name) for name in labels]
        left = max(map(text_width, names), default=0.0) + 10
        return cls(names, classes, left, LINE * len(names) + 4)

    @property
    def height(self) -> float:
        """Height of the whole picture, the title of the scale included."""
        return self.bottom + 38

    def middle(self, row: int) -> float:
        """Return the vertical middle of a row."""
        return LINE * row + LINE / 2 + 2

    def parts(self, scale: Scale, written: Sequence[str], title: str) -> list[Markup]:
        """Return the names, the grid and the scale with its ``written`` ticks and title."""
        ticks = [scale(tick) for tick in scale.ticks]
        drawn = [line(x, 2.0, x, self.bottom, "grid") for x in ticks]
        drawn += [
            label(text, x, self.bottom + 15, "tick", "middle")
            for x, text in zip(ticks, written, strict=True)
        ]
        drawn += [
            label(name, self.left - 8, self.middle(row) + 4, f"label {class_}", "end")
            for row, (name, class_) in enumerate(zip(self.labels, self.classes, strict=True))
        ]
        middle = (scale.start + scale.end) / 2
        return [*drawn, label(title, middle, self.bottom + 33, "axis", "middle")]
