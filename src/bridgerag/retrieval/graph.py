"""Graph RAG: from the entities that a question is about, along their relations, to chunks.

Source: Bridge-RAG §4.1: entities and their typed relations form a directed graph; retrieval is
accelerated by an ANN index over node vectors; multi-hop expansion provides the surrounding context.
It is the local search of Edge et al. (2024): entities near to the question, the relations around
them, and the chunks that they were found in.

What follows the papers: entry by HNSW, and by the names that the question holds; ``depth`` hops
along the edges, both ways, by the best few from each entity; relations go into the prompt beside
the passages. What stands in: a store has no embedder, so the vector of an entity is the mean of its
chunks' (near to a question for what they say, not for whom they name: it counts a quarter of a
name); `entity_graph` says what stands in for a language model; there are no reports on communities.

An edge is worth the more, the nearer the chunk that it comes from is to the question, and the rarer
the entity that it leads to; a relation is worth more than standing together. That gives each entity
a closeness in [0, 1]. A chunk ranks by its cosine plus twice the closeness of its closest entity,
which counts half at most where it does not title the chunk's document. Chunks without an entity
that was reached only fill up. The papers leave this ranking open; the weights were set on the dev
parts, where their neighbours do as well:

| recall@2/@5 | MuSiQue | HotpotQA | 2WikiMultihopQA |
|---|---|---|---|
| `naive` | 37.2 / 51.1 | 60.4 / 74.2 | 54.1 / 63.5 |
| depth 0 | 44.2 / 54.6 | 69.9 / 81.9 | 65.5 / 73.7 |
| depth 1 | 45.9 / 61.1 | 76.3 / 91.2 | 78.5 / 96.7 |
| depth 2 | 45.9 / 60.6 | 75.5 / 90.2 | 78.4 / 96.2 |

Where a question asks for one passage and few names lead to it, it is no better, or worse: recall@5
on XQuAD is 97.9 in English (`naive` 98.0) and 31.0 in Chinese (34.3), where only titles are names.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import dot_rows
from bridgerag.entities import recognize
from bridgerag.entities.relations import Extractor, find_relations
from bridgerag.retrieval.corpus import Corpus
from bridgerag.retrieval.derived import Derived
from bridgerag.retrieval.embedded import expect_embeddings, vector_of
from bridgerag.retrieval.entity_graph import EntityGraph, Numbers
from bridgerag.retrieval.entity_walk import Reached, firsts, spans, walk
from bridgerag.retrieval.hnsw import Hnsw
from bridgerag.retrieval.method import Found, Origin, Question, Seeds, Selected, Timings
from bridgerag.retrieval.naive import naive
from bridgerag.store import Snapshot
from bridgerag.types import Footprint, Keys, Mention, Vector, Vectors

__all__ = ["Graph"]

_ENTRIES = 10  # as in GraphRAG
_ENTRY_WEIGHT = 0.25  # of an entry's cosine, against the rarity of a name
_MENTION_WEIGHT = 0.5  # against titling the document
_CLOSENESS_WEIGHT = 2.0  # against the cosine

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Index:
    graph: EntityGraph
    vectors: Hnsw


class Graph:
    """The method `graph`; keeps the graph of the latest snapshot.

    Args:
        extract: finds the relations; the same texts must give the same ones.
        entries: how many entities the question enters the graph at by its vector, 0 to 64.
    """

    def __init__(self, extract: Extractor = find_relations, entries: int = _ENTRIES) -> None:
        self._extract, self._entries = extract, entries
        self._index = Derived(self._build)

    def prepare(self, snapshot: Snapshot) -> Footprint:
        """Build the graph now, unless it is there, and return what it cost.

        Raises:
            InputError: the store has no embeddings.
            MissingExtra: faiss is not installed.
        """
        expect_embeddings(snapshot, "graph")
        index = self._index.of(snapshot)
        size = index.graph.size_bytes + index.vectors.size_bytes
        patterns = "lexical patterns, " if self._extract is find_relations else ""
        return Footprint(self._index.seconds, size, stand_in=f"{patterns}mean vectors")

    def __call__(
        self, snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings
    ) -> Found:
        """Return the ``k`` best of the chunks that name an entity within ``depth`` hops.

        Raises:
            As `prepare`.
        """
        vector = vector_of(question, "graph")
        index = self._index.of(snapshot)
        with timings.stage("recognize"):
            named = _named(index.graph, question)
        with timings.stage("lookup"):
            start = _start(index, vector, self._entries, named)
        near = _Near(snapshot, vector, index.graph)
        with timings.stage("expand"):
            reached = walk(index.graph, start, near.cosines, depth)
        with timings.stage("rank"):
            selected = near.best(reached, named, k)
            if len(selected) < k:
                selected += _others(snapshot, question, selected, k)
        nowhere = tuple(np.empty(0, np.uint32) for _ in snapshot.segments)
        seeds = [Seeds(mention.text, nowhere) for mention in named.values()]
        notes = tuple(f"{index.graph.sentence(edge)}." for edge in reached.stated)
        return Found(selected, seeds, fallback=not start.any(), notes=notes)

    def _build(self, corpus: Corpus) -> _Index:
        graph = EntityGraph.of(corpus, self._extract)
        return _Index(graph, Hnsw(_entity_vectors(graph, corpus), "the method graph"))


def _entity_vectors(graph: EntityGraph, corpus: Corpus) -> Vectors:
    """Return for each entity the mean of its chunks' vectors, of unit length."""
    rows = np.zeros((len(graph.keys), corpus.dim), np.float32)
    borders = graph.mention_offsets.tolist()
    for row, first, last in zip(rows, borders, borders[1:], strict=False):
        if last > first:
            row[:] = corpus.vectors[graph.mentions[first:last]].mean(axis=0)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return rows


