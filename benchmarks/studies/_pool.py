"""How much of what is searched the pool of `bridge` holds: where it is all, settings are alike."""

from __future__ import annotations

from bridgerag.retrieval import Found, Question, Timings
from bridgerag.retrieval.bridge import wide_enough
from bridgerag.store import Snapshot

__all__ = ["PoolShare"]


class PoolShare:
    """A method that finds nothing and notes which share of the chunks is in the pool."""

    share = 0.0

    def __call__(
        self, snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings
    ) -> Found:
        pool = wide_enough(snapshot, question, k, depth, timings)[1].chunks
        self.share = pool / snapshot.chunks if pool else 1.0  # then `hybrid` searches all
        return Found([], [], fallback=False)
