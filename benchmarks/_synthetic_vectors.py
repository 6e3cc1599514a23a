"""Vectors of a synthetic corpus, in clusters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks._synthetic import BLOCK, Synthetic

__all__ = ["vectors"]


def vectors(
    made: Synthetic, dim: int = 384, documents: range | None = None
) -> Iterator[NDArray[np.float16]]:
    """Yield unit vectors, a row a chunk, in blocks of documents: all, or those of a part.

    Documents lie in clusters, the square root of the number of chunks, and the chunks of a
    document near to one another: mean cosine 0.8 there, 0.5 in a cluster.
    """
    chance = np.random.default_rng([made.seed, 3])
    centres = _directions(chance, max(2, int(made.chunks**0.5)), dim)
    cluster = chance.integers(0, len(centres), made.documents)
    part = range(made.documents) if documents is None else documents
    for start in range(part.start, part.stop, BLOCK):
        here = np.random.default_rng([made.seed, 4, start])
        of_block = slice(start, start + BLOCK)
        near = centres[cluster[of_block]] * np.float32(0.5**0.5)
        near += _directions(here, len(near), dim) * np.float32(0.3**0.5)
        sizes = np.diff(made.first[start : start + BLOCK + 1])
        rows = np.repeat(near, sizes, axis=0)
        rows += _directions(here, len(rows), dim) * np.float32(0.2**0.5)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        yield rows.astype(np.float16)


def _directions(chance: np.random.Generator, count: int, dim: int) -> NDArray[np.float32]:
    """Return rows of length 1 or nearly, each its own way."""
    return chance.standard_normal((count, dim), np.float32) / np.float32(dim**0.5)
