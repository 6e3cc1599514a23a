"""The indexes of a synthetic corpus, straight from its arrays: no text is written or read.

Names and postings are byte for byte those of a store of the same documents (tested).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks._synthetic import Block, Synthetic
from benchmarks._synthetic_words import QUALIFIERS, STOPS
from bridgerag._native import (
    DocumentNames,
    EntityIndex,
    LexicalIndex,
    NameIndex,
    entity_key,
    read_names,
    word_key,
)
from bridgerag.entities.names import read_title
from bridgerag.entities.words import describe
from bridgerag.types import Keys

__all__ = ["entities", "lexical", "name_keys", "names", "word_keys"]


def names(made: Synthetic) -> NameIndex:
    """Return what the walk reads. Cost: about 50 microseconds a document."""
    table = _Table.of(made.lexicon.spelling)
    documents: list[DocumentNames] = []
    for block in made.blocks():
        documents += _names(made, block, table)
    return NameIndex.build(documents)


def _names(made: Synthetic, block: Block, table: _Table) -> Iterator[DocumentNames]:
    flags = np.where(block.capital, table.capital[block.words], table.flags[block.words])
    opens = np.ones(len(block.words), bool)  # a sentence
    opens[1:] = block.sentence[1:] != block.sentence[:-1]
    opens[block.borders[:-1]] = True
    sentences = np.append(np.flatnonzero(opens), len(block.words))
    chunks = np.searchsorted(sentences, block.borders)
    first = made.first[block.documents.start : block.documents.stop + 1] - block.chunks.start
    for document, (start, stop) in zip(block.documents, pairwise(first.tolist()), strict=True):
        own = chunks[start : stop + 1]
        lines = sentences[own[0] : own[-1] + 1]
        words = block.words[lines[0] : lines[-1]]
        yield read_names(
            table.plain[words], table.stems[words], table.letters[words],
            flags[lines[0] : lines[-1]],
            (lines - lines[0]).astype(np.uint32), (own - own[0]).astype(np.uint32),
            made.id(document), *read_title(made.title(document)),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Table:
    """What is known of each word of a lexicon; ``capital`` are its flags with a capital."""

    plain: Keys
    stems: NDArray[np.uint32]
    letters: NDArray[np.uint8]
    flags: NDArray[np.uint8]
    capital: NDArray[np.uint8]

    @classmethod
    def of(cls, spelling: list[str]) -> _Table:
        described = [describe(word) for word in spelling]
        return cls(
            np.array([word.plain for word in described], np.uint64),
            np.array([word.stem for word in described], np.uint32),
            np.array([word.letters for word in described], np.uint8),
            np.array([word.flags for word in described], np.uint8),
            np.array([describe(word.capitalize()).flags for word in spelling], np.uint8),
        )


def lexical(made: Synthetic) -> LexicalIndex:
    """Return the postings: the words of each chunk and of its title, without stop words."""
    keys = word_keys(made)
    qualifiers = np.array([word_key(word) for word in QUALIFIERS], np.uint64)
    terms, chunks = [], []
    document = np.repeat(np.arange(made.documents), np.diff(made.first))
    own = made.lexicon.words[made.own[document]]
    for column in own.T:
        held = np.flatnonzero(column >= len(STOPS))
        terms.append(keys[column[held]])
        chunks.append(held)
    held = np.flatnonzero(made.qualifier[document] >= 0)
    terms.append(qualifiers[made.qualifier[document[held]]])
    chunks.append(held)
    for block in made.blocks():
        kept = np.flatnonzero(block.words >= len(STOPS))
        of_word = np.repeat(np.arange(len(block.chunks)), np.diff(block.borders))
        terms.append(keys[block.words[kept]])
        chunks.append(block.chunks.start + of_word[kept])
    stands = np.concatenate(chunks).astype(np.uint32)
    order = np.argsort(stands, kind="stable")
    return LexicalIndex.build(np.concatenate(terms)[order], stands[order], made.chunks)


def entities(made: Synthetic) -> EntityIndex:
    """Return which documents, each of one abstract, hold each name.

    A store has other phrases as well; here the names stand for all.
    """
    document = np.repeat(np.arange(made.documents), np.diff(made.clauses[made.first]))
    pairs = np.unique(made.mentioned.astype(np.int64) * made.documents + document)
    keys = name_keys(made)[pairs // made.documents]
    return EntityIndex.build(keys, (pairs % made.documents).astype(np.uint32))


def word_keys(made: Synthetic) -> Keys:
    """Return the key of each word of the lexicon."""
    return np.array([word_key(word) for word in made.lexicon.spelling], np.uint64)


def name_keys(made: Synthetic) -> Keys:
    """Return the key of each name of the lexicon as texts mention it: without "The" before it."""
    words, the = word_keys(made), STOPS.index("the")
    rows = zip(made.lexicon.words, made.lexicon.length.tolist(), strict=True)
    return np.array(
        [entity_key(words[row[int(row[0] == the) : length]]) for row, length in rows], np.uint64
    )
