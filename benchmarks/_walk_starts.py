"""Questions over two hops of a synthetic corpus, as the walk's push and as a search gets them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks._synthetic import Synthetic
from benchmarks._synthetic_questions import Asked, questions
from bridgerag._native import WalkGraph
from bridgerag.entities import question_words
from bridgerag.entities.lexical import BM25_B, BM25_K1, bm25_idf, question_terms
from bridgerag.retrieval import Question
from bridgerag.retrieval.hybrid import LEXICAL_WEIGHT
from bridgerag.retrieval.walk import Walk
from bridgerag.retrieval.walk_question import understand
from bridgerag.store import Snapshot

__all__ = ["ROUNDS", "Start", "graph_of", "prepared", "question"]

ROUNDS = 4  # of the push
_WALK = Walk()


@dataclass(frozen=True, slots=True)
class Start:
    """A question as the push gets it; what is asked by stem, names by key.

    Chunks have the corpus's numbers, which are those of the segments one behind the other.
    """

    posed: Asked
    asked: dict[int, float]
    passages: dict[int, float]
    names: dict[int, float]

    def columns(self) -> tuple[np.ndarray, ...]:
        """Return the arguments of `WalkGraph.push`."""
        kinds = (np.uint32, np.uint32, np.uint64)
        pairs = zip((self.asked, self.passages, self.names), kinds, strict=True)
        return tuple(
            column
            for weights, kind in pairs
            for column in (np.array(list(weights), kind), np.array(list(weights.values())))
        )


def graph_of(snapshot: Snapshot, frontier: int) -> WalkGraph:
    """Return the graph of a snapshot from which nothing is removed."""
    parts = [(live.segment.names, live.segment.first_chunk, None) for live in snapshot.segments]
    return WalkGraph(parts, frontier=frontier, rounds=ROUNDS)


def prepared(made: Synthetic, snapshot: Snapshot, count: int) -> Iterator[Start]:
    """Yield questions with where their push starts: their names, and the best chunks by BM25."""
    graph = graph_of(snapshot, 1)
    for posed in questions(made, count):
        words = question_words(posed.text)
        asked = understand(graph, snapshot, Question(posed.text, words, None))
        chunks, scores = _best_chunks(snapshot, np.unique(question_terms(words)))
        weights = np.exp((scores / scores[0] - 1) * LEXICAL_WEIGHT / _WALK.temperature)
        rarity = {k: float(r) for k, r in zip(asked.names, asked.rarity, strict=True) if r > 0}
        share = _WALK.names_share if rarity else 0.0
        weights *= (1 - share) / weights.sum()
        total = sum(rarity.values())
        yield Start(
            posed,
            {s: a for s, a in zip(asked.stems.tolist(), asked.asks.tolist(), strict=True) if a > 0},
            dict(zip(chunks.tolist(), weights.tolist(), strict=True)),
            {name: share * worth / total for name, worth in rarity.items()},
        )


def _best_chunks(snapshot: Snapshot, terms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the chunks that a push starts from, best first, and their BM25."""
    parts = [live.segment.lexical for live in snapshot.segments]
    df = np.sum([part.df(terms) for part in parts], axis=0)
    idf = bm25_idf(df.astype(np.uint32), snapshot.chunks)
    average = sum(part.total_length for part in parts) / snapshot.chunks
    chunks, scores, first = [], [], 0
    for part in parts:
        here, gained = part.top(terms, idf, average, _WALK.seeds, BM25_K1, BM25_B)
        chunks.append(here + np.uint32(first))
        scores.append(gained)
        first += part.chunks
    found, score = np.concatenate(chunks), np.concatenate(scores)
    order = np.lexsort((found, -score))[: _WALK.seeds]
    return found[order], score[order]


def question(snapshot: Snapshot, posed: Asked, dim: int) -> Question:
    """Return a question whose vector lies near the first chunk that answers it."""
    words = question_words(posed.text)
    if not dim:
        return Question(posed.text, words, None)
    chunk = posed.gold[0]
    for live in snapshot.segments:
        if chunk < live.segment.chunks:
            break
        chunk -= live.segment.chunks
    near = live.segment.vectors[chunk].astype(np.float32)
    chance = np.random.default_rng(posed.gold[0])
    vector = near + chance.standard_normal(dim, np.float32) / np.float32(dim**0.5)
    return Question(posed.text, words, vector / np.linalg.norm(vector))
