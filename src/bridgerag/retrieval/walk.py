"""Evidence over several hops without a language model: from names to passages to names, and on.

1. Start: the best passages by cosine and BM25, and the names that the question holds.
2. Push weight over names and passages, see `walk_push`.
3. Ask again: the words that the question asks with, joined to the name that the best passages lead
   to most, are embedded as a second question ("who is the spouse of the painter of ida holm").
4. Choose eight passages, one by one: by their weight, their cosine with the second question, and
   the words of the question that no passage before holds. Behind them plain evidence goes on:
   a long context that the walk alone fills holds less of the answers of single-hop questions.

The idea is that of HippoRAG ("HippoRAG: Neurobiologically Inspired Long-Term Memory", 2024), a page
rank personalised by the question, without its language model and its triples. Steps 3 and 4 are
ours. Difference of recall@2 and @5 in points when one is left out, on the dev parts of
2WikiMultihopQA, MuSiQue and HotpotQA:

    the second question             -0.8 +0.3   -2.5 -5.0   -0.3 -0.5
    words that no hit before holds  -0.5  0.0   -3.7 -3.8   -7.2 -1.3
      (without an embedding model   +3.0  0.0   -4.6 -3.7   -3.7 -1.1)
    BM25 beside the cosine          -0.4 +0.1   -1.3 -0.9   -0.8 -0.8

No number below is critical: a quarter more or less moves recall@5 by less than a point. Intervals,
and what was tried and dropped, are in ``benchmarks/walk_research.md``.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import dot_rows
from bridgerag.retrieval.corpus import Places
from bridgerag.retrieval.derived import Derived
from bridgerag.retrieval.hybrid import LEXICAL_WEIGHT
from bridgerag.retrieval.method import Found, Origin, Question, Seeds, Timings
from bridgerag.retrieval.score import cosines, lexical_scores, top
from bridgerag.retrieval.walk_index import WalkIndex
from bridgerag.retrieval.walk_push import MOST_SPREAD, Push, Weights, leaving_passage, push
from bridgerag.retrieval.walk_question import Asked, understand
from bridgerag.store import Snapshot
from bridgerag.types import Footprint, Vector

__all__ = ["Walk"]

Floats = NDArray[np.float32]

_SEEDS = 20  # passages to start at
_TEMPERATURE = 0.05  # of their softmax
_NAMES_SHARE = 0.7  # of the start, for the names of the question
_BRIDGING = 6  # passages that the second question's name may come from
_CANDIDATES = 60  # passages by weight, to choose from
_HEAD = 8  # passages that the walk chooses
_SECOND_WEIGHT = 4.0  # of a cosine with the second question, against the logarithm of the weight
_NEW_WORDS_WEIGHT = 8.0  # of all the question's words


class Walk:
    """The method `walk`; keeps the names of the latest snapshot."""

    def __init__(self) -> None:
        self._index = Derived(WalkIndex.of)

    def prepare(self, snapshot: Snapshot) -> Footprint:
        """Build the index now, unless it is there, and return what it cost."""
        size = self._index.of(snapshot).size_bytes
        return Footprint(self._index.seconds, size)

    def __call__(
        self, snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings
    ) -> Found:
        """Return ``k`` chunks, or all where there are fewer; ``depth`` plays no part.

        Nor does a recogniser that comes with the question: names are those of the index.

        A score is 1 for the best, and compares the hits of one question only.
        """
        index = self._index.of(snapshot)
        if not len(index.places):
            return Found([], [], fallback=True)
        with timings.stage("recognize"):
            asked = understand(index, question.words)
        with timings.stage("rank"):
            evidence = _Evidence.of(snapshot, index.places, question)
        with timings.stage("expand"):
            pushed = push(index, asked, *_start(index, asked, evidence.scores))
            second = _second_question(index, asked, pushed.passages)
        with timings.stage("embed"):
            vector = question.embed(second) if question.embed is not None and second else None
        with timings.stage("rank"):
            pool = np.array(_heaviest(pushed.passages)[:_CANDIDATES], np.intp)
            value = np.log([pushed.passages[passage] for passage in pool.tolist()])
            if vector is not None:
                value += _SECOND_WEIGHT * _cosines(snapshot, index.places, vector, pool)
            head, scores = _choose(index, asked, pool, value, min(k, _HEAD))
            chosen, scores = _fill_up(head, scores, evidence.scores, k)
            why = [
                _reasons(index, asked, pushed, number, score) + evidence.origins(number)
                if place < len(head)
                else evidence.origins(number)
                for place, (number, score) in enumerate(zip(chosen, scores, strict=True))
            ]
            selected = index.places.select(snapshot, chosen, scores, why)
        nowhere = tuple(np.empty(0, np.uint32) for _ in snapshot.segments)
        seeds = [Seeds(text, nowhere) for text in asked.names.values()]
        return Found(selected, seeds, fallback=not asked.names)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What speaks for each passage by itself."""

    scores: Floats
    dense: Floats | None
    lexical: Floats

    @classmethod
    def of(cls, snapshot: Snapshot, places: Places, question: Question) -> _Evidence:
        lexical = places.row(lexical_scores(snapshot, question)).astype(np.float32)
        most = float(lexical.max())
        scores = lexical * np.float32(LEXICAL_WEIGHT / most if most > 0 else 0.0)
        if question.vector is None:
            return cls(scores, None, lexical)
        parts = [cosines(live, question) for live in snapshot.segments]
        dense = places.row(parts).astype(np.float32)
        return cls(dense + scores, dense, lexical)

    def origins(self, number: int) -> tuple[Origin, ...]:
        """Return the plain reasons for a passage."""
        dense = () if self.dense is None else (Origin("dense", float(self.dense[number])),)
        if self.lexical[number] > 0 or not dense:
            return (*dense, Origin("lexical", float(self.lexical[number])))
        return dense


