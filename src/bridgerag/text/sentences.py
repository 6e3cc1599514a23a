"""Where sentences begin and end, in any script, by rules alone.

A text is cut at paragraph borders (blank lines, list items, table rows, headings), at line ends
that do not look like hard wraps, and after full stops. Latin, Cyrillic and Greek stops must be
followed by white space and something that can begin a sentence; CJK and Indic stops stand alone.
The rules are in ``native/src/sentences.cpp``; the word lists they ask are here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import SentenceCutter, word_key
from bridgerag.text.abbreviations import BEFORE_NUMBER, NEVER_LAST, OPENERS, RARELY_LAST
from bridgerag.text.stopwords import STOP_WORDS

__all__ = ["sentence_rows", "sentence_spans"]


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences in ``text[start:end]``, in order.

    Neither end of a span is white space and every other character is inside exactly one span. A
    span may hold line ends (a hard-wrapped sentence). Cost: linear; what stands before ``start``
    and behind ``end`` is looked at where a rule asks for it.
    """
    rows = sentence_rows(text, start, len(text) if end is None else end)
    return zip(rows[:, 0].tolist(), rows[:, 1].tolist(), strict=True)


def sentence_rows(text: str, start: int, end: int) -> NDArray[np.uint32]:
    """Return what `sentence_spans` yields as an array of shape ``(n, 2)``; the GIL is free."""
    return _cutter().cut(text, min(start, end), end)


@cache
def _cutter() -> SentenceCutter:
    def keys(words: Iterable[str]) -> NDArray[np.uint64]:
        return np.array([word_key(word) for word in sorted(words)], np.uint64)

    return SentenceCutter(*map(keys, (NEVER_LAST, BEFORE_NUMBER, RARELY_LAST, OPENERS, STOP_WORDS)))
