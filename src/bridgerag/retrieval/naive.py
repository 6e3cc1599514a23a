"""Naive RAG: the nearest chunks of the whole index, and nothing else. Source: Bridge-RAG §4.1."""

from __future__ import annotations

from bridgerag.retrieval.method import Found, Origin, Question, Selected, Timings
from bridgerag.retrieval.score import best_of_pools
from bridgerag.store import Snapshot

__all__ = ["naive"]


def naive(snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings) -> Found:
    """Return the ``k`` chunks of highest cosine, found exactly; ``depth`` plays no part."""
    with timings.stage("rank"):
        pools = [live.live_chunks() for live in snapshot.segments]
        best = best_of_pools(snapshot, question, pools, k)
        kind = "dense" if question.vector is not None else "lexical"
        selected = [
            Selected(snapshot.segments[i], chunk, score, (), (Origin(kind, score),))
            for i, chunk, score in best
        ]
    return Found(selected, [], fallback=False)
