"""Bridge-RAG's retrieval: entities, abstracts, chunks. Source: Algorithm 1, to the letter.

The question's entities give seed abstracts (A0); ancestors and descendants within ``depth`` join
them (A); the chunks that A owns are the pool; the ``k`` of highest cosine are selected. A store
without embeddings ranks the pool by BM25 instead. A question that names no entity known to the
store, or none that narrows anything, is answered by `whole`, and the result says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bridgerag.retrieval.method import Found, Origin, Question, Seeds, Selected, Timings
from bridgerag.retrieval.score import best_of_pools
from bridgerag.retrieval.seeds import find_seeds
from bridgerag.retrieval.whole import whole
from bridgerag.store import Snapshot
from bridgerag.store.snapshot import LiveSegment
from bridgerag.types import Ids

__all__ = ["bridge", "open_pools"]


def bridge(snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings) -> Found:
    """Return the best ``k`` chunks of the pool that the question's entities open."""
    seeds = find_seeds(snapshot, question, timings)
    with timings.stage("expand"):
        expanded, pools = open_pools(snapshot, seeds, depth)
    if not any(len(pool) for pool in pools):
        found = whole(snapshot, question, k, depth, timings)
        return Found(found.selected, seeds, fallback=True)
    with timings.stage("rank"):
        best = best_of_pools(snapshot, question, pools, k)
        kind = "dense" if question.vector is not None else "lexical"
        selected = []
        for i, chunk, score in best:
            live = snapshot.segments[i]
            owners = _owners(live, chunk, expanded[i])
            origins = _origins(live, owners, seeds, i, depth, score)
            selected.append(Selected(live, chunk, score, owners, origins or (Origin(kind, score),)))
    return Found(selected, seeds, fallback=False)


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


def _owners(live: LiveSegment, chunk: int, expanded: Ids) -> tuple[int, ...]:
    """Return the expanded abstracts that own ``chunk``, narrowest first."""
    document = int(live.segment.documents_of_chunks(np.array([chunk], np.uint32))[0])
    first, last = live.segment.first_abstract[document : document + 2].tolist()
    low, high = np.searchsorted(expanded, [first, last])
    here = expanded[low:high]
    forest = live.segment.forest
    start = forest.first_chunk[here]
    owns = (start <= chunk) & (chunk < start + forest.chunk_count[here])
    return tuple(here[owns].tolist())


def _origins(
    live: LiveSegment,
    owners: tuple[int, ...],
    seeds: Sequence[Seeds],
    segment: int,
    depth: int,
    score: float,
) -> tuple[Origin, ...]:
    """Return, for each entity that leads to the chunk, its shortest way through the forest."""
    origins = []
    for entity in seeds:
        way = _shortest_way(live, owners, entity.abstracts[segment], depth)
        if way is not None:
            origins.append(Origin("entity", score, entity.text, *way))
    return tuple(origins)


def _shortest_way(
    live: LiveSegment, owners: tuple[int, ...], seeds: Ids, depth: int
) -> tuple[int, int, int] | None:
    """Return ``(seed, owner, steps)`` with the fewest levels between them; None when there is none.

    Owners lie on one path from leaf to root. A seed among them reaches the narrowest owner
    downwards; any other seed climbs until it meets the path, if it is of the same document.
    """
    forest = live.segment.forest
    path = set(owners)
    document = int(live.segment.documents_of_abstracts(np.array(owners[:1], np.uint32))[0])
    first, last = live.segment.first_abstract[document : document + 2].tolist()
    low, high = np.searchsorted(seeds, [first, last])
    candidates = seeds[low:high]
    for steps in range(depth + 1):
        meeting = [
            (int(origin), int(here))
            for origin, here in zip(seeds[low:high].tolist(), candidates.tolist(), strict=True)
            if here in path
        ]
        if meeting:
            seed, owner = meeting[0]
            if steps:
                return seed, owner, steps
            down = min(depth, int(forest.level[seed]) - int(forest.level[owners[0]]))
            return seed, owners[owners.index(seed) - down], -down
        candidates = forest.parent[np.minimum(candidates, len(forest) - 1)]
    return None
