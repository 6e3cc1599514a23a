"""Search the whole index by cosine and BM25 together: exact, and what `bridge` falls back to.

A chunk's score is its cosine, plus half of its BM25 where the best chunk of the question has a BM25
of 1. Nothing is left out that a question might mean, so the answer is empty only when the store is.
The cost is one pass over all vectors.

One weight for all, chosen on the dev parts of 2WikiMultihopQA, MuSiQue, HotpotQA, XQuAD-en and
PubMedQA; mean recall@2 and @5, and in the last column recall@5 on XQuAD in Spanish, Russian, Arabic
and Chinese, which the bundled model hardly knows:

    cosine                                   69.1  77.2  33.1
    BM25                                     69.4  78.1  95.0
    cosine + 0.4 BM25 / best                 72.7  81.0  90.4
    cosine + 0.5 BM25 / best                 73.0  80.9  93.2
    cosine + 0.7 BM25 / best                 73.0  80.9  94.5
    cosine + 0.4 BM25 / most it can get      71.4  79.8  57.4
    cosine + 1.0 BM25 / most it can get      72.5  80.8  80.8
    0.6 cosine + 0.4 BM25, min-max scaled    73.0  80.9  91.3
    reciprocal ranks (k = 60), half and half 71.5  79.8  75.8

From 0.4 to 0.7 English is flat; 0.5 lies inside that range, 0.7 at its end.
"""

from __future__ import annotations

from bridgerag.retrieval.method import Found, Origin, Question, Selected, Timings
from bridgerag.retrieval.score import Scored, cosines, lexical_scores, merge, top
from bridgerag.store import Snapshot

__all__ = ["LEXICAL_WEIGHT", "hybrid"]

LEXICAL_WEIGHT = 0.5  # of the question's best BM25, against a cosine of 1


def hybrid(snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings) -> Found:
    """Return the ``k`` chunks of highest combined score; ``depth`` plays no part."""
    with timings.stage("rank"):
        lexical = lexical_scores(snapshot, question)
        dense = [cosines(live, question) for live in snapshot.segments]
        most = max((float(part.max(initial=0.0)) for part in lexical), default=0.0)
        weight = LEXICAL_WEIGHT / most if most > 0 else 0.0
        scored: list[Scored] = []
        for i, live in enumerate(snapshot.segments):
            ids, scores = top(dense[i] + weight * lexical[i], live.live_chunks(), k)
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
