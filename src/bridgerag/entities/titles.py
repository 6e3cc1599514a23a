"""What a title is made of: itself, a qualifier in brackets, parts around a colon, bar or dash."""

from __future__ import annotations

import re

__all__ = ["title_parts", "without_qualifier"]

_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
_BORDER = re.compile(r"\s*[:|–—]\s+|\s+-\s+")


def without_qualifier(title: str) -> str:
    """Return a title without what stands in brackets at its end: "Aimée (film)" is "Aimée"."""
    return _QUALIFIER.sub("", title)


def title_parts(title: str) -> list[str]:
    """Return the parts around a colon, bar or dash; the title itself where it has none."""
    return _BORDER.split(title)
