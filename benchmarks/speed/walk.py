"""How fast the walk is as a corpus grows, and how near its push is to power iteration.

The corpus is synthetic, and questions go over two hops. First a small corpus: the push without a
frontier gives every passage the weight that power iteration gives it in as many rounds, with the
same edges and start. Then, for each size: power iteration in SciPy over all passages and names (up
to a million chunks), the push with several frontiers, and the whole walk, from words to hits, its
question embedded before. "Same" says in how many of the questions the five heaviest passages are
those of power iteration over as many rounds; "near" that each has nearly the weight of its fifth,
or more; "settled" the first for power iteration until nothing moves, scaled so that it comes to
rest; "gold" how many of the passages that answer are among the five.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks._power_iteration import PowerIteration, best
from benchmarks._synthetic import Synthetic
from benchmarks._synthetic_store import kept, make
from benchmarks._walk_starts import ROUNDS, Start, graph_of, prepared, question
from benchmarks.speed._rows import Row, against, clocked
from bridgerag._native import WalkGraph
from bridgerag.retrieval import Question as Searched
from bridgerag.retrieval import Timings, method
from bridgerag.store import Snapshot, Store

__all__ = ["add_options", "agreement", "heaviest", "measure", "pushed", "walked"]

_BASE = "power iteration, SciPy"
_TOP = 5
_NEARLY = 0.9  # of the fifth's weight: the fifth and sixth are often nearly alike
_FRONTIERS = (160, 32, 80)
_SETTLED, _UNBOUNDED = 100_000, 1_000_000  # chunks: for more it takes too long; is too large
_ALL = 4_096  # the widest frontier: all of a small corpus


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--oracle", type=int, default=12, help="questions of power iteration")
    parser.add_argument("--dim", type=int, default=384, help="of the vectors; 0 for none")


def measure(options: argparse.Namespace) -> Iterator[Row]:
    smallest: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        _check_exact(Path(folder) / "small")
        for chunks in [1_000] if options.quick else options.sizes:
            path = kept(options.stores or Path(folder), chunks, options.dim)
            oracle = options.oracle if chunks <= _UNBOUNDED else 0
            for one in _rows(Synthetic(chunks), path, options.questions, oracle):
                cpu = float(one.facts["median CPU ms"])
                one.facts["times the smallest"] = cpu / smallest.setdefault(one.way, cpu)
                yield one


def _check_exact(path: Path, chunks: int = 600) -> None:
    """Leave the program unless a push that leaves nothing out does as power iteration does."""
    made = Synthetic(chunks)
    make(path, made, 0)
    power = PowerIteration(made)
    store = Store(path)
    with store.reading() as snapshot:
        graph = graph_of(snapshot, _ALL)
        for start in prepared(made, snapshot, 12):
            numbers, weights = graph.push(*start.columns()).heaviest(chunks)
            pushed = np.zeros(chunks)
            pushed[numbers] = weights
            rest = power(start.asked, start.passages, start.names, ROUNDS)
            if not np.allclose(rest.passages, pushed, rtol=0, atol=1e-11):
                raise SystemExit("the push and power iteration differ")
    store.close()


def _rows(made: Synthetic, path: Path, count: int, oracle: int) -> list[Row]:
    store = Store(path)
    with store.reading() as snapshot:
        starts = list(prepared(made, snapshot, count))
        size = f"{made.chunks:,} chunks, segments: {len(snapshot.segments)}"
        rows, expected, settled = (
            _unbounded(made, size, starts[:oracle]) if oracle else ([], [], [])
        )
        for frontier in _FRONTIERS:
            graph = graph_of(snapshot, frontier)
            found = [pushed(graph, start) for start in starts]
            facts = {"gold %": gold(found, starts)} | agreement(found, expected)
            if settled:
                facts["settled, same %"] = agreement(found, settled)["same %"]
            calls = [start.columns() for start in starts]
            way = f"push, frontier {frontier}"
            rows.append(
                clocked(size, way, lambda call, g=graph: g.push(*call).heaviest(_TOP), calls, facts)
            )
        rows.append(walked(size, snapshot, starts))
    store.close()
    return against(rows, _BASE) if oracle else rows


@dataclass(frozen=True, slots=True)
class Best:
    """The passages of most weight, and all that have nearly as much as the last of them."""

    top: list[int]
    near: set[int]


def _unbounded(
    made: Synthetic, size: str, starts: list[Start]
) -> tuple[list[Row], list[Best], list[Best]]:
    """Return the row of power iteration, what it finds in as many rounds, and what at rest."""
    power = PowerIteration(made)

    def run(start: Start) -> list[int]:
        return best(power(start.asked, start.passages, start.names, ROUNDS).passages, _TOP)

    found = heaviest(power, starts, ROUNDS)
    settled = heaviest(power, starts, None) if made.chunks <= _SETTLED else []
    facts = {"gold %": gold([one.top for one in found], starts)}
    return [clocked(size, _BASE, run, starts, facts)], found, settled


def heaviest(power: PowerIteration, starts: Sequence[Start], rounds: int | None) -> list[Best]:
    """Return what power iteration finds in some rounds, or (None) at rest."""
    found = []
    for start in starts:
        weights = power(start.asked, start.passages, start.names, rounds).passages
        top = best(weights, _TOP)
        least = _NEARLY * weights[top[-1]]
        found.append(Best(top, set(np.flatnonzero(weights >= least).tolist())))
    return found


def pushed(graph: WalkGraph, start: Start) -> list[int]:
    """Return the heaviest passages of a push."""
    numbers: list[int] = graph.push(*start.columns()).heaviest(_TOP)[0].tolist()
    return numbers


def walked(size: str, snapshot: Snapshot, starts: list[Start]) -> Row:
    """Return the row of the method as a search runs it."""
    walk = method("walk")
    dim = snapshot.segments[0].segment.vectors.shape[1]
    asked = [question(snapshot, start.posed, dim) for start in starts]

    sizes = [live.segment.chunks for live in snapshot.segments]
    first = {
        live.segment: start
        for live, start in zip(snapshot.segments, np.cumsum([0, *sizes]).tolist(), strict=False)
    }

    def run(one: Searched) -> list[int]:
        hits = walk(snapshot, one, 8, 2, Timings()).selected
        return [first[hit.live.segment] + hit.chunk for hit in hits]

    found = [run(one)[:_TOP] for one in asked]
    return clocked(size, "walk, all of it", run, asked, {"gold %": gold(found, starts)})


def agreement(found: Sequence[Sequence[int]], expected: Sequence[Best]) -> dict[str, float]:
    """Return how well the best agree with those expected, as far as these go, per cent."""
    both = [(set(one), other) for one, other in zip(found, expected, strict=False)]
    if not both:
        return {}
    shares = [(one == set(other.top), one <= other.near) for one, other in both]
    same, near = (100 * np.array(shares, float).mean(axis=0)).tolist()
    return {"same %": same, "near %": near}


def gold(found: Sequence[Sequence[int]], starts: Sequence[Start]) -> float:
    """Return how many of the gold passages are among the best five, per cent."""
    held = [
        len(set(start.posed.gold) & set(one)) / 3 for one, start in zip(found, starts, strict=True)
    ]
    return 100 * sum(held) / len(held)
