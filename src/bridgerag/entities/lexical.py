"""Search terms of documents and questions, and what a term is worth: the Python side of BM25."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import EMPTY_ENTITY, LexicalIndex
from bridgerag.entities.words import QuestionWords, WordFlag, Words
from bridgerag.types import Ids, Keys

__all__ = ["BM25_B", "BM25_K1", "LexicalIndex", "bm25_idf", "lexical_terms", "question_terms"]

BM25_K1 = 1.2
BM25_B = 0.75

_MULTIPLIER = np.uint64(0xD1342543DE82EF95)
_LEFT_OUT = WordFlag.STOP | WordFlag.BREAK


def lexical_terms(words: Words) -> tuple[Keys, Ids]:
    """Return the terms of a document and the chunk of each, in the order they stand.

    Terms are the words that are no function words; neighbouring Han characters also count as pairs.
    Both arrays have shape ``(m,)``; chunks are counted from 0 inside the document.
    """
    counts = np.diff(words.sentences[words.chunks])
    chunks = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)
    terms, places = _terms(words.keys, words.flags)
    return terms, chunks[places]


def question_terms(question: QuestionWords) -> Keys:
    """Return the terms of a question, as `lexical_terms` would; repeats are kept."""
    return _terms(question.keys, question.flags)[0]


def bm25_idf(df: NDArray[np.integer], chunks: int) -> NDArray[np.float32]:
    """Return what terms are worth that stand in ``df`` of all ``chunks``; above 0, 0 for df 0."""
    worth = np.log1p((chunks - df + 0.5) / (df + 0.5))
    return np.where(df > 0, worth, 0.0).astype(np.float32)


def _terms(keys: Keys, flags: NDArray[np.uint8]) -> tuple[Keys, NDArray[np.intp]]:
    """Return the terms among some words and the place of the (first) word of each, ascending."""
    places = np.flatnonzero(flags & _LEFT_OUT == 0)
    han = np.flatnonzero(flags & (WordFlag.IDEOGRAPH | _LEFT_OUT) == WordFlag.IDEOGRAPH)
    if len(han) < 2:
        return keys[places], places
    firsts = han[:-1][np.diff(han) == 1]
    pairs = _pair_keys(keys[firsts], keys[firsts + 1])
    order = np.argsort(np.concatenate((places, firsts)), kind="stable")
    return np.concatenate((keys[places], pairs))[order], np.concatenate((places, firsts))[order]


def _pair_keys(left: Keys, right: Keys) -> Keys:
    """Return for each pair of words a key that neither a word nor, likely, another pair has."""
    return (left ^ np.uint64(EMPTY_ENTITY)) * _MULTIPLIER + right
