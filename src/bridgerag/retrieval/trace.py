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
    ways = [(entity, _ways(live, found, np.unique(documents), depth)) for entity, found in seeds]
    low, high = np.searchsorted(expanded, first), np.searchsorted(expanded, last)
    for chunk, score, begin, end in zip(chunks, scores, low.tolist(), high.tolist(), strict=True):
        here = expanded[begin:end]
        past = chunk - forest.first_chunk[here].astype(np.int64)
        owners = here[(past >= 0) & (past < forest.chunk_count[here])].tolist()
        yield (
            tuple(owners),
            tuple(
                Origin("entity", score, entity, *way)
                for entity, reached in ways
                if (way := _shortest(live, owners, reached, depth)) is not None
            ),
        )


def _ways(live: LiveSegment, seeds: Ids, documents: NDArray[np.intp], depth: int) -> dict[int, Way]:
    """Return what the seeds in some documents reach upwards, each with the fewest steps."""
    forest, borders = live.segment.forest, live.segment.first_abstract
    low = np.searchsorted(seeds, borders[documents])
    high = np.searchsorted(seeds, borders[documents + 1])
    inside = [seeds[a:b] for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    starts = np.concatenate(inside) if inside else seeds[:0]
    reached: dict[int, Way] = {}
    here, origins = starts, starts.tolist()
    for steps in range(depth + 1):
        for abstract, seed in zip(here.tolist(), origins, strict=True):
            reached.setdefault(abstract, (steps, seed))
        here = forest.parent[here]
        below_root = here < len(forest)
        here, origins = here[below_root], [s for s, b in zip(origins, below_root, strict=True) if b]
        if not origins:
            break
    return reached


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