def _start(index: WalkIndex, asked: Asked, scores: Floats) -> tuple[Weights, Weights]:
    """Return where the push starts: the best passages, the question's names by their rarity."""
    best, values = top(scores, None, _SEEDS)
    weights = np.exp((values - values[0]).astype(np.float64) / _TEMPERATURE)
    rarity = {
        name: float(index.rarity[name])
        for name in asked.names
        if index.spread[name] <= MOST_SPREAD and index.rarity[name] > 0
    }
    total = sum(rarity.values())
    weights *= (1 - _NAMES_SHARE if rarity else 1) / weights.sum()
    passages = dict(zip(best.tolist(), weights.tolist(), strict=True))
    return passages, {name: _NAMES_SHARE * worth / total for name, worth in rarity.items()}


def _second_question(index: WalkIndex, asked: Asked, weights: Weights) -> str | None:
    """Return what the question asks, of the name that the best passages lead to most."""
    gain: defaultdict[int, float] = defaultdict(float)
    for passage in _heaviest(weights)[:_BRIDGING]:
        for name, share in leaving_passage(index, asked, passage).items():
            gain[name] += weights[passage] * share
    new = {
        name: worth
        for name, worth in gain.items()
        if name not in asked.names and not asked.plain.issuperset(index.names.words(name))
    }
    if not new:
        return None
    return f"{asked.relation} {' '.join(index.names.words(_heaviest(new)[0]))}"


def _cosines(
    snapshot: Snapshot, places: Places, vector: Vector, numbers: NDArray[np.intp]
) -> NDArray[np.float64]:
    cosines = np.zeros(len(numbers))
    for i, live in enumerate(snapshot.segments):
        here = np.flatnonzero(places.segment[numbers] == i)
        chunks = places.chunk[numbers[here]]
        live.segment.check_vectors(chunks)
        cosines[here] = dot_rows(vector, live.segment.vectors, chunks)
    return cosines


def _choose(
    index: WalkIndex,
    asked: Asked,
    pool: NDArray[np.intp],
    value: NDArray[np.float64],
    count: int,
) -> tuple[list[int], list[float]]:
    """Return the best passages, one by one, each for what it adds to those before; and scores."""
    left = value.copy()
    worth = index.idf[asked.terms].astype(np.float64)
    worth *= _NEW_WORDS_WEIGHT / max(worth.sum(), 1e-9)
    holds = np.array([np.isin(asked.terms, index.terms(passage)) for passage in pool.tolist()])
    chosen: list[int] = []
    gains: list[float] = []
    for _ in range(min(count, len(pool))):
        gain = left + (holds * worth).sum(axis=1)
        best = max(range(len(pool)), key=lambda place: (gain[place], -pool[place]))
        chosen.append(int(pool[best]))
        gains.append(float(gain[best]))
        worth = np.where(holds[best], 0.0, worth)
        left[best] = -np.inf
    return chosen, [1 / (1 + gains[0] - gain) for gain in gains]


def _fill_up(
    chosen: list[int], scores: list[float], evidence: Floats, k: int
) -> tuple[list[int], list[float]]:
    """Return ``k`` passages: those chosen, then the others by plain evidence, below their score."""
    ids, values = top(evidence, None, k)
    taken = set(chosen)
    rest = [
        (number, value)
        for number, value in zip(ids.tolist(), values.tolist(), strict=True)
        if number not in taken
    ][: k - len(chosen)]
    tail = [scores[-1] / (1 + rest[0][1] - value) for _, value in rest]
    return chosen + [number for number, _ in rest], scores + tail


def _reasons(
    index: WalkIndex, asked: Asked, pushed: Push, number: int, score: float
) -> tuple[Origin, ...]:
    """Return the way that brought most to a passage; () where it merely started there."""
    way = pushed.way(number)[:0:-1]
    if not way:
        return ()
    is_name = len(way) % 2 == 1  # a name comes right before the passage
    entity = asked.names.get(way[0]) if is_name else None
    steps = ["question"]
    for node in way:
        if is_name:
            steps.append(f"'{index.names.spelling[node]}'")
        else:
            steps.append(index.titles[int(index.document[node])])
        is_name = not is_name
    return (Origin("walk", score, entity, path=" -> ".join([*steps, "this passage"])),)


def _heaviest(weights: Weights) -> list[int]:
    """Return nodes by falling weight; ties by the lower number."""
    return sorted(weights, key=lambda node: (-weights[node], node))
