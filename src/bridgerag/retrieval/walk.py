"""Evidence over several hops without a language model: from names to passages to names, and on.

1. Start: the best passages by cosine and BM25, and the names that the question holds.
2. Push weight over names and passages, see `WalkGraph` (native/include/bridge/walk.h).
3. Ask again: the words that the question asks with, joined to a name that the best passages lead to
   ("who is the spouse of the painter of ida holm"). Passages are compared with such second
   questions by the words they share, and with that of the first name by its cosine.
4. Choose six passages, one by one: by their weight, what they share with a second question, the
   words of the question that no passage before holds, and what a passage before hands on to them.
   Behind them plain evidence goes on: a long context that the walk alone fills holds less of the
   answers of single-hop questions.

The idea is that of HippoRAG ("HippoRAG: Neurobiologically Inspired Long-Term Memory", 2024), a page
rank personalised by the question, without its language model and its triples. Steps 3 and 4 are
ours. What each step is worth, what was tried and dropped: ``benchmarks/walk_research.md``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import Push, WalkGraph
from bridgerag.retrieval.evidence import Evidence
from bridgerag.retrieval.method import Found, Origin, Question, Seeds, Selected, Timings
from bridgerag.retrieval.score import live_bytes
from bridgerag.retrieval.walk_question import Asked, understand
from bridgerag.retrieval.walk_spelling import Place, Spelling
from bridgerag.store import Snapshot
from bridgerag.types import Ids

__all__ = ["PushOptions", "Walk"]

_LEADS = 8  # names to look at for second questions
_LOOKED_AT = 200  # passages behind the head, for copies
_MOST_LED_TO = 400  # chunks, before another name is followed for plain evidence


class PushOptions(TypedDict, total=False):
    """Options of `WalkGraph` that differ from its own; see `WalkOptions` in walk.h."""

    restart: float
    rounds: int
    frontier: int
    width: int
    near_weight: float
    near_words: float
    definition_weight: float
    degree_power: float


@dataclass(frozen=True, slots=True)
class Walk:
    """The method `walk`, with the numbers it goes by.

    Those that were varied are flat; which, and how far, is in ``benchmarks/walk_research.md``.

    Attributes:
        seeds: passages to start at, 1 or more.
        temperature: of the softmax over their evidence, above 0.
        names_share: of the start, for the names of the question, 0 to 1.
        bridging: passages that the second questions' names may come from.
        seconds: second questions that are compared by their words.
        candidates: passages by weight, to choose from, 1 or more.
        head: passages that the walk chooses.
        second_weight: of a cosine with the second question, against the logarithm of the weight;
            0 asks none.
        shared_weight: of all the words of a second question.
        new_words_weight: of all the question's words.
        link_weight: of all the weight that a passage chosen before hands on.
        most_shared: of the distinct words of a passage behind the head, that one hit before may
            hold; one that tells more of it again comes last.
        spare: passages by evidence beyond those asked for, to take the places of such copies.
        push: how weight is pushed.
    """

    seeds: int = 20
    temperature: float = 0.05
    names_share: float = 0.7
    bridging: int = 6
    seconds: int = 5
    candidates: int = 100
    head: int = 6
    second_weight: float = 4.0
    shared_weight: float = 1.0
    new_words_weight: float = 8.0
    link_weight: float = 1.5
    most_shared: float = 0.4
    spare: int = 40
    push: PushOptions = field(default_factory=PushOptions)

    def __call__(
        self, snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings
    ) -> Found:
        """Return ``k`` chunks, or all where there are fewer; ``depth`` plays no part.

        A score is 1 for the best, and compares the hits of one question only.
        """
        if not snapshot.chunks:
            return Found([], [], fallback=True)
        with timings.stage("recognize"):
            graph = _graph(snapshot, self.push)
            asked = understand(graph, snapshot, question)
        with timings.stage("rank"):
            evidence = Evidence(snapshot, question, _leads(graph, asked))
        with timings.stage("expand"):
            pushed = graph.push(
                asked.stems, asked.asks, *self._start(evidence, asked), *self._names(asked)
            )
            leads = self._bridges(question, asked, pushed)
        spelling = Spelling(snapshot)
        vector = None
        if leads and question.embed is not None and self.second_weight > 0:
            with timings.stage("embed"):
                vector = question.embed(f"{asked.relation} {spelling.name(leads[0].place)}")
        with timings.stage("rank"):
            pool, weights = pushed.heaviest(self.candidates)
            value = np.log(weights) + self.shared_weight * _shared(graph, pool, asked, leads)
            if vector is not None:
                value += self.second_weight * evidence.cosines(vector, pool)
            head = self._choose(asked, pushed, pool, value, min(k, self.head))
            chosen, scores = self._fill_up(graph, *head, evidence, k)
            selected = []
            for place, (number, score) in enumerate(zip(chosen, scores, strict=True)):
                why = evidence.origins(number)
                if place < len(head[0]):
                    way = _reasons(asked, pushed, spelling, number, score)
                    why = way + tuple(plain for plain in why if plain.score > 0 or not way)
                live, chunk = snapshot.placed(number)
                selected.append(Selected(live, chunk, score, (), why))
        nowhere = tuple(np.empty(0, np.uint32) for _ in snapshot.segments)
        seeds = [Seeds(text, nowhere) for text in asked.names.values()]
        return Found(selected, seeds, fallback=not asked.names)

    def _start(
        self, evidence: Evidence, asked: Asked
    ) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        best = evidence.best(self.seeds)
        values = np.array([score for _, score in best], np.float64)
        weights = np.exp((values - values[0]) / self.temperature)
        share = 1 - self.names_share if asked.rarity.sum() > 0 else 1.0
        return np.array([n for n, _ in best], np.uint32), weights * (share / weights.sum())

    def _names(self, asked: Asked) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        names = np.array(list(asked.names), np.uint64)
        total = asked.rarity.sum()
        held = asked.rarity > 0
        return names[held], self.names_share * asked.rarity[held] / max(total, 1e-9)

    def _bridges(self, question: Question, asked: Asked, pushed: Push) -> list[_Lead]:
        """Return the names that the best passages lead to most, without the question's own."""
        said = set(question.words.stems.tolist())
        found = [_Lead(*lead) for lead in pushed.leads(self.bridging, _LEADS)]
        new = [n for n in found if n.name not in asked.names and not said.issuperset(n.stems)]
        return new[: self.seconds]

    def _choose(
        self, asked: Asked, pushed: Push, pool: Ids, value: NDArray[np.float64], count: int
    ) -> tuple[list[int], list[float]]:
        """Return the best passages, one by one, each for what it adds to those before; scores."""
        worth = self.new_words_weight * asked.worth
        places, gains = pushed.choose(pool, value, asked.stems, worth, self.link_weight, count)
        return pool[places].tolist(), _falling(gains, 1.0)

    def _fill_up(
        self, graph: WalkGraph, chosen: list[int], scores: list[float], evidence: Evidence, k: int
    ) -> tuple[list[int], list[float]]:
        """Return ``k`` passages: those chosen, then others by evidence, copies last; and scores."""
        taken = set(chosen)
        best = [one for one in evidence.best(k + self.spare) if one[0] not in taken]
        numbers = np.array([number for number, _ in best], np.uint32)
        order = graph.copies_last(
            np.array(chosen, np.uint32), numbers, self.most_shared, _LOOKED_AT
        )
        rest = [best[place] for place in order.tolist()][: k - len(chosen)]
        tail = _falling(np.array([value for _, value in rest]), scores[-1] if scores else 1.0)
        return chosen + [number for number, _ in rest], scores + tail


