"""Grow the tree of abstracts over a document's chunks.

Every ``window`` consecutive chunks form a leaf abstract, or those of a window that follows the
content (`windows`); every ``branching`` consecutive abstracts form one of the next level, until a
single root is left. Source: Bridge-RAG §3.1, with the readings that an inner abstract owns the
union of its children's chunks and that a tree never leaves its document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import Forest
from bridgerag.types import Ids

__all__ = ["ROOT", "Tree", "grow", "grow_over", "join", "separate"]

ROOT = 0xFFFFFFFF  # the parent of a root
_SMALL = 64  # chunks


@dataclass(frozen=True, slots=True)
class Tree:
    """A forest as parallel arrays over its abstracts, in the order that the native core expects.

    The abstracts of a document are consecutive: leaves first, then each next level, the root last.
    The children of an abstract are consecutive and below it.

    Attributes:
        parent: the abstract above, `ROOT` for a root.
        first_child: the first abstract below; 0 for a leaf.
        child_count: 0 for a leaf.
        level: 0 for a leaf.
        first_chunk: the first chunk owned.
        chunk_count: how many consecutive chunks are owned, 1 or more.
    """

    parent: Ids
    first_child: Ids
    child_count: Ids
    level: NDArray[np.uint8]
    first_chunk: Ids
    chunk_count: Ids

    def __len__(self) -> int:
        return len(self.parent)

    def leaf_of(self, chunks: Ids) -> Ids:
        """Return the leaf that owns each of some chunks; numbered as those are."""
        leaves = np.flatnonzero(self.level == 0).astype(np.uint32)
        owners: Ids = np.repeat(leaves, self.chunk_count[leaves])[chunks]
        return owners

    def native(self) -> Forest:
        """Return the same forest for the native core."""
        return Forest(
            self.parent,
            self.first_child,
            self.child_count,
            self.level,
            self.first_chunk,
            self.chunk_count,
        )


def grow(chunks: int, window: int, branching: int) -> Tree:
    """Return the tree over ``chunks`` chunks (1 or more), numbered from 0; do not change it.

    The last abstract of each level is shorter when the numbers do not divide. Cost: linear. Small
    trees are kept: in most corpora, most documents have one of a few lengths.
    """
    return (_small if chunks <= _SMALL else _grow)(chunks, window, branching)


def _grow(chunks: int, window: int, branching: int) -> Tree:
    return grow_over(np.arange(0, chunks, window, dtype=np.uint32), chunks, branching)


_small = lru_cache(_SMALL)(_grow)


def grow_over(first: Ids, chunks: int, branching: int) -> Tree:
    """Return the tree over leaves that start at the chunks ``first``, ascending from 0."""
    levels = [(first, np.diff(first, append=np.uint32(chunks)))]
    while len(levels[-1][0]) > 1:
        below_first, below_count = levels[-1]
        starts = np.arange(0, len(below_first), branching)
        count = np.add.reduceat(below_count, starts).astype(np.uint32)
        levels.append((below_first[starts], count))
    return _link(levels, branching)


def _link(levels: list[tuple[Ids, Ids]], branching: int) -> Tree:
    sizes = [len(first) for first, _ in levels]
    offsets = np.cumsum([0, *sizes])
    parents, first_children, child_counts = [], [], []
    for level, size in enumerate(sizes):
        here = np.arange(size, dtype=np.uint32)
        is_root = level == len(sizes) - 1
        parents.append(
            np.full(size, ROOT, np.uint32)
            if is_root
            else (offsets[level + 1] + here // branching).astype(np.uint32)
        )
        if level == 0:
            first_children.append(np.zeros(size, np.uint32))
            child_counts.append(np.zeros(size, np.uint32))
        else:
            first_children.append((offsets[level - 1] + here * branching).astype(np.uint32))
            below = sizes[level - 1]
            child_counts.append(np.minimum(branching, below - here * branching).astype(np.uint32))
    return Tree(
        parent=np.concatenate(parents),
        first_child=np.concatenate(first_children),
        child_count=np.concatenate(child_counts),
        level=np.repeat(np.arange(len(sizes), dtype=np.uint8), sizes),
        first_chunk=np.concatenate([first for first, _ in levels]),
        chunk_count=np.concatenate([count for _, count in levels]),
    )


def join(trees: Sequence[Tree]) -> tuple[Tree, Ids, Ids]:
    """Return the forest of ``trees`` side by side, renumbered.

    Returns:
        ``(forest, first_abstract, first_chunk)``; the last two have shape ``(trees + 1,)`` and say
        where each tree's abstracts and chunks start, and where the last one's end.
    """
    sizes = np.array([len(tree) for tree in trees], np.int64)
    chunks = np.array([tree.chunk_count[-1] for tree in trees], np.int64)
    first_abstract = np.concatenate([[0], np.cumsum(sizes)]).astype(np.uint32)
    first_chunk = np.concatenate([[0], np.cumsum(chunks)]).astype(np.uint32)
    by_abstract = np.repeat(first_abstract[:-1], sizes)
    by_chunk = np.repeat(first_chunk[:-1], sizes)
    parent = np.concatenate([tree.parent for tree in trees])
    child_count = np.concatenate([tree.child_count for tree in trees])
    first_child = np.concatenate([tree.first_child for tree in trees])
    forest = Tree(
        parent=np.where(parent == ROOT, parent, parent + by_abstract).astype(np.uint32),
        first_child=np.where(child_count > 0, first_child + by_abstract, 0).astype(np.uint32),
        child_count=child_count,
        level=np.concatenate([tree.level for tree in trees]),
        first_chunk=np.concatenate([tree.first_chunk for tree in trees]) + by_chunk,
        chunk_count=np.concatenate([tree.chunk_count for tree in trees]),
    )
    return forest, first_abstract, first_chunk


def separate(forest: Forest, first_abstract: Ids, first_chunk: Ids, place: int) -> Tree:
    """Return the tree at ``place`` among those that `join` put side by side, as it was before."""
    start, end = first_abstract[place : place + 2].tolist()
    here = slice(start, end)
    count = forest.child_count[here]
    parent = forest.parent[here] - np.uint32(start)
    parent[-1] = ROOT
    first_child = np.where(count > 0, forest.first_child[here] - np.uint32(start), 0)
    return Tree(
        parent=parent,
        first_child=first_child.astype(np.uint32),
        child_count=count,
        level=forest.level[here],
        first_chunk=forest.first_chunk[here] - first_chunk[place],
        chunk_count=forest.chunk_count[here],
    )
