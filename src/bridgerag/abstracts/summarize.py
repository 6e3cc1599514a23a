"""Summarise every abstract of a document by its own best sentences, without a language model.

What a sentence is worth is said in native/include/bridge/sentence_scores.h. A leaf picks sentences
for what they add to those picked before; an abstract above picks among its children's sentences and
has room for more of them, so that a summary grows with the level.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import pick, score_sentences
from bridgerag.entities.words import Words, question_words
from bridgerag.forest import Tree
from bridgerag.types import Chunk, Ids

__all__ = ["SUMMARY_WORDS", "summarize"]

SUMMARY_WORDS = (40, 60, 90, 120)  # by level; the last one holds for all levels above

_CHARS_PER_WORD = 9  # a "sentence" longer than the summary's words times this is cut
_GAP = " … "


def summarize(
    text: str,
    chunks: Sequence[Chunk],
    words: Words,
    tree: Tree,
    summary_words: Sequence[int] = SUMMARY_WORDS,
) -> list[str]:
    """Return one summary an abstract of ``tree``, in its order.

    Sentences stand in document order, white space folded, with " … " where some were left out.

    Args:
        text: the document's extracted text.
        chunks: its chunks, 1 or more.
        words: their words, from `read_words`.
        tree: the document's tree over ``chunks``; children stand before their parents.
        summary_words: about how many words a summary has at level 0, 1, ...; the last number holds
            for all levels above.

    Equal scores go to the earlier sentence. Cost: linear; about 0.2 microseconds a word.
    """
    spans = [span for chunk in chunks for span in chunk.sentences]
    level = np.minimum(tree.level, len(summary_words) - 1)
    rooms = np.array(summary_words, np.uint32)[level]
    headings = "\n".join(dict.fromkeys(h for chunk in chunks for h in chunk.headings))
    scores = score_sentences(
        text,
        np.array(spans, np.uint32),
        words.keys,
        words.flags,
        words.sentences,
        words.chunks,
        question_words(headings).keys,
    )
    picked, borders = pick(*scores, *_shape(words, tree), rooms)
    sentences = picked.tolist()
    return [
        _join(text, spans, sentences[start:end], room * _CHARS_PER_WORD)
        for (start, end), room in zip(pairwise(borders.tolist()), rooms.tolist(), strict=True)
    ]


def _shape(words: Words, tree: Tree) -> tuple[NDArray[np.uint8], Ids, Ids]:
    """Return which abstracts are leaves, and the range of sentences or of children of each."""
    leaf = tree.child_count == 0
    first = words.chunks[tree.first_chunk]
    count = words.chunks[tree.first_chunk + tree.chunk_count] - first
    return (
        leaf.view(np.uint8),
        np.where(leaf, first, tree.first_child),
        np.where(leaf, count, tree.child_count),
    )


def _join(
    text: str, spans: Sequence[tuple[int, int]], sentences: Sequence[int], longest: int
) -> str:
    parts: list[str] = []
    for before, j in zip([None, *sentences], sentences, strict=False):
        if before is not None:
            parts.append(" " if j == before + 1 else _GAP)
        start, end = spans[j]
        parts.append(_fold(text[start:end], longest))
    return "".join(parts)


def _fold(sentence: str, longest: int) -> str:
    """Fold white space, drop a heading's marks, and cut after about ``longest`` characters."""
    folded = " ".join(sentence.split()).lstrip("# \ufeff")
    if len(folded) <= longest:
        return folded
    cut = folded[:longest]
    return (cut[: cut.rfind(" ")] if " " in cut else cut) + "…"
