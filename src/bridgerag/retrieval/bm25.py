"""Lexical search: Okapi BM25 over all chunks, exact.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
with an inverse document frequency that stays above 0, as in Lucene. The terms are the store's own:
no function words, no stemming, and a document's title counts in each of its chunks.
"""

from __future__ import annotations

from dataclasses import replace

from bridgerag.retrieval.method import Found, Origin, Question, Selected, Timings
from bridgerag.retrieval.score import best_of_pools
from bridgerag.store import Snapshot

__all__ = ["bm25"]


def bm25(snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings) -> Found:
    """Return the ``k`` chunks of highest BM25, found exactly; ``depth`` plays no part.

    A chunk that holds no word of the question is not found. Scores are shares of the most that the
    question can get, in (0, 1].
    """
    with timings.stage("rank"):
        pools = [live.live_chunks() for live in snapshot.segments]
        best = best_of_pools(snapshot, replace(question, vector=None), pools, k)
        selected = [
            Selected(snapshot.segments[i], chunk, score, (), (Origin("lexical", score),))
            for i, chunk, score in best
            if score > 0
        ]
    return Found(selected, [], fallback=False)
