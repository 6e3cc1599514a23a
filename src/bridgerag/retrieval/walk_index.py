"""What `walk` keeps of a store: names, the passages that define and mention them, and terms.

A name is *defined* by a document whose title it is (or is a part of, see `title_names`), and by
others only *mentioned*. Names that no title holds are the runs of capitalised words that stand in
two passages or more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgerag.entities.lexical import bm25_idf
from bridgerag.retrieval.corpus import Corpus, Places
from bridgerag.retrieval.walk_names import (
    Names,
    Word,
    capital_spans,
    is_mention,
    is_name,
    read,
    sentences,
    title_names,
)

__all__ = ["Rows", "WalkIndex"]

_APART = 8  # words that stand for the border between two sentences

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of whole numbers, of any length: row i is ``values[borders[i]:borders[i + 1]]``."""

    borders: NDArray[np.int64]
    values: Numbers

    @classmethod
    def of(cls, rows: Sequence[Sequence[int] | Sequence[tuple[int, ...]]], width: int = 1) -> Rows:
        """Return rows of numbers, or of tuples of ``width`` numbers each."""
        borders = np.cumsum([0, *map(len, rows)])
        flat = [value for row in rows for value in row]
        values = np.array(flat, np.int32)
        return cls(borders, values if width == 1 else values.reshape(-1, width))

    def __getitem__(self, row: int) -> Numbers:
        return self.values[self.borders[row] : self.borders[row + 1]]

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        return self.borders.nbytes + self.values.nbytes


@dataclass(frozen=True, slots=True)
class WalkIndex:
    """The names and terms of a corpus. Passages are its chunks, by number.

    Attributes:
        titles: of each document; its id where it has none.
        document: shape ``(n,)``, the document of each passage.
        first: shape ``(documents + 1,)``, the first passage of each document.
        mentions: of each passage, (name, first word, last word) by position, names that its own
            document defines left out.
        mentioned: of each name, the passages that `mentions` has it in.
        spread: shape ``(names,)``, in how many passages a name stands.
        rarity: shape ``(names,)``, ``ln((n + 1) / (spread + 0.5))``, at least 0.
        term: the number of each term, a stem.
        stream: of each passage, (position, term); positions are those of `mentions`.
        title_terms: of each document.
        frequency: shape ``(terms,)``, in how many passages or their titles a term stands.
        idf: shape ``(terms,)``, as in BM25.
    """

    places: Places
    titles: list[str]
    document: Numbers
    first: NDArray[np.int64]
    names: Names
    mentions: Rows
    mentioned: Rows
    spread: Numbers
    rarity: NDArray[np.float64]
    term: dict[str, int]
    stream: Rows
    title_terms: Rows
    frequency: Numbers
    idf: NDArray[np.float32]

    @classmethod
    def of(cls, corpus: Corpus) -> WalkIndex:
        """Return the index of a corpus. Cost: about 0.3 ms a passage of 100 words."""
        first = np.searchsorted(corpus.document, np.arange(len(corpus.documents) + 1))
        titles = [  # a document without text defines nothing
            ref.title if size else ""
            for ref, size in zip(corpus.documents, np.diff(first).tolist(), strict=True)
        ]
        passages = [sentences(text) for text in corpus.texts]
        names = _names(titles, passages)
        own: list[set[int]] = [set() for _ in titles]
        for name, documents in names.defined.items():
            for document in documents:
                own[document].add(name)
        term: dict[str, int] = {}
        title_terms = [
            [term.setdefault(word.stem, len(term)) for word in read(title) if _is_term(word)]
            for title in titles
        ]
        spread: Counter[int] = Counter()
        mentions, streams, frequency = [], [], Counter[int]()
        mentioned: list[list[int]] = [[] for _ in range(len(names))]
        for number, passage in enumerate(passages):
            document = int(corpus.document[number])
            found, stream = _located(names, term, passage)
            here = {name for name, _, _ in found}
            spread.update(here)
            for name in here - own[document]:
                mentioned[name].append(number)
            mentions.append([match for match in found if match[0] not in own[document]])
            streams.append(stream)
            frequency.update({t for _, t in stream}.union(title_terms[document]))
        seen = np.array([spread[name] for name in range(len(names))], np.int32)
        stands = np.array([frequency[t] for t in range(len(term))], np.int32)
        return cls(
            corpus.places,
            [ref.title or ref.id for ref in corpus.documents],
            corpus.document, first, names,
            Rows.of(mentions, 3), Rows.of(mentioned), seen,
            np.maximum(np.log((len(corpus) + 1) / (seen + 0.5)), 0),
            term, Rows.of(streams, 2), Rows.of(title_terms), stands,
            bm25_idf(stands, len(corpus)),
        )  # fmt: skip

    def terms(self, passage: int) -> Numbers:
        """Return the terms of a passage and of its title, with repeats."""
        of_title = self.title_terms[int(self.document[passage])]
        return np.concatenate([self.stream[passage][:, 1], of_title])

    @property
    def size_bytes(self) -> int:
        """What it needs as flat arrays, spellings of names, terms and titles included."""
        rows = (self.mentions, self.mentioned, self.stream, self.title_terms)
        arrays = (self.document, self.first, self.spread, self.rarity, self.frequency, self.idf)
        places = self.places.segment.nbytes + self.places.chunk.nbytes
        spelled = sum(
            len(text.encode()) for text in (*self.names.spelling, *self.term, *self.titles)
        )
        numbers = sum(part.size_bytes for part in rows) + sum(array.nbytes for array in arrays)
        return places + spelled + numbers


def _names(titles: list[str], passages: list[list[list[Word]]]) -> Names:
    names = Names()
    for document, title in enumerate(titles):
        for words in title_names(title):
            if is_name(words):
                names.define(words, document)
    seen: Counter[tuple[str, ...]] = Counter()
    spans: dict[tuple[str, ...], list[Word]] = {}
    for passage in passages:
        here = {}
        for sentence in passage:
            for span in capital_spans(sentence):
                here[tuple(word.plain for word in span)] = span
        seen.update(here.keys())
        spans |= {plain: span for plain, span in here.items() if plain not in spans}
    for plain, times in seen.items():
        if times > 1 and is_name(spans[plain]):
            names.add(spans[plain])
    return names


def _located(
    names: Names, term: dict[str, int], passage: list[list[Word]]
) -> tuple[list[tuple[int, int, int]], list[tuple[int, int]]]:
    """Return the mentions of a passage and its terms, each by position of its words."""
    found, stream, start = [], [], 0
    for sentence in passage:
        words = [word for word in sentence if not word.is_break]
        found += [
            (name, start + first, start + end - 1)
            for name, first, end in names.find(words)
            if is_mention(words[first:end])
        ]
        stream += [
            (start + place, term.setdefault(word.stem, len(term)))
            for place, word in enumerate(words)
            if not word.is_stop
        ]
        start += len(words) + _APART
    return found, stream


def _is_term(word: Word) -> bool:
    return not (word.is_break or word.is_stop)
