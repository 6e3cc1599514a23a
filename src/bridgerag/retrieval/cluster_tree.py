"""Grow RAPTOR's tree: cluster the nodes of a level, summarise each cluster, and go on from there.

Source: Sarthi et al. (2024), section 3. The tree ends where a level has too few nodes to cluster,
which are eleven, or after five levels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bridgerag.retrieval.clusters import DIMS, Reduce, Rows, cluster
from bridgerag.retrieval.summaries import Summarize, tokens_in
from bridgerag.types import Vectors

__all__ = ["Embed", "Level", "grow_levels"]

Embed = Callable[[Sequence[str]], Vectors]
"""From texts to unit vectors, by the model of the store."""

_MOST_LEVELS = 5
_LONGEST_TOKENS = 3500  # of the texts in a cluster


@dataclass(frozen=True, slots=True)
class Level:
    """The summaries of one level.

    Attributes:
        vectors: shape ``(n, dim)``, unit length.
        summaries: the text of each.
        members: the nodes of the level below that each summarises, ascending.
    """

    vectors: Vectors
    summaries: list[str]
    members: list[Rows]

    @property
    def size_bytes(self) -> int:
        """Memory of vectors, texts and links."""
        texts = sum(len(text.encode("utf-8", "replace")) for text in self.summaries)
        return self.vectors.nbytes + texts + sum(rows.nbytes for rows in self.members)


def grow_levels(
    vectors: Vectors,
    texts: Sequence[str],
    summarize: Summarize,
    embed: Embed | None = None,
    reduce: Reduce | None = None,
) -> list[Level]:
    """Return the levels above some leaves, lowest first; each has fewer nodes than the one below.

    Args:
        vectors: shape ``(n, dim)``, unit length, of the leaves.
        texts: theirs.
        embed: embeds the summaries. Without it, a node's vector is the mean of its members'.
        reduce: see `cluster`.
    """
    levels: list[Level] = []
    while len(vectors) > DIMS + 1 and len(levels) < _MOST_LEVELS:
        lengths = np.array([tokens_in(text) for text in texts], np.int64)
        members = cluster(vectors, lengths, _LONGEST_TOKENS, reduce)
        if len(members) >= len(vectors):
            break
        means = np.array([vectors[rows].mean(axis=0) for rows in members], np.float32)
        means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-9)
        summaries = []
        for rows, mean in zip(members, means, strict=True):
            typical = rows[np.argsort(-(vectors[rows] @ mean), kind="stable")]
            summaries.append(summarize([texts[row] for row in typical.tolist()]))
        vectors, texts = means if embed is None else embed(summaries), summaries
        levels.append(Level(vectors, summaries, members))
    return levels
