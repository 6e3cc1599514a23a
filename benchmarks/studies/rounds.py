"""What searching in rounds can give: MuSiQue, where each question comes with its steps.

The steps, with the answers of the steps before filled in, stand in for a model that always names
what is missing. So this is an upper bound, and needs no model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import nan
from pathlib import Path

import numpy as np

from benchmarks._data import data_folder, questions
from benchmarks.studies._show import Study
from benchmarks.studies._stores import open_store
from bridgerag.embedding import open_embedder
from bridgerag.evaluation.answering import open_generator
from bridgerag.evaluation.dataset import load_dataset
from bridgerag.evaluation.judging import Judge
from bridgerag.evaluation.remember import RememberingEmbedder
from bridgerag.generation.iterate import merged

__all__ = ["study"]

_BUDGET_TOKENS = 3000
_HITS = (8, 20)
_MOST_ROUNDS = 5  # no question has more than four steps


def study(
    stores: Path,
    embedding: str = "minilm",
    methods: tuple[str, ...] = ("hybrid", "walk"),
    limit: int = 100,
) -> Study:
    """Return one row a method, number of hits and number of rounds, over ``limit`` questions."""
    table = [
        row
        for method in methods
        for hits in _HITS
        for row in _rows(method, hits, stores, embedding, limit)
    ]
    return Study(
        "rounds",
        "What follow-up questions can give",
        table,
        x="rounds",
        y=["answer in context %"],
        series="search",
        note=f"A prompt of {_BUDGET_TOKENS:,} tokens; the follow-up questions are the data set's.",
    )


def _rows(
    method: str, hits: int, stores: Path, embedding: str, limit: int
) -> Iterator[dict[str, float | int | str]]:
    data = data_folder("musique")
    steps = {row["id"]: list(_steps(row["decomposition"])) for row in questions(data)}
    embedder = RememberingEmbedder(open_embedder(embedding))
    generator, judge = open_generator("none", embedder, _BUDGET_TOKENS), Judge(overlap=False)
    table = []
    with open_store("musique", stores, embedder, {}) as bridge:
        for item in load_dataset(data, limit=limit).questions:
            asked = [item.question, *steps[item.id]]
            found = [bridge.search(text, k=hits, method=method) for text in asked]
            prompts = [generator.prompt(merged(found[:n])) for n in range(1, _MOST_ROUNDS + 1)]
            told = [judge.metrics(item, (), prompt, None) for prompt in prompts]
            table.append([metrics.get("in_context", nan) for metrics in told])
    for number, column in enumerate(np.array(table, np.float64).T, start=1):
        yield {
            "search": f"{method}, {hits} hits",
            "questions": int((~np.isnan(column)).sum()),
            "rounds": number,
            "answer in context %": 100 * float(np.nanmean(column)),
        }


def _steps(decomposition: list[dict]) -> Iterator[str]:
    """Yield the steps as searches: ``#1`` stands for the answer of the first one."""
    answers = [step["answer"] for step in decomposition]
    for step in decomposition:
        words = step["question"].replace(">>", " ")
        yield re.sub(r"#(\d+)", lambda found: answers[int(found[1]) - 1], words)