def _named(graph: EntityGraph, question: Question) -> dict[int, Mention]:
    """Return the entities that the question names; the longest names win."""

    def contains(keys: Keys) -> NDArray[np.bool_]:
        return graph.find(keys) >= 0

    if question.recognizer is not None:
        mentions = question.recognizer.recognize(question.text, contains)
    else:
        mentions = recognize(question.words, contains)
    entities = graph.find(np.array([mention.key for mention in mentions], np.uint64)).tolist()
    return {entity: m for entity, m in zip(entities, mentions, strict=True) if entity >= 0}


def _start(index: _Index, vector: Vector, entries: int, named: dict[int, Mention]) -> Floats:
    """Return how close the entities are that a walk begins at, 0 for the others."""
    start = np.zeros(len(index.graph.keys), np.float32)
    entities, cosines = index.vectors.search(vector, entries)
    start[entities] = _ENTRY_WEIGHT * np.maximum(cosines, 0.0)
    names = list(named)
    start[names] = np.maximum(start[names], index.graph.rarity[names])
    return start


class _Near:
    """Ranks the chunks of a graph for one question."""

    def __init__(self, snapshot: Snapshot, vector: Vector, graph: EntityGraph) -> None:
        self._snapshot, self._vector, self._graph = snapshot, vector, graph

    def cosines(self, chunks: Numbers) -> Floats:
        """Return the cosines of some chunks."""
        places = self._graph.places
        cosines = np.empty(len(chunks), np.float32)
        for i, live in enumerate(self._snapshot.segments):
            here = places.segment[chunks] == i
            pool = places.chunk[chunks[here]]
            live.segment.check_vectors(pool)
            cosines[here] = dot_rows(self._vector, live.segment.vectors, pool)
        return cosines

    def best(self, reached: Reached, named: dict[int, Mention], k: int) -> list[Selected]:
        """Return the ``k`` best chunks that hold a reached entity, best first."""
        graph = self._graph
        entities = np.flatnonzero(reached.closeness)
        places, of = spans(graph.mention_offsets, entities)
        weight = np.where(graph.titled[places], 1.0, _MENTION_WEIGHT * graph.rarity[entities[of]])
        closeness = (weight * reached.closeness[entities[of]]).astype(np.float32)
        order = np.lexsort((-closeness, graph.mentions[places]))
        order = order[firsts(graph.mentions[places[order]])]
        chunks = graph.mentions[places[order]]
        cosines = self.cosines(chunks)
        scores = cosines + np.float32(_CLOSENESS_WEIGHT) * closeness[order]
        top = np.lexsort((chunks, -scores))[:k]
        why = [
            self._why(reached, named, int(places[order[i]]), int(entities[of[order[i]]]), scores[i])
            for i in top.tolist()
        ]
        return graph.places.select(self._snapshot, chunks[top].tolist(), scores[top].tolist(), why)

    def _why(
        self, reached: Reached, named: dict[int, Mention], place: int, entity: int, score: float
    ) -> tuple[Origin, ...]:
        """Return the way from the question to an entity of a chunk, in words."""
        graph, here = self._graph, entity
        steps = [f"'{graph.names[here]}' {'titles' if graph.titled[place] else 'is in'} this"]
        while (edge := int(reached.edge[here])) >= 0:
            steps.append(graph.sentence(edge, "'"))
            here = sum(graph.ends(edge)) - here
        mention = named.get(here)
        near = "is near to the question" if mention is None else "is in the question"
        steps.append(f"'{graph.names[here] if mention is None else mention.text}' {near}")
        path = "; ".join([*reversed(steps), f"score {score:.3f}"])
        name = None if mention is None else mention.text
        return (Origin("graph", float(score), name, path=path),)


def _others(
    snapshot: Snapshot, question: Question, selected: list[Selected], k: int
) -> list[Selected]:
    """Return the nearest of the other chunks, to make ``k``."""
    taken = {(id(chosen.live), chosen.chunk) for chosen in selected}
    nearest = naive(snapshot, question, k, 0, Timings()).selected
    others = [chosen for chosen in nearest if (id(chosen.live), chosen.chunk) not in taken]
    return others[: k - len(selected)]
