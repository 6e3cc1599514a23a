"""Walk from some entities of a graph along its edges, by the best few from each.

Source: Bridge-RAG §4.1, multi-hop expansion along the graph; the weights are ours, see `graph`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgerag.retrieval.entity_graph import EntityGraph, Numbers

__all__ = ["Reached", "firsts", "spans", "walk"]

_FAN_OUT = 20  # edges followed from an entity
_BEAM = 30  # entities that a hop goes on from
_FALLING = 0.9  # of the closeness, with each hop
_RELATION = 1.5  # against standing together
_RARITY_POWER = 0.5
_LEAST_NEARNESS = 0.01  # so that every edge leads somewhere
_MOST_STATED = 20

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]
Cosines = Callable[[Numbers], Floats]
"""From chunks to their cosines with the question."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How close the entities of a graph are to a question.

    Attributes:
        closeness: shape ``(n,)``, in [0, 1]; 0 where the walk did not come.
        edge: shape ``(n,)``, the edge that each was reached by, -1 where the walk began.
        stated: the best relations that the walk came by, best first, as places of edges.
    """

    closeness: Floats
    edge: Indices
    stated: list[int]


def walk(graph: EntityGraph, start: Floats, cosines: Cosines, depth: int) -> Reached:
    """Return what is reached within ``depth`` edges.

    Args:
        start: shape ``(n,)``, the closeness of the entities that the walk begins at, 0 elsewhere.
        cosines: asked once a hop, for the chunks that state the edges ahead.

    Cost: sorting the edges of 30 entities a hop, and of all that the walk begins at.
    """
    closeness, edge = start.copy(), np.full(len(start), -1, np.intp)
    stated: list[tuple[float, int]] = []
    front = np.flatnonzero(start)
    for _ in range(depth):
        edges, of = spans(graph.edge_offsets, front)
        if not len(edges):
            break
        worth = _worth(graph, edges, cosines)
        best = _best_few(graph, edges, of, worth)
        edges, gain = edges[best], _FALLING * closeness[front[of[best]]] * worth[best]
        stated += _relations(graph, edges, gain)
        order = np.lexsort((edges, -gain, graph.target[edges]))
        order = order[firsts(graph.target[edges[order]])]
        order = order[gain[order] > closeness[graph.target[edges[order]]]]
        front = graph.target[edges[order]].astype(np.intp)
        closeness[front], edge[front] = gain[order], edges[order]
        front = np.sort(front[np.argsort(-closeness[front], kind="stable")[:_BEAM]])
    return Reached(closeness, edge, _most_telling(graph, stated))


def spans(offsets: NDArray[np.int64], lists: Indices) -> tuple[Indices, Indices]:
    """Return the places of all members of some lists, and for each which of ``lists`` it is in."""
    first = offsets[lists]
    sizes = offsets[lists + 1] - first
    of = np.repeat(np.arange(len(lists)), sizes)
    return np.arange(len(of)) + (first - np.cumsum(sizes) + sizes)[of], of


def firsts(*columns: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return which rows of a sorted table differ from the row before."""
    new = np.ones(len(columns[0]), np.bool_)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return new


def _worth(graph: EntityGraph, edges: Indices, cosines: Cosines) -> Floats:
    """Return how much each edge is worth following, in (0, 1]."""
    sources = graph.source[edges]
    nearness = np.zeros(len(graph.places), np.float32)
    nearness[sources] = 1.0
    distinct = np.flatnonzero(nearness).astype(np.int32)
    nearness[distinct] = np.maximum(cosines(distinct), _LEAST_NEARNESS)
    worth = nearness[sources] * graph.rarity[graph.target[edges]] ** _RARITY_POWER
    worth[graph.kind[edges] > 0] *= _RELATION
    bounded: Floats = np.minimum(worth, 1.0).astype(np.float32)
    return bounded


def _best_few(graph: EntityGraph, edges: Indices, of: Indices, worth: Floats) -> Indices:
    """Return the best edge to each neighbour, for the best neighbours of each entity."""
    neighbour = of * len(graph.keys) + graph.target[edges]
    order = np.lexsort((-worth, neighbour))  # stable: equal ones stay in the order of edges
    order = order[firsts(neighbour[order])]
    order = order[np.lexsort((-worth[order], of[order]))]
    rank = np.arange(len(order)) - np.searchsorted(of[order], of[order])
    return order[rank < _FAN_OUT]


def _relations(graph: EntityGraph, edges: Indices, gain: Floats) -> list[tuple[float, int]]:
    """Return the best edges that state a relation, with what they are worth."""
    typed = np.flatnonzero(graph.kind[edges] > 0)
    best = typed[np.lexsort((edges[typed], -gain[typed]))][: 2 * _MOST_STATED]
    return list(zip(gain[best].tolist(), edges[best].tolist(), strict=True))


def _most_telling(graph: EntityGraph, stated: list[tuple[float, int]]) -> list[int]:
    """Return the best edges, of those that say the same the best one."""
    kept: dict[tuple[int, int, int], int] = {}
    for _, edge in sorted(stated, key=lambda pair: (-pair[0], pair[1])):
        head, tail = graph.ends(edge)
        kept.setdefault((head, int(graph.kind[edge]), tail), edge)
    return list(kept.values())[:_MOST_STATED]
