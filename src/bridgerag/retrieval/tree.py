"""Tree-RAG: the question's entities are looked for in every entity tree, breadth first.

Source: Bridge-RAG §4.1 and §4.6, where this costs O(N) for N entities; T-RAG (Fatehkia et al.,
2024). Every entity of the question is compared with one node after the other, from the roots down:
that cost is what the other methods avoid, so nothing here is clever. All else is `entity_context`.
"""

from __future__ import annotations

from collections import deque

from bridgerag.entities.relations import Extractor, find_relations
from bridgerag.retrieval.corpus import Corpus
from bridgerag.retrieval.entity_context import EntityTreeMethod, Located, mentions
from bridgerag.retrieval.entity_trees import EntityTrees
from bridgerag.retrieval.method import Question, Timings

__all__ = ["tree"]


def tree(extract: Extractor = find_relations) -> EntityTreeMethod:
    """Return a new method `tree`; ``extract`` finds the relations that make the trees."""
    return EntityTreeMethod(_BreadthFirst, extract)


class _BreadthFirst:
    """Finds nodes by visiting all of them."""

    size_bytes = 0

    def __init__(self, trees: EntityTrees, corpus: Corpus) -> None:
        self._trees = trees
        self._roots = trees.forest.roots
        self._keys = trees.forest.keys[list(trees.forest.entity)].tolist()

    def locate(self, question: Question, timings: Timings) -> list[Located]:
        """Return the entities whose names the question holds."""
        with timings.stage("recognize"):
            found = mentions(question, self._trees.contains)
        with timings.stage("lookup"):
            return [Located(mention.text, self._search(mention.key)) for mention in found]

    def _search(self, key: int) -> list[int]:
        """Return every node of the entity with that key, ascending."""
        found = []
        ahead = deque(self._roots)
        while ahead:
            node = ahead.popleft()
            if self._keys[node] == key:
                found.append(node)
            ahead.extend(self._trees.forest.children[node])
        return sorted(found)
