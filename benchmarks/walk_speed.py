"""How fast the walk is as a corpus grows, and how near its push is to power iteration.

    python -m benchmarks.walk_speed [--chunks 10000 1000000] [--questions 200] [--oracle 50]
                                    [--dim 384] [--stores DIR] [--json FILE]

The corpus is synthetic, its store made once and kept in DIR if that is given. Questions go over two
hops. Agreement comes first: the five heaviest passages of the push beside those of power iteration
in SciPy over all passages and names, with the same edges and start; once for as many rounds as the
push goes (what its frontier costs), once until nothing moves. Then the clock: power iteration, the
push with several frontiers, and the whole walk, from words to hits, without embedding its question.
Ratios are of processor time.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._power_iteration import PowerIteration, best
from benchmarks._synthetic import Synthetic
from benchmarks._synthetic_questions import Asked as Posed
from benchmarks._synthetic_questions import questions
from benchmarks._synthetic_store import make
from bridgerag._native import WalkGraph
from bridgerag.entities import question_words
from bridgerag.entities.lexical import BM25_B, BM25_K1, bm25_idf, question_terms
from bridgerag.retrieval import Question, Timings, method
from bridgerag.retrieval.hybrid import LEXICAL_WEIGHT
from bridgerag.retrieval.walk import Walk
from bridgerag.retrieval.walk_question import understand
from bridgerag.store import Snapshot, Store

_TOP = 5
_NEARLY = 0.9  # of the fifth's weight: the fifth and sixth are often nearly alike
_ROUNDS = 4
_FRONTIERS = (160, 32, 80)
_WALK = Walk()


@dataclass(frozen=True, slots=True)
class Start:
    """A question as the push gets it; what is asked by stem, names by key."""

    posed: Posed
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


@dataclass(frozen=True, slots=True)
class Best:
    """The passages of most weight, and all that have nearly as much as the last of them."""

    top: list[int]
    near: set[int]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--oracle", type=int, default=50, help="questions of power iteration")
    parser.add_argument("--dim", type=int, default=384, help="of the vectors; 0 for none")
    parser.add_argument("--stores", type=Path)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for chunks in args.chunks:
            made = Synthetic(chunks)
            path = (args.stores or Path(folder)) / f"synthetic-{chunks}-{args.dim}"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                make(path, made, args.dim)
            rows += measure(made, path, args.questions, args.oracle)
    grown(rows)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


def measure(made: Synthetic, path: Path, count: int, oracle: int) -> list[dict]:
    """Print and return one row a way."""
    store = Store(path)
    with store.reading() as snapshot:
        starts = list(prepared(made, snapshot, count))
        print(f"\n{made.chunks:,} chunks, {len(starts)} questions over two hops")
        rows = [unbounded(made, starts[:oracle])]
        expected = rows[0].pop("best")
        for frontier in _FRONTIERS:
            graph = graph_of(snapshot, frontier)
            found = [pushed(graph, start) for start in starts]
            row = {"way": f"push, frontier {frontier}", "gold %": gold(found, starts)}
            row |= {kind: agreement(found, tops) for kind, tops in expected.items()}
            calls = [start.columns() for start in starts]
            rows.append(row | clocked(lambda call, graph=graph: graph.push(*call), calls))
        rows.append({"way": "walk, all of it"} | walked(made, snapshot, starts))
    store.close()
    base = rows[0]["median CPU, ms"]
    for row in rows:
        row |= {"chunks": made.chunks, "power iteration / this": base / row["median CPU, ms"]}
        show(row)
    return rows


def graph_of(snapshot: Snapshot, frontier: int) -> WalkGraph:
    parts = [(live.segment.names, live.segment.first_chunk, None) for live in snapshot.segments]
    return WalkGraph(parts, frontier=frontier, rounds=_ROUNDS)


def prepared(made: Synthetic, snapshot: Snapshot, count: int) -> Iterator[Start]:
    """Yield questions with where their push starts: their names, and the best chunks by BM25."""
    (live,) = snapshot.segments
    lexical, graph = live.segment.lexical, graph_of(snapshot, _FRONTIERS[0])
    for posed in questions(made, count):
        words = question_words(posed.text)
        asked = understand(graph, snapshot, Question(posed.text, words, None))
        terms = np.unique(question_terms(words))
        idf = bm25_idf(lexical.df(terms), made.chunks)
        average = lexical.total_length / made.chunks
        chunks, scores = lexical.top(terms, idf, average, _WALK.seeds, BM25_K1, BM25_B)
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


def unbounded(made: Synthetic, starts: list[Start]) -> dict:
    """Return the row of power iteration until nothing moves, with what both ways find best."""
    power = PowerIteration(made)

    def run(start: Start, rounds: int | None = None) -> Best | None:
        rest = power(start.asked, start.passages, start.names, rounds)
        if rounds is None and not rest.settled:
            return None
        top = best(rest.passages, _TOP)
        least = _NEARLY * rest.passages[top[-1]]
        return Best(top, set(np.flatnonzero(rest.passages >= least).tolist()))

    settled = [run(start) for start in starts]
    return {
        "way": "power iteration",
        "gold %": gold([found.top if found else [] for found in settled], starts),
        "best": {"same rounds": [run(start, _ROUNDS) for start in starts], "settled": settled},
    } | clocked(run, starts)


def pushed(graph: WalkGraph, start: Start) -> list[int]:
    return graph.push(*start.columns()).heaviest(_TOP)[0].tolist()


def walked(made: Synthetic, snapshot: Snapshot, starts: list[Start]) -> dict:
    """Return the row of the method as a search runs it."""
    walk = method("walk")
    dim = snapshot.segments[0].segment.vectors.shape[1]
    asked = [question(snapshot, start.posed, dim) for start in starts]

    def run(one: Question) -> list[int]:
        hits = walk(snapshot, one, 8, 2, Timings()).selected
        return [hit.chunk for hit in hits]

    found = [run(one)[:_TOP] for one in asked]
    return {"gold %": gold(found, starts)} | clocked(run, asked)


def question(snapshot: Snapshot, posed: Posed, dim: int) -> Question:
    """Return a question whose vector lies near the first chunk that answers it."""
    words = question_words(posed.text)
    if not dim:
        return Question(posed.text, words, None)
    near = snapshot.segments[0].segment.vectors[posed.gold[0]].astype(np.float32)
    chance = np.random.default_rng(posed.gold[0])
    vector = near + chance.standard_normal(dim, np.float32) / np.float32(dim**0.5)
    return Question(posed.text, words, vector / np.linalg.norm(vector))


def agreement(found: Sequence[Sequence[int]], expected: Sequence[Best | None]) -> dict:
    """Return how well the best agree, per cent.

    ``same``: questions with the same five; ``near``: with five of which each has nearly the weight
    of the fifth, or more; ``shared``: of the passages.
    """
    both = [(set(one), other) for one, other in zip(found, expected, strict=False) if other]
    if not both:
        return {"questions": 0}
    shares = np.array(
        [
            (one == set(other.top), one <= other.near, len(one & set(other.top)) / len(other.top))
            for one, other in both
        ],
        float,
    )
    same, near, shared = (100 * shares.mean(axis=0)).tolist()
    return {"questions": len(both), "same %": same, "near %": near, "shared %": shared}


def gold(found: Sequence[Sequence[int]], starts: Sequence[Start]) -> float:
    """Return how many of the gold passages are among the best five, per cent."""
    held = [len(set(start.posed.gold) & set(f)) / 3 for f, start in zip(found, starts)]  # noqa: B905
    return 100 * sum(held) / len(held)


def clocked(call: Callable, given: Sequence) -> dict[str, float]:
    """Return the median and the 99 % quantile of one call.

    On the wall, and of the processor, which a busy machine disturbs less.
    """
    times = []
    for one in given:
        clock, worked = time.perf_counter(), time.thread_time()
        call(one)
        times.append((time.perf_counter() - clock, time.thread_time() - worked))
    wall, cpu = np.quantile(times, (0.5, 0.99), axis=0).T * 1e3
    return {
        "median, ms": float(wall[0]), "p99, ms": float(wall[1]),
        "median CPU, ms": float(cpu[0]), "p99 CPU, ms": float(cpu[1]),
    }  # fmt: skip


def show(row: dict) -> None:
    print(
        f"  {row['way']:20} median {row['median, ms']:9.3f} ms (CPU {row['median CPU, ms']:.3f}), "
        f"p99 {row['p99, ms']:9.3f} (CPU {row['p99 CPU, ms']:.3f}), power iteration / this "
        f"{row['power iteration / this']:.1f}, gold {row['gold %']:.0f} %"
    )
    for kind in ("same rounds", "settled"):
        if row.get(kind, {}).get("questions"):
            part = row[kind]
            print(
                f"    as power iteration, {kind}: same top {_TOP} in {part['same %']:.0f} % of "
                f"{part['questions']} questions, nearly in {part['near %']:.0f} %, "
                f"{part['shared %']:.1f} % of passages"
            )


def grown(rows: list[dict]) -> None:
    """Print how each way's median grows from the smallest to the largest corpus."""
    for way in dict.fromkeys(row["way"] for row in rows):
        of_way = sorted((row for row in rows if row["way"] == way), key=lambda row: row["chunks"])
        first, last = of_way[0], of_way[-1]
        if first is not last:
            ratio = last["median CPU, ms"] / first["median CPU, ms"]
            sizes = f"{last['chunks']:,} / {first['chunks']:,} chunks"
            print(f"{way:20} {sizes}: CPU time {ratio:.2f}x")


if __name__ == "__main__":
    main()
