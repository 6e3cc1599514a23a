"""The graph that `graph` walks: entities, what goes with what, and the chunks they are in.

Source: Bridge-RAG §4.1 ("entities and their typed relations form a directed graph"); Edge et al.,
"From Local to Global: A Graph RAG Approach to Query-Focused Summarization" (2024), where a language
model reads both from each chunk. What stands in for it: an entity is a capitalised name that two
chunks or more hold, or what a document is titled, or what a relation joins; relations come from
lexical patterns, or from any `Extractor`.

An edge is a relation that a text states ("is part of"), or joins two entities of a sentence, or
what a document is titled and an entity in it (both "is mentioned with": an article seldom repeats
the name of its subject). Every edge keeps the chunk that it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import EMPTY_ENTITY
from bridgerag.entities import entity_key, question_words, recognize, title_keys
from bridgerag.entities.noun_phrases import read_frame
from bridgerag.entities.relations import Extractor, Relation
from bridgerag.retrieval.corpus import Corpus, Places
from bridgerag.text import sentence_spans
from bridgerag.types import Keys

__all__ = ["EntityGraph", "Numbers", "Offsets"]

_WITH = "is mentioned with"
_MOST_IN_SENTENCE = 12  # entities that are paired; a sentence with more is a list

Numbers = NDArray[np.int32]
Offsets = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class EntityGraph:
    """Entities by number, each with a list of chunks and a list of edges; chunks as in the corpus.

    Attributes:
        keys: shape ``(n,)``, ascending.
        names: as a text spells them.
        rarity: shape ``(n,)``, in (0, 1]: the idf of each, 1 for what is in one chunk.
        mention_offsets: shape ``(n + 1,)``; the chunks of entity i are
            ``mentions[mention_offsets[i]:mention_offsets[i + 1]]``, ascending.
        titled: for each mention, whether the entity is what the chunk's document is titled.
        edge_offsets: shape ``(n + 1,)``, likewise for the edges at entity i. A relation stands once
            at its head and once at its tail.
        target: the entity at the other end of each edge.
        kind: of each edge, a place in `kinds`; the first of them is no relation.
        forward: whether the entity at hand is the head, for each edge.
        source: the chunk that each edge comes from.
    """

    keys: Keys
    names: list[str]
    rarity: NDArray[np.float32]
    kinds: list[str]
    places: Places
    mention_offsets: Offsets
    mentions: Numbers
    titled: NDArray[np.bool_]
    edge_offsets: Offsets
    target: Numbers
    kind: Numbers
    forward: NDArray[np.bool_]
    source: Numbers

    @classmethod
    def of(cls, corpus: Corpus, extract: Extractor) -> EntityGraph:
        """Return the graph of a corpus. Cost: about 1 ms a chunk of 80 words."""
        sentences = [
            (number, text[start:end])
            for number, text in enumerate(corpus.texts)
            for start, end in sentence_spans(text)
        ]
        relations = list(extract(corpus.texts))
        names = _names(corpus, sentences, relations)
        keys = np.array(sorted(names), np.uint64)
        found = _Found(keys, corpus, sentences, relations)
        mentions, edges = _distinct(found.mentions(), 2), _distinct(found.edges(), 5)
        numbers = np.arange(len(keys) + 1)
        mention_offsets = np.searchsorted(mentions[:, 0], numbers)
        return cls(
            keys=keys,
            names=[names[key] for key in keys.tolist()],
            rarity=_rarity(np.diff(mention_offsets), len(corpus)),
            kinds=[_WITH, *found.kinds],
            places=corpus.places,
            mention_offsets=mention_offsets,
            mentions=np.ascontiguousarray(mentions[:, 1]),
            titled=found.titled(mentions),
            edge_offsets=np.searchsorted(edges[:, 0], numbers),
            target=np.ascontiguousarray(edges[:, 1]),
            kind=np.ascontiguousarray(edges[:, 2]),
            forward=edges[:, 3] > 0,
            source=np.ascontiguousarray(edges[:, 4]),
        )

    def find(self, keys: Keys) -> NDArray[np.intp]:
        """Return the entities of some keys, -1 for what is none."""
        return _find(self.keys, keys)

    def ends(self, edge: int) -> tuple[int, int]:
        """Return head and tail of an edge."""
        here = int(np.searchsorted(self.edge_offsets, edge, side="right")) - 1
        there = int(self.target[edge])
        return (here, there) if self.forward[edge] else (there, here)

    def sentence(self, edge: int, mark: str = "") -> str:
        """Return what an edge says, with ``mark`` before and after each name."""
        head, tail = (f"{mark}{self.names[end]}{mark}" for end in self.ends(edge))
        return f"{head} {self.kinds[self.kind[edge]]} {tail}"

    @property
    def size_bytes(self) -> int:
        """Memory of arrays and names."""
        arrays: tuple[NDArray[np.generic], ...] = (
            *(self.keys, self.rarity, self.places.segment, self.places.chunk),
            *(self.mention_offsets, self.mentions, self.titled),
            *(self.edge_offsets, self.target, self.kind, self.forward, self.source),
        )
        names = sum(len(name.encode("utf-8", "replace")) for name in self.names)
        return names + sum(array.nbytes for array in arrays)


# ---- building -----------------------------------------------------------------------------------

Sentences = Sequence[tuple[int, str]]  # each with the number of its chunk


def _names(corpus: Corpus, sentences: Sentences, relations: Iterable[Relation]) -> dict[int, str]:
    """Return the entities by their keys, each as it is spelled first."""
    spelled: dict[int, str] = {}
    first_chunk: dict[int, int] = {}
    kept: set[int] = set()
    for number, sentence in sentences:
        for phrase in read_frame(sentence).phrases:
            if phrase.is_name:
                key = entity_key(phrase.text)
                spelled.setdefault(key, phrase.text)
                if first_chunk.setdefault(key, number) != number:
                    kept.add(key)
    known = [(entity_key(name), name) for r in relations for name in (r.head, r.tail)]
    known += [(key, ref.title) for ref in corpus.documents for key in title_keys(ref.title)]
    for key, name in known:
        spelled.setdefault(key, name)
        kept.add(key)
    return {key: spelled[key] for key in kept if key != EMPTY_ENTITY}


class _Found:
    """What the texts say of the entities, in numbers.

    Attributes:
        kinds: of the relations; edges name them from 1 on.
    """

    def __init__(
        self, keys: Keys, corpus: Corpus, sentences: Sentences, relations: Iterable[Relation]
    ) -> None:
        self._document = corpus.document
        self._titles = [
            _present(_find(keys, np.array(title_keys(ref.title), np.uint64)))
            for ref in corpus.documents
        ]
        self._inside = [(number, _entities(keys, sentence)) for number, sentence in sentences]
        kinds: dict[str, int] = {}
        self._stated: list[tuple[int, int, int, int]] = []
        for relation in relations:
            ends = [entity_key(relation.head), entity_key(relation.tail)]
            head, tail = _find(keys, np.array(ends, np.uint64)).tolist()
            if head != tail and head >= 0 and tail >= 0:
                kind = kinds.setdefault(relation.kind, len(kinds) + 1)
                self._stated.append((head, tail, kind, relation.chunk))
        self.kinds = list(kinds)

    def mentions(self) -> Iterator[tuple[int, int]]:
        """Yield which entity is in which chunk; pairs may come again."""
        for number, entities in self._inside:
            for entity in entities:
                yield entity, number
        for head, tail, _, number in self._stated:
            yield head, number
            yield tail, number
        for number, document in enumerate(self._document.tolist()):
            for entity in self._titles[document]:
                yield entity, number

    def titled(self, mentions: Numbers) -> NDArray[np.bool_]:
        """Return for each mention whether the entity is what the chunk's document is titled."""
        documents = len(self._titles)
        titles = [e * documents + d for d, entities in enumerate(self._titles) for e in entities]
        pairs = mentions[:, 0].astype(np.int64) * documents + self._document[mentions[:, 1]]
        return np.isin(pairs, np.array(titles, np.int64))

    def edges(self) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield edges: here, there, kind, whether forward, chunk; they may come again."""
        for head, tail, kind, number in self._stated:
            yield head, tail, kind, 1, number
            yield tail, head, kind, 0, number
        document = self._document.tolist()
        for number, entities in self._inside:
            yield from _together(entities[:_MOST_IN_SENTENCE], number)
            for title, entity in product(self._titles[document[number]], entities):
                if title != entity:
                    yield from _together((title, entity), number)


def _together(entities: Sequence[int], number: int) -> Iterator[tuple[int, int, int, int, int]]:
    for one, other in combinations(entities, 2):
        yield one, other, 0, 1, number
        yield other, one, 0, 1, number


def _entities(keys: Keys, sentence: str) -> list[int]:
    """Return the entities that a sentence names, each once; the longest names win."""

    def contains(wanted: Keys) -> NDArray[np.bool_]:
        return _find(keys, wanted) >= 0

    mentions = recognize(question_words(sentence), contains)
    found = _find(keys, np.array([mention.key for mention in mentions], np.uint64))
    return list(dict.fromkeys(found.tolist()))


def _find(known: Keys, wanted: Keys) -> NDArray[np.intp]:
    """Return where in ascending ``known`` some keys stand, -1 for those that do not."""
    if not len(known):
        return np.full(len(wanted), -1)
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[places] == wanted, places, -1)


def _present(found: NDArray[np.intp]) -> list[int]:
    return [place for place in found.tolist() if place >= 0]


def _distinct(rows: Iterable[tuple[int, ...]], width: int) -> Numbers:
    """Return rows in ascending order, each once, shape ``(n, width)``."""
    table = np.fromiter(chain.from_iterable(rows), np.int32).reshape(-1, width)
    table = table[np.lexsort(table.T[::-1])]
    new = np.ones(len(table), np.bool_)
    new[1:] = (table[1:] != table[:-1]).any(axis=1)
    return table[new]


def _rarity(spread: Offsets, chunks: int) -> NDArray[np.float32]:
    idf = np.log1p(chunks / np.maximum(spread, 1))
    rarity: NDArray[np.float32] = (idf / np.log1p(max(chunks, 1))).astype(np.float32)
    return rarity
