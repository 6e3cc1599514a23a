"""Score chunks by cosine and by BM25, and merge the best of several segments.

Order everywhere: higher score first, then lower document id, then earlier chunk. Segments keep
their documents in ascending order of ids, so inside a segment the lower number wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import dot_rows, rank
from bridgerag.entities.lexical import BM25_B, BM25_K1, bm25_idf, question_terms
from bridgerag.retrieval.method import Question
from bridgerag.store import Snapshot
from bridgerag.store.snapshot import LiveSegment
from bridgerag.types import Ids, Keys

__all__ = [
    "Scored",
    "Weighed",
    "best_of_pools",
    "cosines",
    "frequencies",
    "lexical_scores",
    "live_bytes",
    "merge",
    "top",
    "weigh",
]

Scored = tuple[int, int, float]  # position of the segment in the snapshot, chunk, score

_BLOCK = 256  # scores that are passed over together unless the highest is high
_SMALL = 8  # a pool of at most one chunk in so many has its chunks scored one by one


def best_of_pools(
    snapshot: Snapshot, question: Question, pools: Sequence[Ids | None], k: int
) -> list[Scored]:
    """Return the ``k`` best chunks of the pools, one pool a segment, best first.

    Args:
        pools: chunks without repeats; None stands for all chunks of the segment.

    By cosine, or by BM25 where the store has no embeddings.
    """
    scored: list[Scored] = []
    weighed = weigh(snapshot, question) if question.vector is None else None
    for i, (live, pool) in enumerate(zip(snapshot.segments, pools, strict=True)):
        if weighed is not None:
            ids, scores = _best_by_words(live, weighed, pool, k)
        elif question.vector is not None:
            live.segment.check_vectors(pool)
            ids, scores = rank(question.vector, live.segment.vectors, pool, k)
        scored += zip([i] * len(ids), ids.tolist(), scores.tolist(), strict=True)
    return merge(snapshot, scored, k)


def cosines(live: LiveSegment, question: Question) -> NDArray[np.float32]:
    """Return the cosine of every chunk of a segment; zeros for a store without embeddings."""
    if question.vector is None:
        return np.zeros(live.segment.chunks, np.float32)
    live.segment.check_vectors()
    return dot_rows(question.vector, live.segment.vectors, None)


@dataclass(frozen=True, slots=True)
class Weighed:
    """The terms of a question, weighed by the live chunks of all segments.

    So a chunk scores the same however the store is cut into segments, and what was removed weighs
    nothing.

    Attributes:
        terms: distinct, rarest first, then by key.
        frequency: in how many live chunks each stands.
        idf: what each is worth.
        average: terms of a live chunk, with repeats.
    """

    terms: Keys
    frequency: NDArray[np.int64]
    idf: NDArray[np.float32]
    average: float

    @property
    def most(self) -> float:
        """What no chunk can score more than."""
        return max(float(self.idf.sum()) * (BM25_K1 + 1), 1e-9)


def weigh(snapshot: Snapshot, question: Question) -> Weighed:
    """Return the terms of a question with what BM25 needs to know of them."""
    distinct = sorted(set(question_terms(question.words).tolist()))  # np.unique loads numpy.ma
    terms = np.array(distinct, np.uint64)
    frequency = frequencies(snapshot, terms)
    order = np.argsort(frequency, kind="stable")
    terms, frequency = terms[order], frequency[order]
    chunks = max(1, snapshot.chunks)
    length = snapshot.kept("terms", lambda: sum(map(_live_length, snapshot.segments)))
    average = max(1.0, length / chunks)
    return Weighed(terms, frequency, bm25_idf(frequency, chunks), average)


def lexical_scores(snapshot: Snapshot, question: Question) -> list[NDArray[np.float32]]:
    """Return BM25 of every chunk, one array a segment, as a share of the most the question can get.

    In [0, 1].
    """
    weighed = weigh(snapshot, question)
    return [_all_lexical(live, weighed) for live in snapshot.segments]


def _all_lexical(live: LiveSegment, weighed: Weighed) -> NDArray[np.float32]:
    index = live.segment.lexical
    scores = np.zeros(index.chunks, np.float32)
    found, values = index.score(
        weighed.terms, weighed.idf, weighed.average, BM25_K1, BM25_B, live_bytes(live)
    )
    scores[found] = values / weighed.most
    return scores


def _best_by_words(
    live: LiveSegment, weighed: Weighed, pool: Ids | None, k: int
) -> tuple[Ids, NDArray[np.float32]]:
    if pool is None or len(pool) * _SMALL > live.segment.chunks:
        return top(_all_lexical(live, weighed), pool, k)
    scores = live.segment.lexical.score_of(
        weighed.terms, weighed.idf, weighed.average, pool, BM25_K1, BM25_B
    )
    places, values = top(scores / np.float32(weighed.most), None, k)
    return pool[places], values


def frequencies(snapshot: Snapshot, terms: Keys) -> NDArray[np.int64]:
    """Return in how many live chunks each term stands."""
    frequency = np.zeros(len(terms), np.int64)
    for live in snapshot.segments:
        frequency += live.segment.lexical.df(terms, live_bytes(live))
    return frequency


def live_bytes(live: LiveSegment) -> NDArray[np.uint8] | None:
    """Return a byte a chunk, 1 for the live ones, or None when all are."""
    mask = live.chunk_mask()
    return None if mask is None else mask.view(np.uint8)


def _live_length(live: LiveSegment) -> int:
    """Return how many terms the live chunks hold, with repeats."""
    mask = live.chunk_mask()
    index = live.segment.lexical
    return index.total_length if mask is None else int(index.lengths[mask].sum(dtype=np.int64))


def top(scores: NDArray[np.float32], pool: Ids | None, k: int) -> tuple[Ids, NDArray[np.float32]]:
    """Return the ``k`` best of ``pool`` (None: all) and their scores, best first.

    Cost: mostly two passes over the scores.
    """
    values = scores if pool is None else scores[pool]
    places = np.flatnonzero(values >= _reached_by(values, k))
    values = values[places]
    if len(values) > k:
        keep = values >= np.partition(values, len(values) - k)[len(values) - k]
        places, values = places[keep], values[keep]
    ids = places.astype(np.uint32) if pool is None else pool[places]
    order = np.lexsort((ids, -values))[:k]
    return ids[order], values[order]


def _reached_by(values: NDArray[np.float32], k: int) -> float:
    """Return what ``k`` values or more reach, not many more as a rule: the ``k``-th best block."""
    blocks = len(values) // _BLOCK
    if blocks < k:
        return -np.inf
    highest = values[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    return float(np.partition(highest, blocks - k)[blocks - k])


def merge(snapshot: Snapshot, scored: list[Scored], k: int) -> list[Scored]:
    """Return the ``k`` best of what the segments gave, in the order above."""
    if len(snapshot.segments) == 1:
        scored.sort(key=lambda item: (-item[2], item[1]))
        return scored[:k]
    scored.sort(key=lambda item: (-item[2], item[0], item[1]))
    merged: list[Scored] = []
    for _, equal in groupby(scored, key=lambda item: item[2]):
        tied = list(equal)
        if len({i for i, _, _ in tied}) > 1:
            tied.sort(key=lambda item: (_document_id(snapshot, item), item[1]))
        merged += tied
        if len(merged) >= k:
            break
    return merged[:k]


def _document_id(snapshot: Snapshot, item: Scored) -> str:
    live = snapshot.segments[item[0]]
    return live.document(live.document_of_chunk(item[1]))[1].id
