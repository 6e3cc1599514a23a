"""Search the whole index: cosine plus a share of BM25. What `bridge` falls back to.

Nothing is left out that a question might mean, so the answer is empty only when the store is. The
cost is one pass over all vectors.
"""

from __future__ import annotations

from bridgerag.retrieval.method import Found, Origin, Question, Selected, Timings
from bridgerag.retrieval.score import Scored, cosines, lexical_scores, merge, top
from bridgerag.store import Snapshot

__all__ = ["whole"]

# How much the best possible BM25 score weighs against a cosine of 1. Chosen, not yet tuned.
_LEXICAL_WEIGHT = 0.4


def whole(snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings) -> Found:
    """Return the ``k`` chunks of highest combined score; ``depth`` plays no part."""
    with timings.stage("rank"):
        lexical = lexical_scores(snapshot, question)
        dense = [cosines(live, question) for live in snapshot.segments]
        scored: list[Scored] = []
        for i, live in enumerate(snapshot.segments):
            combined = dense[i] + _LEXICAL_WEIGHT * lexical[i]
            ids, scores = top(combined, live.live_chunks(), k)
            scored += zip([i] * len(ids), ids.tolist(), scores.tolist(), strict=True)
        selected = [
            Selected(
                snapshot.segments[i], chunk, score, (),
                _origins(question, float(dense[i][chunk]), float(lexical[i][chunk])),
            )
            for i, chunk, score in merge(snapshot, scored, k)
        ]  # fmt: skip
    return Found(selected, [], fallback=False)


def _origins(question: Question, cosine: float, lexical: float) -> tuple[Origin, ...]:
    origins = [Origin("dense", cosine)] if question.vector is not None else []
    if lexical > 0 or not origins:
        origins.append(Origin("lexical", lexical))
    return tuple(origins)
