"""What a comparison of methods gives: one outcome a question and method, and the run as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgerag.evaluation.leaks import Leak
from bridgerag.evaluation.questions import QuestionItem
from bridgerag.types import Footprint

__all__ = ["EMBED", "Latency", "Outcome", "Run", "StoreCost"]

EMBED = "embed"
"""Stands for the method in the latency of embedding a question, which is common to all."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question by one method.

    Attributes:
        method: the method's label in tables, such as ``"bridge d=2"``.
        question: the question's id.
        ranked: ids of the documents found, best first, without repeats.
        hits: document, number of the chunk in it, score; best first.
        metrics: by name; a metric that does not apply to the question is left out.
        answer: what the generator wrote, without markers; None when none was asked.
        timings_ms: the stages of this one search; what is measured with care is in `Latency`.
        footprint: what the method's own index cost, with the first question that needed it.
    """

    method: str
    question: str
    ranked: tuple[str, ...] = ()
    hits: tuple[tuple[str, int, float], ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    answer: str | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    footprint: Footprint | None = None


@dataclass(frozen=True, slots=True)
class Latency:
    """The repetitions of one question by one method.

    Attributes:
        method: its label, or `EMBED`.
        ms: milliseconds by stage, a number a repetition. ``"total"`` is without embedding.
    """

    method: str
    question: str
    ms: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class StoreCost:
    """What a store took to build.

    Attributes:
        seconds: None when it was not built in one go by this run, so that nobody knows.
    """

    documents: int
    chunks: int
    size_bytes: int
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Run:
    """A run, read back. Everything a question has a value of is in the order of ``questions``.

    Attributes:
        dataset: ``name``, ``fingerprint``, ``has_gold``, counts of what is in it.
        settings: what was asked for: ``k``, ``budget_tokens``, ``generator``, ``embedding``, ...
        methods: labels of those that answered every question, in the order of tables.
        depths: how far each method was told to walk up and down the forest.
        failed: why a method could not run, by label.
        unfinished: labels of those that are yet to answer some questions.
        notes: what a reader should know, a sentence each.
        stores: by name: ``"default"``, and ``"no-lift"`` where there is one.
        store_of: the name of the store that a method searches.
        footprints: what each method's own index cost, beside the store.
        latency_plan: the numbers of ``questions`` and ``repetitions``; empty without latencies.
        machine: processor, cores, system, versions.
        finished: UTC, ISO 8601; None while the run is not complete.
    """

    folder: Path
    dataset: Mapping[str, Any]
    settings: Mapping[str, Any]
    questions: tuple[QuestionItem, ...]
    methods: tuple[str, ...]
    depths: Mapping[str, int]
    failed: Mapping[str, str]
    unfinished: tuple[str, ...]
    leaks: tuple[Leak, ...]
    notes: tuple[str, ...]
    stores: Mapping[str, StoreCost]
    store_of: Mapping[str, str]
    footprints: Mapping[str, Footprint]
    latency_plan: Mapping[str, Any]
    machine: Mapping[str, Any]
    started: str
    finished: str | None
    outcomes: Mapping[tuple[str, str], Outcome]
    latencies: tuple[Latency, ...]

    def values(self, method: str, metric: str) -> NDArray[np.float64]:
        """Return one value a question, shape ``(len(questions),)``; NaN where there is none."""
        found = (self.outcomes.get((method, item.id)) for item in self.questions)
        return np.array([nan if o is None else o.metrics.get(metric, nan) for o in found])

    def latency(self, method: str, stage: str = "total") -> NDArray[np.float64]:
        """Return all repetitions of all questions in milliseconds; empty when not measured.

        Args:
            stage: ``"recognize"``, ``"lookup"``, ``"expand"``, ``"rank"``, or ``"total"``, which is
                the whole search without embedding; ``"embed"`` is the same for every method.
        """
        wanted = EMBED if stage == EMBED else method
        found = [row.ms.get(stage, ()) for row in self.latencies if row.method == wanted]
        return np.array([value for values in found for value in values], np.float64)
