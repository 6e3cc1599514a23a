"""From a question's words to the entities that a store knows, and why some are not followed.

Recognition is a lookup: n-grams of the question are probed in the entity indexes, the longest match
wins. Source: Bridge-RAG §3.2-3.3, Algorithm 1, lines 3-9.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import MOST_CHUNKS, Reach, known
from bridgerag.entities import recognize, recognize_in
from bridgerag.retrieval.method import Question, Seeds
from bridgerag.store import Snapshot
from bridgerag.types import Keys, Mention

__all__ = ["recognized", "seeds_of"]


def recognized(snapshot: Snapshot, question: Question, nested: bool = False) -> list[Mention]:
    """Return the entities of a question that the store knows, in its order.

    With ``nested``, entities inside longer ones count too.
    """
    if question.recognizer is None and all(live.alive is None for live in snapshot.segments):
        indexes = [live.segment.entities for live in snapshot.segments]
        return recognize_in(question.words, indexes, nested)

    def contains(keys: Keys) -> NDArray[np.bool_]:
        return known(snapshot.reachable, keys).view(np.bool_)

    if question.recognizer is None:
        return recognize(question.words, contains, nested)
    return question.recognizer.recognize(question.text, contains)


def seeds_of(snapshot: Snapshot, mentions: list[Mention], reach: Reach) -> list[Seeds]:
    """Return what the entity indexes gave for each entity (A0), or why it is not followed."""
    segments = range(len(snapshot.segments))
    seeds = []
    for e, (mention, (verdict, documents)) in enumerate(
        zip(mentions, reach.verdicts(), strict=True)
    ):
        if verdict == "followed":
            seeds.append(Seeds(mention.text, tuple([reach.seeds(i, e) for i in segments])))
            continue
        if verdict == "common":
            share = 100 * documents / snapshot.documents
            why = f"it is in {share:.0f} % of the documents"
        else:
            why = f"with it there would be more than {MOST_CHUNKS:,} chunks to choose from"
            why += "; a smaller depth or a filter narrows it"
        nothing = tuple([np.empty(0, np.uint32) for _ in segments])
        seeds.append(Seeds(mention.text, nothing, why))
    return seeds
