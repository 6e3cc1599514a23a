"""What the methods over entity trees share: from nodes of the trees to an answer.

`tree`, `tree_ann` and `cft` differ in how they come from a question to nodes of the trees (a
`Locator`). Source: Bridge-RAG §4.1 and §4.6; T-RAG (Fatehkia et al., 2024); CFT-RAG (Li et al.,
2026).

What follows the papers: relations make the trees (`bridgerag.entities.trees`); what stands above
and below the question's entities is put into words for the prompt, those nearest to the question
first, beside passages ranked by cosine. What stands in: relations come from lexical patterns, or
from any `Extractor`. A passage is a candidate when it names one of those entities or belongs to a
document that one of them titles; passages from all over the corpus fill up what is left of ``k``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bridgerag.entities import recognize
from bridgerag.entities.relations import Extractor, find_relations
from bridgerag.entities.trees import EntityForest
from bridgerag.retrieval.corpus import Corpus, Places
from bridgerag.retrieval.derived import Derived
from bridgerag.retrieval.entity_trees import EntityTrees
from bridgerag.retrieval.method import Found, Origin, Question, Seeds, Selected, Timings
from bridgerag.retrieval.score import best_of_pools
from bridgerag.store import Snapshot
from bridgerag.types import Footprint, Ids, Keys, Mention

__all__ = ["EntityTreeMethod", "Located", "Locator", "mentions"]

_MOST_NOTES = 20
# An entity in more than this share of the chunks, and in more than so many, does not say where to
# look. Recall@5 of `cft` at depth 2 on 2WikiMultihopQA, MuSiQue and HotpotQA without the rule 61.9,
# 47.8, 75.0; at 5 % 68.0, 48.4, 75.0; at 1 % 71.4, 48.0, 76.1.
_COMMON_SHARE = 0.01
_COMMON_FROM = 20


class Located(NamedTuple):
    """An entity of the question, and the nodes of the trees that it stands at, ascending."""

    text: str
    nodes: Sequence[int]


class Locator(Protocol):
    """Comes from a question to the nodes of its entities.

    Attributes:
        size_bytes: what it keeps in memory beside the trees.
    """

    size_bytes: int

    def locate(self, question: Question, timings: Timings) -> list[Located]:
        """Return the question's entities, in its order; times "recognize" and "lookup"."""
        ...


class EntityTreeMethod:
    """A method over entity trees.

    Args:
        make: makes the locator for the trees of a corpus.
        extract: finds the relations; the same texts must give the same ones.
        common_share: entities in more than this share of the chunks are not followed.
        stand_in: what else stands in for a part of the method's paper.
    """

    def __init__(
        self,
        make: Callable[[EntityTrees, Corpus], Locator],
        extract: Extractor = find_relations,
        common_share: float = _COMMON_SHARE,
        stand_in: str = "",
    ) -> None:
        patterns = "lexical patterns" if extract is find_relations else ""
        self._stand_in = ", ".join(filter(None, (patterns, stand_in)))
        self._common_share = common_share

        def build(corpus: Corpus) -> tuple[EntityTrees, Locator]:
            trees = EntityTrees.of(corpus, extract)
            return trees, make(trees, corpus)

        self._kept = Derived(build)

    def prepare(self, snapshot: Snapshot) -> Footprint:
        """Build the trees now, unless they are there, and return what they cost."""
        trees, locator = self._kept.of(snapshot)
        size = trees.size_bytes + locator.size_bytes
        return Footprint(self._kept.seconds, size, stand_in=self._stand_in)

    def __call__(
        self, snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings
    ) -> Found:
        """Return the ``k`` chunks of highest cosine that name the entities around the question's.

        Entities count from ``depth`` levels above the question's to ``depth`` levels below.
        """
        trees, locator = self._kept.of(snapshot)
        located = locator.locate(question, timings)
        with timings.stage("expand"):
            most = max(_COMMON_FROM, self._common_share * len(trees.places))
            telling = [found for found in located if trees.count(found.nodes) <= most]
            steps = _around(trees.forest, telling, depth)
            chunks = [(step, trees.chunks_at(step.node)) for step in steps]
            chunks = [(step, here) for step, here in chunks if len(here) <= most]
            pool = np.unique(np.concatenate([np.empty(0, np.uint32), *(c for _, c in chunks)]))
        with timings.stage("rank"):
            rank = _Rank(snapshot, question, trees.places)
            best = rank(pool, k)
            why = [_origin(question, trees.forest, chunks, *found) for found in best]
            selected = trees.places.select(snapshot, *_columns(best), why)
            if len(best) < k:
                selected += _fill(rank, best, k)
            notes = _notes(rank, trees.forest, steps)
        seeds = [_seeds(snapshot, trees, found, ignored=found not in telling) for found in located]
        return Found(selected, seeds, fallback=not best, notes=notes)


