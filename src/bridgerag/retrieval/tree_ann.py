"""Tree-RAG by approximate search: the trees are entered at the entities nearest to the question.

Source: Bridge-RAG §4.1: "approximate nearest neighbor (ANN) indices such as FAISS or HNSW in place
of exact similarity search, returning top-K candidates per query". The index is faiss's HNSW over
one vector an entity (extra ``eval``); the question's vector enters it. What stands in: a store has
no embedder, so an entity's vector is not its name's, but the mean of the vectors of the chunks that
name it. Those are near to a question for what they say, not for whom they name; so common entities
are followed too. All else is `entity_context`.
"""

from __future__ import annotations

import numpy as np

from bridgerag.entities.relations import Extractor, find_relations
from bridgerag.entities.trees import EntityForest
from bridgerag.retrieval.corpus import Corpus
from bridgerag.retrieval.embedded import no_embeddings, vector_of
from bridgerag.retrieval.entity_context import EntityTreeMethod, Located
from bridgerag.retrieval.entity_trees import EntityTrees
from bridgerag.retrieval.hnsw import Hnsw
from bridgerag.retrieval.method import Question, Timings
from bridgerag.types import Vectors

__all__ = ["tree_ann"]

# Recall@5 on 2WikiMultihopQA with 5 and 20 entities: 59.5 and 62.3; more only near it to `naive`.
_ENTITIES = 20


def tree_ann(extract: Extractor = find_relations, entities: int = _ENTITIES) -> EntityTreeMethod:
    """Return a new method `tree-ann`.

    Args:
        extract: finds the relations that make the trees.
        entities: how many entities the question enters the trees at, 1 to 64.

    Raises:
        InputError: the store has no embeddings; like the other, raised when the index is built.
        MissingExtra: faiss is not installed.
    """

    def make(trees: EntityTrees, corpus: Corpus) -> _Nearest:
        return _Nearest(trees, corpus, entities)

    return EntityTreeMethod(make, extract, common_share=1.0, stand_in="mean vectors")


class _Nearest:
    """Finds the entities nearest to the question."""

    def __init__(self, trees: EntityTrees, corpus: Corpus, entities: int) -> None:
        self._names = trees.forest.names
        self._nodes = _nodes_of(trees.forest)
        self._entities = entities
        if len(corpus) and not corpus.dim:
            raise no_embeddings("tree-ann")
        self._index = Hnsw(_entity_vectors(trees, corpus), "the method tree-ann")
        self.size_bytes = self._index.size_bytes

    def locate(self, question: Question, timings: Timings) -> list[Located]:
        """Return the entities whose vectors are nearest to the question's."""
        vector = vector_of(question, "tree-ann")
        with timings.stage("lookup"):
            found, _ = self._index.search(vector, self._entities)
            return [Located(self._names[entity], self._nodes[entity]) for entity in found]


def _entity_vectors(trees: EntityTrees, corpus: Corpus) -> Vectors:
    """Return for each entity the mean of its chunks' vectors, unit length."""
    rows = np.empty((len(trees.forest.names), corpus.dim), np.float32)
    for entity, row in enumerate(rows):
        row[:] = corpus.vectors[trees.chunks_of(entity)].mean(axis=0)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return rows


def _nodes_of(forest: EntityForest) -> list[list[int]]:
    """Return the nodes of each entity, ascending."""
    nodes: list[list[int]] = [[] for _ in forest.names]
    for node, entity in enumerate(forest.entity):
        nodes[entity].append(node)
    return nodes
