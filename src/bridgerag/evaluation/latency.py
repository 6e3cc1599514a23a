"""How long a search takes: the same questions again and again, all methods taking turns.

A busy moment of the machine then meets every method alike. Embedding is timed on its own, because
it is the same for all; the searches find the question's vector in memory, as they do what a method
embeds besides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from time import perf_counter
from typing import TypeAlias

from bridgerag.engine import Bridge
from bridgerag.evaluation.questions import QuestionItem, draw
from bridgerag.evaluation.records import EMBED, Latency, Run
from bridgerag.evaluation.results import RunFolder
from bridgerag.evaluation.scope import by_scope
from bridgerag.evaluation.variants import Variant
from bridgerag.protocols import Embedder, Progress

__all__ = ["Watch", "time_all"]

_BUDGET_S = 60.0  # for searches
_MOST = 20  # questions
_DECIMALS = 4  # of a millisecond
_STAGES = ("recognize", "lookup", "expand", "rank", "total")

_Times: TypeAlias = dict[tuple[str, str], dict[str, list[float]]]  # by method, question; by stage


def time_all(
    results: RunFolder,
    watch: Watch,
    repetitions: int,
    seed: int,
    progress: Progress | None,
) -> None:
    """Store the latencies of all methods that answered every question, unless they are stored.

    Up to 20 questions are drawn, as many as can be repeated in about a minute of searching, at
    least one. Where a method or the number of repetitions is new, all are measured anew, so that
    all meet the same moments.
    """
    run, rows = results.read(), results.header()["methods"]
    plan = {"repetitions": repetitions, "methods": list(run.methods)}
    if not repetitions or plan == {name: run.latency_plan.get(name) for name in plan}:
        return
    drawn = draw(run.questions, _how_many(run, repetitions), f"latency:{seed}")
    methods = [Variant(label, **rows[label]) for label in run.methods]
    results.write_latencies(watch.measure(methods, drawn, repetitions, progress))
    results.update(latency={"questions": len(drawn), **plan})


def _how_many(run: Run, repetitions: int) -> int:
    searches = [o.timings_ms["total"] for o in run.outcomes.values() if o.method in run.methods]
    scopes = len({item.scope for item in run.questions})
    each_s = repetitions * fsum(searches) / len(run.questions) / 1e3
    if scopes > 1:  # another scope wants other indexes
        each_s += fsum(run.footprints[label].seconds for label in run.methods) / scopes
    return max(1, min(_MOST, len(run.questions), int(_BUDGET_S / max(each_s, 1e-6))))


@dataclass(frozen=True, slots=True)
class Watch:
    """Times searches.

    Attributes:
        bridges: by the names of their stores.
        embedder: the one that really embeds.
        k: chunks to find.
    """

    bridges: Mapping[str, Bridge]
    embedder: Embedder
    k: int

    def measure(
        self,
        methods: Sequence[Variant],
        questions: Sequence[QuestionItem],
        repetitions: int,
        progress: Progress | None,
    ) -> list[Latency]:
        """Return the times of each question by each method, and of embedding it.

        Indexes are built, and every question is asked once, before the clock starts.
        """
        times: _Times = defaultdict(lambda: defaultdict(list))
        done, total = 0, repetitions * len(questions)
        for where, items in by_scope(questions):
            for variant in methods:
                self.bridges[variant.store].prepare(variant.method, where)
                for item in items:
                    self._search(variant, item, where)
            for turn in range(repetitions):
                first = turn % len(methods)
                for item in items:
                    self._turn([*methods[first:], *methods[:first]], item, where, times)
                done += len(items)
                if progress is not None:
                    progress("timings", done, total)
        return [
            Latency(label, question, {name: _rounded(values) for name, values in stages.items()})
            for (label, question), stages in sorted(times.items())
        ]

    def _turn(
        self, methods: Sequence[Variant], item: QuestionItem, where: str | None, times: _Times
    ) -> None:
        start = perf_counter()
        self.embedder.embed([item.question])
        times[EMBED, item.id][EMBED].append((perf_counter() - start) * 1e3)
        for variant in methods:
            ms = self._search(variant, item, where)
            for stage in _STAGES:
                times[variant.label, item.id][stage].append(ms[stage])

    def _search(self, variant: Variant, item: QuestionItem, where: str | None) -> dict[str, float]:
        """Return the stages of one search, ``"total"`` without embedding."""
        context = self.bridges[variant.store].search(
            item.question, k=self.k, depth=variant.depth, method=variant.method, where=where
        )
        ms = dict(context.timings_ms)
        ms["total"] -= ms["embed"]
        return ms


def _rounded(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(round(value, _DECIMALS) for value in values)
