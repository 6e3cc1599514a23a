"""Elements of HTML and SVG, with everything escaped that is not an element already.

There is no other way to put text into a report, so no method label, kind of question or name of a
data set can become markup.
"""

from __future__ import annotations

import re
from html import escape

__all__ = ["Markup", "element", "number"]

_VOID = {"meta", "br", "hr"}
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class Markup(str):
    """Text that is markup already, as `element` returns it."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: object) -> Markup:
    """Return one element. A child that is `Markup` stays as it is, any other is escaped.

    Attributes whose value is None are left out; ``class_`` means ``class``, ``stroke_width``
    means ``stroke-width``, and floats are written by `number`.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    inner = "".join(
        child if isinstance(child, Markup) else escape(_clean(child), quote=False)
        for child in children
    )
    return Markup(f"<{name}{written}>{inner}</{name}>")


def number(value: float) -> str:
    """Return ``value`` with two decimals at most: what a coordinate of a drawing needs."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _attribute(value: object) -> str:
    return number(value) if isinstance(value, float) else escape(_clean(str(value)))


def _clean(text: str) -> str:
    """Return ``text`` without what no page may hold: control characters and lone surrogates."""
    return _FORBIDDEN.sub("\ufffd", text)
