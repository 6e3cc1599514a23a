"""`bridge` in NumPy: entities in a dict, trees and vectors in arrays. The plain alternative."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import NO_PARENT, Forest
from bridgerag.store.segment import Segment

__all__ = ["Twin", "expanded", "pool_of"]

Numbers = NDArray[np.uint32]


class Twin:
    """From the keys of entities to the best chunks of one segment. Memory: 200 bytes a key."""

    def __init__(self, segment: Segment) -> None:
        keys, self._offsets, self._abstracts = segment.entities.entries()
        self._places = {key: place for place, key in enumerate(keys.tolist())}
        self._forest, self._vectors = segment.forest, segment.vectors

    def seeds(self, keys: Iterable[int]) -> Numbers:
        """Return the abstracts of some entities."""
        places = [self._places[key] for key in keys if key in self._places]
        lists = [self._abstracts[self._offsets[p] : self._offsets[p + 1]] for p in places]
        return np.unique(np.concatenate(lists)) if lists else np.empty(0, np.uint32)

    def best(
        self, keys: Iterable[int], vector: NDArray[np.float32], depth: int, k: int
    ) -> tuple[Numbers, NDArray[np.float32]]:
        """Return the ``k`` nearest chunks of the pool, best first, and their cosines."""
        pool = pool_of(self._forest, expanded(self._forest, self.seeds(keys), depth))
        scores = self._vectors[pool].astype(np.float32) @ vector
        order = np.lexsort((pool, -scores))[:k]
        return pool[order], scores[order]


def expanded(forest: Forest, seeds: Numbers, depth: int) -> Numbers:
    """Return seeds with their ancestors and descendants, in whole arrays a level at a time."""
    found = [seeds]
    above = below = seeds
    for _ in range(depth):
        above = forest.parent[above]
        above = np.unique(above[above != NO_PARENT])
        below = _runs(forest.first_child[below], forest.child_count[below])
        found += [above, below]
    return np.unique(np.concatenate(found))


def pool_of(forest: Forest, abstracts: Numbers) -> Numbers:
    """Return the chunks that abstracts own."""
    return np.unique(_runs(forest.first_chunk[abstracts], forest.chunk_count[abstracts]))


def _runs(first: Numbers, count: Numbers) -> Numbers:
    """Return first, first + 1, ... of each, ``count`` numbers long, one after the other."""
    ends = np.cumsum(count, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(first - (ends - count).astype(np.uint32), count) + np.arange(
        total, dtype=np.uint32
    )
