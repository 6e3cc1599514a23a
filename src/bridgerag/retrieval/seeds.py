"""From a question's words to seed abstracts: recognise entities, look them up in every segment.

Recognition is a lookup: n-grams of the question are probed in the entity indexes, the longest match
wins. Source: Bridge-RAG §3.2-3.3, Algorithm 1, lines 3-9.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bridgerag.entities import recognize
from bridgerag.retrieval.method import Question, Seeds, Timings
from bridgerag.store import Snapshot
from bridgerag.store.snapshot import LiveSegment
from bridgerag.types import Ids, Keys, Mention

__all__ = ["find_seeds", "recognized"]

# An entity in more than this share of the documents says too little about where to look, once
# it is in enough of them for a share to mean anything.
_COMMON_SHARE = 0.05
_COMMON_FROM = 20


def find_seeds(
    snapshot: Snapshot, question: Question, timings: Timings, nested: bool = False
) -> list[Seeds]:
    """Return the question's entities with their abstracts (A0), in the question's order.

    With ``nested``, entities inside longer ones count too. Every entity that is followed is also
    heated in the indexes that hold it (UpdateTemp).
    """
    with timings.stage("recognize"):
        mentions = recognized(snapshot, question, nested)
    with timings.stage("lookup"):
        keys = np.array([mention.key for mention in mentions], np.uint64)
        looked_up = [_lookup(live, keys) for live in snapshot.segments]
        holders = np.sum([documents for _, documents in looked_up], axis=0)
        seeds = [
            _seeds(snapshot, mention, int(holders[i]), tuple(lists[i] for lists, _ in looked_up))
            for i, mention in enumerate(mentions)
        ]
        followed = keys[[seed.ignored is None for seed in seeds]]
        for live in snapshot.segments:
            live.segment.entities.touch_many(followed)
    return seeds


def recognized(snapshot: Snapshot, question: Question, nested: bool = False) -> list[Mention]:
    """Return the entities of a question that the store knows, in its order."""

    def contains(keys: Keys) -> NDArray[np.bool_]:
        return _known(snapshot, keys)

    if question.recognizer is not None:
        return question.recognizer.recognize(question.text, contains)
    return recognize(question.words, contains, nested)


def _seeds(snapshot: Snapshot, mention: Mention, holders: int, abstracts: tuple[Ids, ...]) -> Seeds:
    """Return the seeds of one entity, or why it is not followed; it is in ``holders`` documents."""
    if holders <= max(_COMMON_FROM, _COMMON_SHARE * snapshot.documents):
        return Seeds(mention.text, abstracts)
    nothing = tuple(np.empty(0, np.uint32) for _ in abstracts)
    share = 100 * holders / snapshot.documents
    return Seeds(mention.text, nothing, f"it is in {share:.0f} % of the documents")


def _known(snapshot: Snapshot, keys: Keys) -> NDArray[np.bool_]:
    """Tell which keys lead to a live abstract in any segment."""
    known = np.zeros(len(keys), bool)
    for live in snapshot.segments:
        if live.alive is None:
            known |= live.segment.entities.count_many(keys) > 0
        else:
            _, documents = _lookup(live, keys)
            known |= documents > 0
    return known


def _lookup(live: LiveSegment, keys: Keys) -> tuple[list[Ids], NDArray[np.int64]]:
    """Return the live abstracts of each key, and in how many documents they are."""
    offsets, abstracts = live.segment.entities.lookup_many(keys)
    places = live.segment.documents_of_abstracts(abstracts)
    entity = np.repeat(np.arange(len(keys)), (offsets[1:] - offsets[:-1]).astype(np.intp))
    if live.alive is not None:
        alive = live.alive[places]
        abstracts, places, entity = abstracts[alive], places[alive], entity[alive]
    # Abstracts ascend inside an entity, and so do their documents: each change is a new one.
    first = np.ones(len(entity), bool)
    first[1:] = (places[1:] != places[:-1]) | (entity[1:] != entity[:-1])
    documents = np.bincount(entity[first], minlength=len(keys)).astype(np.int64)
    borders = np.searchsorted(entity, np.arange(len(keys) + 1)).tolist()
    lists = [abstracts[a:b] for a, b in pairwise(borders)]
    return lists, documents
