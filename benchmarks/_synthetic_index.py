"""The indexes of a synthetic corpus, straight from its arrays: no text is written or read.

Names and postings are byte for byte those of a store of the same documents (tested).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
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

__all__ = ["Indexes", "name_keys", "word_keys"]


class Indexes:
    """Makes the indexes of parts of a corpus, chunks and documents numbered from the part's start.

    What is known of all words and names is read once: about 20 microseconds a word.
    """

    def __init__(self, made: Synthetic) -> None:
        self.made = made

    def names(self, documents: range) -> NameIndex:
        """Return what the walk reads. Cost: about 50 microseconds a document."""
        read: list[DocumentNames] = []
        for block in self.made.blocks(documents):
            read += _names(self.made, block, self._table)
        return NameIndex.build(read)

    def lexical(self, documents: range) -> LexicalIndex:
        """Return the postings: the words of each chunk and of its title, without stop words."""
        made, keys = self.made, self._word_keys
        qualifiers = np.array([word_key(word) for word in QUALIFIERS], np.uint64)
        first = made.first[documents.start : documents.stop + 1]
        document = np.repeat(np.arange(documents.start, documents.stop), np.diff(first))
        terms, chunks = [], []
        for column in made.lexicon.words[made.own[document]].T:
            held = np.flatnonzero(column >= len(STOPS))
            terms.append(keys[column[held]])
            chunks.append(held)
        held = np.flatnonzero(made.qualifier[document] >= 0)
        terms.append(qualifiers[made.qualifier[document[held]]])
        chunks.append(held)
        for block in made.blocks(documents):
            kept = np.flatnonzero(block.words >= len(STOPS))
            of_word = np.repeat(np.arange(len(block.chunks)), np.diff(block.borders))
            terms.append(keys[block.words[kept]])
            chunks.append(block.chunks.start - int(first[0]) + of_word[kept])
        stands = np.concatenate([held.astype(np.uint32) for held in chunks])
        order = np.argsort(stands, kind="stable")
        return LexicalIndex.build(np.concatenate(terms)[order], stands[order], len(document))

    def entities(self, documents: range) -> EntityIndex:
        """Return which documents, each of one abstract, hold each name.

        A store has other phrases as well; here the names stand for all.
        """
        clauses = self.made.clauses[self.made.first[documents.start : documents.stop + 1]]
        document = np.repeat(np.arange(len(documents)), np.diff(clauses))
        mentioned = self.made.mentioned[clauses[0] : clauses[-1]].astype(np.int64)
        pairs = np.unique(mentioned * len(documents) + document)
        keys = self._name_keys[pairs // len(documents)]
        return EntityIndex.build(keys, (pairs % len(documents)).astype(np.uint32))

    @cached_property
    def _table(self) -> _Table:
        return _Table.of(self.made.lexicon.spelling)

    @cached_property
    def _word_keys(self) -> Keys:
        return word_keys(self.made)

    @cached_property
    def _name_keys(self) -> Keys:
        return name_keys(self.made)


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
        kinds = [("plain", "u8"), ("stems", "u4"), ("letters", "u1"), ("flags", "u1")]
        known = np.empty(len(spelling), [*kinds, ("capital", "u1")])
        for i, word in enumerate(spelling):
            told = describe(word)
            capital = describe(word.capitalize()).flags
            known[i] = told.plain, told.stem, told.letters, told.flags, capital
        return cls(*(known[column].copy() for column in known.dtype.names or ()))


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