def _falling(values: NDArray[np.float64], first: float) -> list[float]:
    """Return scores that start at ``first`` and never rise, the lower the further a value falls."""
    if not len(values):
        return []
    fallen = values[0] - np.minimum.accumulate(values)
    scores: list[float] = (first / (1 + fallen)).tolist()
    return scores


class _Lead(NamedTuple):
    """A name that passages lead to, and where one of them holds it; see `Push.leads`."""

    name: int
    gain: float
    place: Place
    rarity: float
    stems: list[int]


def _shared(graph: WalkGraph, pool: Ids, asked: Asked, leads: list[_Lead]) -> NDArray[np.float64]:
    """Return what each passage shares with the second question that it shares most with, in [0, 1].

    A word of a name is worth what the name is, any other its idf.
    """
    asks = dict(zip(asked.stems.tolist(), asked.idf * asked.asked_with, strict=True))
    stems = np.array(list(dict.fromkeys([*asks, *(s for n in leads for s in n.stems)])), np.uint32)
    held = graph.held(pool, stems).reshape(len(pool), len(stems))
    shared = np.zeros(len(pool))
    for lead in leads:
        worth = asks | dict.fromkeys(lead.stems, lead.rarity)
        weights = np.array([worth.get(stem, 0.0) for stem in stems.tolist()])
        shared = np.maximum(shared, held @ weights / max(weights.sum(), 1e-9))
    return shared


def _graph(snapshot: Snapshot, options: PushOptions) -> WalkGraph:
    def make() -> WalkGraph:
        parts = [
            (live.segment.names, live.segment.first_chunk, live_bytes(live))
            for live in snapshot.segments
        ]
        return WalkGraph(parts, **options)

    return snapshot.kept(("walk", *sorted(options.items())), make)


def _leads(graph: WalkGraph, asked: Asked) -> Ids:
    """Return chunks that the question's names lead to; rarer names come first, and fill it."""
    found: set[int] = set()
    for name, rarity in sorted(zip(asked.names, asked.rarity, strict=True), key=lambda n: -n[1]):
        if rarity > 0 and len(found) < _MOST_LED_TO:
            found.update(graph.chunks_of(name).tolist())
    return np.array(sorted(found), np.uint32)


def _reasons(
    asked: Asked, pushed: Push, spelling: Spelling, number: int, score: float
) -> tuple[Origin, ...]:
    """Return the way that brought most to a passage; () where it merely started there."""
    way = pushed.way(number)[:-1]
    if not way:
        return ()
    steps = ["question"]
    for name, place in way:
        if name is None:
            steps.append(spelling.title(place[0]) if place else "")
        else:
            steps.append(f"'{spelling.name(place) if place else asked.names[name]}'")
    first = way[0][0]
    entity = None if first is None else asked.names.get(first)
    return (Origin("walk", score, entity, path=" -> ".join([*steps, "this passage"])),)
