"""CFT-RAG: the same entity trees as in `tree`, behind a cuckoo table from entities to nodes.

Source: CFT-RAG (Li et al., 2026), which Bridge-RAG's appendix A sums up: a table of fingerprints
whose entries hold a temperature and the addresses of all nodes of an entity. Every entity that is
looked up is heated. What stands in: our table (`EntityIndex`), which compares whole keys where the
paper compares 12 bits, so that no entity is taken for another; it also recognises the question's
entities, where the paper runs spaCy. The neighbours up and down are ``depth`` levels away, the
paper's n (3 there). All else is `entity_context`, so that `cft` and `tree` give the same answers.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import EntityIndex
from bridgerag.entities.relations import Extractor, find_relations
from bridgerag.retrieval.corpus import Corpus
from bridgerag.retrieval.entity_context import EntityTreeMethod, Located, mentions
from bridgerag.retrieval.entity_trees import EntityTrees
from bridgerag.retrieval.method import Question, Timings
from bridgerag.types import Keys

__all__ = ["cft"]


def cft(extract: Extractor = find_relations) -> EntityTreeMethod:
    """Return a new method `cft`; ``extract`` finds the relations that make the trees."""
    return EntityTreeMethod(_CuckooTable, extract)


class _CuckooTable:
    """Finds nodes by one lookup an entity."""

    def __init__(self, trees: EntityTrees, corpus: Corpus) -> None:
        forest = trees.forest
        entities = np.array(forest.entity, np.intp)
        nodes = np.arange(len(forest), dtype=np.uint32)
        self._table = EntityIndex.build(forest.keys[entities], nodes)
        self.size_bytes = self._table.size_bytes

    def locate(self, question: Question, timings: Timings) -> list[Located]:
        """Return the entities whose names the question holds, and heat them."""

        def contains(keys: Keys) -> NDArray[np.bool_]:
            return self._table.count_many(keys) > 0

        with timings.stage("recognize"):
            found = mentions(question, contains)
        with timings.stage("lookup"):
            keys = np.array([mention.key for mention in found], np.uint64)
            borders, nodes = self._table.lookup_many(keys)
            self._table.touch_many(keys)
            return [
                Located(mention.text, nodes[borders[i] : borders[i + 1]].tolist())
                for i, mention in enumerate(found)
            ]
