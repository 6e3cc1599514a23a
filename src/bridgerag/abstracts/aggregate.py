"""Embed abstracts by aggregating the vectors of the chunks they own. Source: Bridge-RAG §3.1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridgerag.forest import Tree
from bridgerag.types import Ids, Vectors

__all__ = ["aggregate"]

Places = NDArray[np.intp]


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
            _sum_runs(vectors, forest.first_chunk[here], forest.chunk_count[here], sums, here)
        else:
            _sum_runs(sums, forest.first_child[here], forest.child_count[here], sums, here)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.where(norms > 0, norms, 1.0)).astype(np.float32)


def _sum_runs(
    rows: NDArray[np.floating], first: Ids, count: Ids, out: NDArray[np.float64], where: Places
) -> None:
    """Put the sum of ``rows[first : first + count]`` into ``out[where]``, run by run at once."""
    for offset in range(int(count.max(initial=0))):
        inside = count > offset
        out[where[inside]] += rows[first[inside] + offset]
