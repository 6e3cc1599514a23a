"""From a question's words to seed abstracts: recognise entities, look them up in every segment.

Recognition is a lookup: n-grams of the question are probed in the entity indexes, the longest match
wins. Source: Bridge-RAG §3.2-3.3, Algorithm 1, lines 3-9.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridgerag.entities import Mention, recognize
from bridgerag.retrieval.method import Question, Seeds, Timings
from bridgerag.store import Snapshot
from bridgerag.store.snapshot import LiveSegment
from bridgerag.types import Ids, Keys

__all__ = ["find_seeds"]

# An entity in more than this share of the documents says too little about where to look, once
# there are enough documents for a share to mean anything.
_COMMON_SHARE = 0.25
_COMMON_FROM = 20


def find_seeds(snapshot: Snapshot, question: Question, timings: Timings) -> list[Seeds]:
    """Return the question's entities with their abstracts (A0), in the question's order.

    Every entity that is followed is also heated in the indexes that hold it (UpdateTemp).
    """
    with timings.stage("recognize"):
        mentions = recognize(question.words, lambda keys: _known(snapshot, keys))
    with timings.stage("lookup"):
        keys = np.array([mention.key for mention in mentions], np.uint64)
        lists = [_lookup(live, keys) for live in snapshot.segments]
        seeds = [
            _seeds(snapshot, mention, tuple(found[i] for found in lists))
            for i, mention in enumerate(mentions)
        ]
        followed = keys[[seed.ignored is None for seed in seeds]]
        for live in snapshot.segments:
            live.segment.entities.touch_many(followed)
    return seeds


def _seeds(snapshot: Snapshot, mention: Mention, abstracts: tuple[Ids, ...]) -> Seeds:
    if snapshot.documents < _COMMON_FROM:
        return Seeds(mention.text, abstracts)
    holders = sum(
        _count_documents(live, found)
        for live, found in zip(snapshot.segments, abstracts, strict=True)
    )
    if holders <= _COMMON_SHARE * snapshot.documents:
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
            known |= np.array([len(found) > 0 for found in _lookup(live, keys)], bool)
    return known


def _lookup(live: LiveSegment, keys: Keys) -> list[Ids]:
    """Return the live abstracts of each key."""
    offsets, abstracts = live.segment.entities.lookup_many(keys)
    return [
        live.keep_abstracts(abstracts[start:end])
        for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]


def _count_documents(live: LiveSegment, abstracts: Ids) -> int:
    documents = live.segment.documents_of_abstracts(abstracts)
    return int(np.count_nonzero(np.diff(documents))) + 1 if len(documents) else 0
