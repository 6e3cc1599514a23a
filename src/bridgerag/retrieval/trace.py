"""Say why a chunk came: which entity, from which seed, up or down how many levels.

The trace is worked out for the selected chunks only, after ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bridgerag.retrieval.method import Origin
from bridgerag.store import LiveSegment
from bridgerag.types import Ids

__all__ = ["trace"]

Way = tuple[int, int]  # steps upwards, seed


def trace(
    live: LiveSegment,
    chunks: Sequence[int],
    scores: Sequence[float],
    expanded: Ids,
    seeds: Sequence[tuple[str, Ids]],
    depth: int,
) -> Iterator[tuple[tuple[int, ...], tuple[Origin, ...]]]:
    """Yield for each chunk of a segment its expanded owners, narrowest first, and its origins.

    Args:
        expanded: the expanded abstracts of the segment, ascending.
        seeds: each entity of the question with its seeds in the segment, ascending.

    For every entity that leads to the chunk there is one origin, the way with the fewest levels.
    """
    segment, forest = live.segment, live.segment.forest
    documents = segment.documents_of_chunks(np.array(chunks, np.uint32))
    first, last = segment.first_abstract[documents], segment.first_abstract[documents + 1]
    reached = _ways(live, [found for _, found in seeds], documents, depth)
    ways = [(entity, way) for (entity, _), way in zip(seeds, reached, strict=True) if way]
    low, high = np.searchsorted(expanded, first), np.searchsorted(expanded, last)
    for chunk, score, begin, end in zip(chunks, scores, low.tolist(), high.tolist(), strict=True):
        here = expanded[begin:end]
        past = chunk - forest.first_chunk[here].astype(np.int64)
        owners = here[(past >= 0) & (past < forest.chunk_count[here])].tolist()
        yield (
            tuple(owners),
            tuple(
                Origin("entity", score, entity, *way)
                for entity, reached_here in ways
                if (way := _shortest(live, owners, reached_here, depth)) is not None
            ),
        )


def _ways(
    live: LiveSegment, seeds: Sequence[Ids], documents: NDArray[np.intp], depth: int
) -> list[dict[int, Way]]:
    """Return for each entity what its seeds in some documents reach upwards, in fewest steps."""
    forest = live.segment.forest
    here = np.concatenate(seeds) if seeds else np.empty(0, np.uint32)
    entity = np.repeat(np.arange(len(seeds)), [len(found) for found in seeds])
    wanted = np.zeros(live.segment.documents, bool)
    wanted[documents] = True
    inside = wanted[live.segment.documents_of_abstracts(here)]
    here, entity = here[inside], entity[inside]
    origin = here
    ways: list[dict[int, Way]] = [{} for _ in seeds]
    for steps in range(depth + 1):
        for e, abstract, seed in zip(entity.tolist(), here.tolist(), origin.tolist(), strict=True):
            ways[e].setdefault(abstract, (steps, seed))
        here = forest.parent[here]
        climbed = here < len(forest)  # a root has no parent
        here, entity, origin = here[climbed], entity[climbed], origin[climbed]
        if not len(here):
            break
    return ways


def _shortest(
    live: LiveSegment, owners: Sequence[int], reached: dict[int, Way], depth: int
) -> tuple[int, int, int] | None:
    """Return ``(seed, owner, steps)`` with the fewest levels climbed; None when no way leads here.

    Owners lie on one path from leaf to root. A seed among them goes on down to the narrowest owner
    within ``depth``.
    """
    ways = [(reached[owner], place) for place, owner in enumerate(owners) if owner in reached]
    if not ways:
        return None
    (steps, seed), place = min(ways, key=lambda way: (way[0][0], way[1]))
    if steps:
        return seed, owners[place], steps
    down = min(depth, place)
    return seed, owners[place - down], -down
