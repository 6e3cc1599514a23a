"""Summarise every abstract of a document by its own best sentences, without a language model.

What a sentence is worth is said in native/include/bridge/sentence_scores.h. A leaf picks sentences
for what they add to those picked before; an abstract above picks among its children's sentences and
has room for more of them, so that a summary grows with the level.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from bridgerag._native import pick, score_sentences, summary_shape, summary_texts
from bridgerag.chunks import Chunks
from bridgerag.entities.words import Words, question_words
from bridgerag.forest import Tree
from bridgerag.types import Chunk

__all__ = ["SUMMARY_WORDS", "summarize"]

SUMMARY_WORDS = (40, 60, 90, 120)  # by level; the last one holds for all levels above

_CHARS_PER_WORD = 9  # a "sentence" longer than the summary's words times this is cut


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
    columns = Chunks.of(chunks)
    spans = columns.sentences
    headings = "\n".join(dict.fromkeys(chain.from_iterable(columns.headings)))
    scores = score_sentences(
        text,
        spans,
        words.keys,
        words.flags,
        words.sentences,
        words.chunks,
        question_words(headings).keys,
    )
    is_leaf, first, count, rooms = summary_shape(
        tree.child_count,
        tree.first_child,
        tree.first_chunk,
        tree.chunk_count,
        tree.level,
        words.chunks,
        np.array(summary_words, np.uint32),
    )
    picked, borders = pick(*scores, is_leaf, first, count, rooms)
    return summary_texts(text, spans, picked, borders, rooms * _CHARS_PER_WORD)
