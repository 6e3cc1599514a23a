"""Bridge-RAG's retrieval: entities, abstracts, chunks. Source: Algorithm 1, to the letter.

The question's entities give seed abstracts (A0); ancestors and descendants within ``depth`` join
them (A); the chunks that A owns are the pool; the ``k`` of highest cosine are selected. A store
without embeddings ranks the pool by BM25 instead.

The longest names win ("chunk size" over "chunk"). Where those lead to fewer than ``k`` chunks, the
entities inside them are followed too: a rare phrase must not shut the others out. A question that
names no entity known to the store, or none that narrows anything, is answered by `hybrid`, and the
result says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bridgerag.retrieval.hybrid import hybrid
from bridgerag.retrieval.method import Found, Question, Seeds, Selected, Timings
from bridgerag.retrieval.score import Scored, best_of_pools
from bridgerag.retrieval.seeds import find_seeds
from bridgerag.retrieval.trace import trace
from bridgerag.store import Snapshot
from bridgerag.types import Ids

__all__ = ["bridge", "open_pools", "reach"]

_HIGHEST = 64  # no tree has more levels: each is at most half as wide as the one below


def bridge(snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings) -> Found:
    """Return the best ``k`` chunks of the pool that the question's entities open."""
    depth = min(depth, _HIGHEST)
    seeds, expanded, pools = reach(snapshot, question, k, depth, timings)
    if not any(map(len, pools)):
        found = hybrid(snapshot, question, k, depth, timings)
        return Found(found.selected, seeds, fallback=True)
    with timings.stage("rank"):
        best = best_of_pools(snapshot, question, pools, k)
        selected = _explained(snapshot, best, expanded, seeds, depth)
    return Found(selected, seeds, fallback=False)


def reach(
    snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings
) -> tuple[list[Seeds], list[Ids], list[Ids]]:
    """Return the question's seeds, the expanded abstracts and the pools, one array a segment each.

    The entities inside the longest names are followed too where those lead to less than ``k``.
    """
    seeds = find_seeds(snapshot, question, timings)
    with timings.stage("expand"):
        expanded, pools = open_pools(snapshot, seeds, depth)
    if sum(map(len, pools)) < k:
        seeds = find_seeds(snapshot, question, timings, nested=True)
        with timings.stage("expand"):
            expanded, pools = open_pools(snapshot, seeds, depth)
    return seeds, expanded, pools


def open_pools(
    snapshot: Snapshot, seeds: Sequence[Seeds], depth: int
) -> tuple[list[Ids], list[Ids]]:
    """Return the expanded abstracts (eq. 1) and the chunks they own, one array a segment each."""
    forests = [live.segment.forest for live in snapshot.segments]
    expanded = [forest.expand(_union(seeds, i), depth) for i, forest in enumerate(forests)]
    pools = [forest.pool(found) for forest, found in zip(forests, expanded, strict=True)]
    return expanded, pools


def _union(seeds: Sequence[Seeds], segment: int) -> Ids:
    lists = [seed.abstracts[segment] for seed in seeds]
    return np.unique(np.concatenate(lists)) if lists else np.empty(0, np.uint32)


def _explained(
    snapshot: Snapshot, best: list[Scored], expanded: list[Ids], seeds: list[Seeds], depth: int
) -> list[Selected]:
    """Return the ranked chunks with their owners and origins, in the order given."""
    chosen: dict[tuple[int, int], Selected] = {}
    for i, live in enumerate(snapshot.segments):
        chunks = [chunk for segment, chunk, _ in best if segment == i]
        scores = [score for segment, _, score in best if segment == i]
        if not chunks:
            continue
        found = [(entity.text, entity.abstracts[i]) for entity in seeds]
        traced = trace(live, chunks, scores, expanded[i], found, depth)
        for chunk, score, (owners, origins) in zip(chunks, scores, traced, strict=True):
            chosen[i, chunk] = Selected(live, chunk, score, owners, origins)
    return [chosen[segment, chunk] for segment, chunk, _ in best]