def mentions(question: Question, contains: Callable[[Keys], NDArray[np.bool_]]) -> list[Mention]:
    """Return the entities that a question names, each once, in its order; the longest names win.

    Args:
        contains: tells for an array of keys which are entities of the trees.
    """
    if question.recognizer is not None:
        found = question.recognizer.recognize(question.text, contains)
    else:
        found = recognize(question.words, contains)
    first: dict[int, Mention] = {}
    for mention in found:
        first.setdefault(mention.key, mention)
    return list(first.values())


def _seeds(snapshot: Snapshot, trees: EntityTrees, found: Located, ignored: bool) -> Seeds:
    """Return what a context says of an entity; there are no abstracts here."""
    nothing = tuple(np.empty(0, np.uint32) for _ in snapshot.segments)
    if not ignored:
        return Seeds(found.text, nothing)
    share = 100 * trees.count(found.nodes) / len(trees.places)
    return Seeds(found.text, nothing, f"it is in {share:.0f} % of the chunks")


# ---- expand -------------------------------------------------------------------------------------


class _Step(NamedTuple):
    """A node near one of the question's entities; ``levels`` is above 0 where it is above it."""

    node: int
    located: str
    levels: int


def _around(forest: EntityForest, located: Sequence[Located], depth: int) -> list[_Step]:
    """Return the nodes of the question's entities and those around, each once, nearest first."""
    found: dict[int, _Step] = {}
    last = [_Step(node, text, 0) for text, nodes in located for node in nodes]
    for levels in range(1, depth + 2):
        new = []
        for step in last:
            if step.node not in found:
                found[step.node] = step
                new.append(step)
        last = []
        for node, text, before in new if levels <= depth else []:
            if before >= 0 and (parent := forest.parent[node]) >= 0:
                last.append(_Step(parent, text, levels))
            if before <= 0:
                last += [_Step(child, text, -levels) for child in forest.children[node]]
    return list(found.values())


# ---- rank ---------------------------------------------------------------------------------------

Best = list[tuple[int, float]]  # chunks as the corpus numbers them, with their scores


class _Rank:
    """Ranks chunks of a corpus for one question, as every method does."""

    def __init__(self, snapshot: Snapshot, question: Question, places: Places) -> None:
        self.snapshot, self.question, self.places = snapshot, question, places

    def __call__(self, pool: Ids, k: int) -> Best:
        """Return the ``k`` best chunks of ``pool``, best first."""
        places = self.places
        found = best_of_pools(self.snapshot, self.question, places.pools(self.snapshot, pool), k)
        segments, chunks = places.segment[pool], places.chunk[pool]
        at = [np.argmax((segments == i) & (chunks == chunk)) for i, chunk, _ in found]
        return [(int(pool[i]), score) for i, (_, _, score) in zip(at, found, strict=True)]


def _fill(rank: _Rank, best: Best, k: int) -> list[Selected]:
    """Return the best chunks of the whole corpus that are not in ``best``, to make ``k``."""
    taken = {number for number, _ in best}
    everything = rank(np.arange(len(rank.places), dtype=np.uint32), k)
    others = [found for found in everything if found[0] not in taken][: k - len(best)]
    kind = "dense" if rank.question.vector is not None else "lexical"
    why = [(Origin(kind, score),) for _, score in others]
    return rank.places.select(rank.snapshot, *_columns(others), why)


def _columns(best: Best) -> tuple[list[int], list[float]]:
    return [number for number, _ in best], [score for _, score in best]


def _origin(
    question: Question,
    forest: EntityForest,
    chunks: Sequence[tuple[_Step, Ids]],
    number: int,
    score: float,
) -> tuple[Origin, ...]:
    """Return why a chunk is there: the nearest of the entities that it names."""
    node, text, levels = next(step for step, here in chunks if _holds(here, number))
    way = f"names '{forest.names[forest.entity[node]]}'"
    if levels:
        side = "above" if levels > 0 else "below"
        way += f", {abs(levels)} level{'s' * (abs(levels) > 1)} {side} '{text}'"
    measure = "lexical match" if question.vector is None else "cosine"
    return (Origin("entity", score, text, path=f"{way}; {measure} {score:.3f}"),)


def _holds(ascending: Ids, number: int) -> bool:
    at = int(np.searchsorted(ascending, number))
    return at < len(ascending) and int(ascending[at]) == number


def _notes(rank: _Rank, forest: EntityForest, steps: Sequence[_Step]) -> tuple[str, ...]:
    """Return the relations between the nodes; those of chunks nearest to the question first."""
    nodes = {step.node for step in steps}
    stated: dict[int, list[str]] = {}
    for node, _, _ in steps:
        relation = forest.relation[node]
        if relation is not None and forest.parent[node] in nodes:
            line = f"{relation.head} {relation.kind} {relation.tail}."
            stated.setdefault(relation.chunk, []).append(line)
    best = rank(np.array(sorted(stated), np.uint32), _MOST_NOTES)
    return tuple([line for number, _ in best for line in stated[number]][:_MOST_NOTES])
