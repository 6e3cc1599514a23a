"""Recognise the entities of a question by probing its n-grams; there is no model.

Every n-gram of one to eight words is looked up in one batch; the longest that is stored wins.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import ngram_keys
from bridgerag.entities.words import QuestionWords, WordFlag
from bridgerag.types import Keys, Mention

__all__ = ["MAX_WORDS", "Mention", "recognize"]

MAX_WORDS = 8


def recognize(
    question: QuestionWords,
    contains: Callable[[Keys], NDArray[np.bool_]],
    nested: bool = False,
) -> list[Mention]:
    """Return the stored entities that a question names, left to right, without overlaps.

    Longer n-grams win over shorter ones, then the one further left. With ``nested``, the shorter
    ones inside or across them are returned too, the longer one first. Function words alone never
    match, nor does a single Han character; function words at the ends of a name match only where
    they are stored with it.

    Args:
        question: what `question_words` made of it.
        contains: tells for an array of keys, shape ``(m,)``, which are stored; called once at most.

    Cost: under 30 microseconds for 25 words, without ``contains``.
    """
    count = len(question.keys)
    if count == 0:
        return []
    grams = ngram_keys(question.keys, MAX_WORDS)
    worth = np.flatnonzero(_worth_probing(question.flags) & (grams != 0))
    found = worth[contains(grams[worth])]
    starts, lengths = found // MAX_WORDS, found % MAX_WORDS + 1
    order = np.lexsort((starts, -lengths))
    keys = grams[found[order]].tolist()
    taken = bytearray(count)
    mentions = []
    for first, length, key in zip(
        starts[order].tolist(), lengths[order].tolist(), keys, strict=True
    ):
        last = first + length
        if not nested and any(taken[first:last]):
            continue
        taken[first:last] = b"\1" * (last - first)
        start, end = question.spans[first][0], question.spans[last - 1][1]
        mentions.append(Mention(question.text[start:end], start, end, key))
    return sorted(mentions, key=lambda mention: (mention.start, -mention.end))


def _worth_probing(flags: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return for each n-gram, as `ngram_keys` orders them, whether it could be an entity."""
    content = (flags & WordFlag.STOP == 0) | (flags & WordFlag.ACRONYM != 0)
    worth = np.empty((len(flags), MAX_WORDS), np.bool_)
    worth[:, 0] = content
    for n in range(1, MAX_WORDS):  # an n-gram is worth it when its beginning or last word is
        worth[:, n] = worth[:, n - 1]
        worth[:-n, n] |= content[n:]
    worth[:, 0] &= flags & WordFlag.IDEOGRAPH == 0
    return worth.reshape(-1)
