"""Embed abstracts by aggregating the vectors of the chunks they own. Source: Bridge-RAG §3.1."""

from __future__ import annotations

import numpy as np

from bridgerag.forest import Tree
from bridgerag.types import Vectors

__all__ = ["aggregate"]


def aggregate(vectors: Vectors, forest: Tree) -> Vectors:
    """Return one unit row an abstract: the direction of the mean of its chunks' vectors.

    Args:
        vectors: shape ``(chunks, dim)``.
        forest: owns exactly the rows of ``vectors``.

    Returns:
        float32, shape ``(abstracts, dim)``; a zero row where the chunks cancel out. Leaves are
        summed from their chunks and every level above from its children: O(chunks · dim).
    """
    sums = np.zeros((len(forest), vectors.shape[1]), np.float64)
    for level in range(int(forest.level.max(initial=0)) + 1):
        here = np.flatnonzero(forest.level == level)
        if level == 0:
            below, first = vectors, forest.first_chunk[here]
        else:
            below, first = sums, forest.first_child[here]
        count = forest.chunk_count[here] if level == 0 else forest.child_count[here]
        _sum_runs(below, first.astype(np.int64), count.astype(np.int64), sums, here)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.where(norms > 0, norms, 1.0)).astype(np.float32)


def _sum_runs(
    rows: np.ndarray, first: np.ndarray, count: np.ndarray, out: np.ndarray, where: np.ndarray
) -> None:
    """Put the sum of ``rows[first : first + count]`` into ``out[where]``, run by run at once."""
    for offset in range(int(count.max(initial=0))):
        inside = count > offset
        out[where[inside]] += rows[first[inside] + offset]
