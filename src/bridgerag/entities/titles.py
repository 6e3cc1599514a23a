"""What a title is made of: itself, a qualifier in brackets, parts around a colon, bar or dash."""

from __future__ import annotations

import re
from functools import lru_cache

from bridgerag.entities.tokens import TOKEN, is_word
from bridgerag.entities.words import Described, describe

__all__ = ["TitleWord", "read_part", "title_parts", "without_qualifier"]

TitleWord = tuple[str, Described]  # as spelled, and what is known of it
_PARTS = 256

_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
_BORDER = re.compile(r"\s*[:|–—]\s+|\s+-\s+")


def without_qualifier(title: str) -> str:
    """Return a title without what stands in brackets at its end: "Aimée (film)" is "Aimée"."""
    return _QUALIFIER.sub("", title)


def title_parts(title: str) -> list[str]:
    """Return the parts around a colon, bar or dash; the title itself where it has none."""
    return _BORDER.split(title)


@lru_cache(_PARTS)
def read_part(text: str) -> tuple[TitleWord, ...]:
    """Return the words of a title or of a part of it; the latest are kept.

    Entities and names both ask for the same parts of a title, one right after the other.
    """
    return tuple((token, describe(token)) for token in TOKEN.findall(text) if is_word(token))
