"""Find short and long names of one thing: "World Health Organization (WHO)" and its mirror image.

Letters of the short form are matched from the right in the words before it, the first one at a
word's start: the idea of Schwartz and Hearst, "A simple algorithm for identifying abbreviation
definitions in biomedical text" (2003).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bridgerag.chunks import Chunks
from bridgerag.entities.normalize import entity_key
from bridgerag.types import Chunk

__all__ = ["Alias", "find_aliases", "long_form"]

_REACH = 120  # characters before a bracket in which its long form must start
_SHORT_INSIDE = re.compile(r"\(([A-Z][A-Za-z0-9&-]{1,8})\)")
_LONG_INSIDE = re.compile(r" \(([A-Za-z][^()\n]{4,80})\)")
_SHORT_BEFORE = re.compile(r"[A-Z][A-Z0-9&-]{1,8}$")
_CLAUSE_END = re.compile(r"[.,;:()\[\]\"“”!?](?=\s|$)|\n\n")


class Alias(NamedTuple):
    """The keys of two names of one thing, and the chunk (counted from 0) that says so first."""

    short: int
    long: int
    chunk: int


def find_aliases(text: str, chunks: Sequence[Chunk]) -> list[Alias]:
    """Return the pairs of names that ``text`` defines, in order.

    A name is part of one pair at most, the first one: it keeps the pairs true, and their number
    small in a text that gives one short form a thousand meanings.
    """
    if "(" not in text:
        return []
    definitions = sorted(_definitions(text))
    starts = Chunks.of(chunks).starts if definitions else []
    taken: set[int] = set()
    aliases = []
    for place, short, long in definitions:
        pair = entity_key(short), entity_key(long)
        if starts and taken.isdisjoint(pair):
            taken.update(pair)
            aliases.append(Alias(*pair, max(0, bisect_right(starts, place) - 1)))
    return aliases


def _definitions(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the place of each definition, the short form and the long one."""
    for match in _SHORT_INSIDE.finditer(text):
        before = text[max(0, match.start() - _REACH) : match.start()].rstrip()
        if (long := long_form(match[1], before)) is not None:
            yield match.start(), match[1], long
    for match in _LONG_INSIDE.finditer(text):
        if " " not in match[1] or not text[match.start() - 1].isupper():
            continue
        short = _SHORT_BEFORE.search(text, max(0, match.start() - 9), match.start())
        if short is not None and long_form(short[0], match[1]) == match[1]:
            yield match.start(), short[0], match[1]


def long_form(short: str, before: str) -> str | None:
    """Return the end of ``before`` that ``short`` abbreviates, or None.

    It has at most twice as many words as ``short`` has signs, and five more at most, stays inside
    one clause, and is longer than ``short``.
    """
    clause = _CLAUSE_END.split(before)[-1]
    at = len(clause)
    for position in range(len(short) - 1, -1, -1):
        sign = short[position].casefold()
        if not sign.isalnum():
            continue
        at = _match_left(clause, sign, at, starts_word=position == 0)
        if at < 0:
            return None
    found = clause[at:].strip()
    words = len(found.split())
    if words > min(len(short) + 5, len(short) * 2) or len(found) <= len(short):
        return None
    return found


def _match_left(clause: str, sign: str, at: int, *, starts_word: bool) -> int:
    """Return the last place before ``at`` that holds ``sign``, or -1."""
    for place in range(at - 1, -1, -1):
        if clause[place].casefold() == sign and not (
            starts_word and place > 0 and clause[place - 1].isalnum()
        ):
            return place
    return -1
