"""The entity trees of a corpus, and which chunks name which entity: what tree methods search in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import ngram_keys
from bridgerag.entities import Vocabulary, title_keys
from bridgerag.entities.recognize import MAX_WORDS
from bridgerag.entities.relations import Extractor
from bridgerag.entities.tokens import TOKEN
from bridgerag.entities.trees import EntityForest, entity_trees, filter_relations
from bridgerag.retrieval.corpus import Corpus, Places
from bridgerag.text import sentence_spans
from bridgerag.types import Ids, Keys

__all__ = ["EntityTrees"]

Pairs = NDArray[np.int64]  # shape (2, m): entities, chunks


@dataclass(frozen=True, slots=True)
class EntityTrees:
    """Entity trees and their chunks, which are numbered as in the corpus.

    Attributes:
        known: shape ``(entities,)``, the entities' keys, ascending.
        offsets: shape ``(entities + 1,)``; ``chunks[offsets[i]:offsets[i + 1]]``, ascending, are
            those that name entity ``i``, that state a relation of it, or whose document it titles.
    """

    forest: EntityForest
    known: Keys
    places: Places
    offsets: NDArray[np.int64]
    chunks: Ids

    @classmethod
    def of(cls, corpus: Corpus, extract: Extractor) -> EntityTrees:
        """Return the trees that the relations in a corpus make. Cost: two passes over its texts."""
        forest = entity_trees(filter_relations(extract(corpus.texts)))
        pairs = np.concatenate([np.empty((2, 0), np.int64), *_mentions(corpus, forest)], axis=1)
        entity, chunk = np.unique(pairs, axis=1)
        offsets = np.searchsorted(entity, np.arange(len(forest.names) + 1))
        known = np.sort(forest.keys)
        return cls(forest, known, corpus.places, offsets, chunk.astype(np.uint32))

    def contains(self, keys: Keys) -> NDArray[np.bool_]:
        """Return which of ``keys`` are entities, same shape. Cost: a binary search each."""
        if not len(self.known):
            return np.zeros(len(keys), np.bool_)
        at = np.minimum(np.searchsorted(self.known, keys), len(self.known) - 1)
        return np.equal(self.known[at], keys)

    def chunks_of(self, entity: int) -> Ids:
        """Return the chunks of an entity, ascending."""
        return self.chunks[self.offsets[entity] : self.offsets[entity + 1]]

    def chunks_at(self, node: int) -> Ids:
        """Return the chunks of the entity at a node, ascending."""
        return self.chunks_of(self.forest.entity[node])

    def count(self, nodes: Sequence[int]) -> int:
        """Return how many chunks the entity has that stands at ``nodes``."""
        return len(self.chunks_at(nodes[0])) if nodes else 0

    @property
    def size_bytes(self) -> int:
        """Memory that the trees and the lists of chunks need as flat arrays, names included."""
        names = sum(len(name.encode()) for name in self.forest.names)
        nodes = 3 * 4 * len(self.forest)  # entity, parent, place among the children
        return names + nodes + 2 * self.known.nbytes + self.offsets.nbytes + self.chunks.nbytes


def _mentions(corpus: Corpus, forest: EntityForest) -> Iterator[Pairs]:
    """Yield which entity is in which chunk; a pair may come again."""
    order = np.argsort(forest.keys)
    known = forest.keys[order]
    vocabulary = Vocabulary()
    for number, text in enumerate(corpus.texts):
        for start, end in sentence_spans(text):  # a name does not go on in the next sentence
            words = vocabulary.look_up(TOKEN.findall(text, start, end))["key"]
            grams = ngram_keys(words[words != 0], MAX_WORDS)
            yield _pairs(order[_find(known, grams)], number)
    for number, document in enumerate(corpus.documents):
        titled = order[_find(known, np.array(title_keys(document.title), np.uint64))]
        first, last = np.searchsorted(corpus.document, (number, number + 1)).tolist()
        for chunk in range(first, last):
            yield _pairs(titled, chunk)
    for entity, stated in enumerate(forest.chunks):
        yield _pairs(stated, entity)[::-1]


def _pairs(entities: Sequence[int] | NDArray[np.intp], chunk: int) -> Pairs:
    return np.array([entities, np.full(len(entities), chunk)], np.int64)


def _find(known: Keys, wanted: Keys) -> Ids:
    """Return the places in ascending ``known`` of those of ``wanted`` that are there."""
    if not len(known):
        return np.empty(0, np.uint32)
    at: Ids = np.minimum(np.searchsorted(known, wanted), len(known) - 1).astype(np.uint32)
    there: Ids = at[known[at] == wanted]
    return there
