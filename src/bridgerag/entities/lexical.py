"""Search terms of documents and questions, and what a term is worth: the Python side of BM25."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import LexicalIndex, chunk_terms, terms
from bridgerag.entities.words import QuestionWords, Words
from bridgerag.types import Ids, Keys

__all__ = ["BM25_B", "BM25_K1", "LexicalIndex", "bm25_idf", "lexical_terms", "question_terms"]

BM25_K1 = 1.2
BM25_B = 0.75

_NO_TERMS = np.empty(0, np.uint64)


def lexical_terms(words: Words, title: Keys = _NO_TERMS) -> tuple[Keys, Ids]:
    """Return the terms of a document and the chunk of each, in the order they stand.

    Terms are the words that are no function words; neighbouring Han characters also count as pairs.
    Both arrays have shape ``(m,)``; chunks are counted from 0 inside the document.

    Args:
        title: terms that count in every chunk, behind its own.
    """
    return chunk_terms(words.keys, words.flags, words.sentences, words.chunks, title)


def question_terms(question: QuestionWords) -> Keys:
    """Return the terms of a question, as `lexical_terms` would; repeats are kept."""
    return terms(question.keys, question.flags)


def bm25_idf(df: NDArray[np.integer], chunks: int) -> NDArray[np.float32]:
    """Return what terms are worth that stand in ``df`` of all ``chunks``; above 0, 0 for df 0."""
    worth = np.log1p((chunks - df + 0.5) / (df + 0.5))
    return np.where(df > 0, worth, 0.0).astype(np.float32)
