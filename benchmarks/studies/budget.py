"""What a prompt's budget buys: how often it holds the answer, by tokens and by hits found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import nan
from pathlib import Path

import numpy as np

from benchmarks._data import data_folder
from benchmarks.studies._show import Study
from benchmarks.studies._stores import open_store
from bridgerag.embedding import open_embedder
from bridgerag.evaluation.answering import open_generator
from bridgerag.evaluation.dataset import load_dataset
from bridgerag.evaluation.judging import Judge
from bridgerag.evaluation.remember import RememberingEmbedder
from bridgerag.evaluation.scope import by_scope
from bridgerag.types import Context

__all__ = ["study"]

_BUDGETS = (1000, 2000, 3000, 4000, 8000)  # tokens
_HITS = (8, 20, 100)
_LONG = {"aa_lcr"}  # each question is searched in its own documents


def study(
    stores: Path,
    embedding: str = "minilm",
    names: tuple[str, ...] = ("musique", "aa_lcr"),
    methods: tuple[str, ...] = ("hybrid", "walk"),
    limit: int = 100,
) -> Study:
    """Return one row a data set, method, number of hits and budget, over ``limit`` questions."""
    table: list[dict[str, float | int | str]] = []
    for name in names:
        for method in methods:
            table += _rows(name, method, stores, embedding, limit)
    return Study(
        "budget",
        "What a prompt's budget buys",
        table,
        x="budget",
        y=["answer in context %", "tokens"],
        series="search",
        log_x=True,
        note="The same hits are laid out for each budget; few of them do not use it up.",
    )


def _rows(
    name: str, method: str, stores: Path, embedding: str, limit: int
) -> Iterator[dict[str, float | int | str]]:
    embedder = RememberingEmbedder(open_embedder(embedding))
    judge = Judge(overlap=False)
    dataset = load_dataset(data_folder(name), limit=limit, scope="gold" if name in _LONG else "all")
    found = []
    with open_store(name, stores, embedder, {}) as bridge:
        for where, items in by_scope(dataset.questions):
            for item in items:
                k = max(_HITS)
                found.append((item, bridge.search(item.question, k=k, method=method, where=where)))
    for hits in _HITS:
        for budget in _BUDGETS:
            generator = open_generator("none", embedder, budget)
            cells = []
            for item, context in found:
                prompt = generator.prompt(_first(context, hits))
                told = judge.metrics(item, (), prompt, None).get("in_context", nan)
                cells.append((told, len(prompt.passages), prompt.tokens))
            told, passages, tokens = np.array(cells, np.float64).T
            yield {
                "data": name,
                "search": f"{name}, {method}, {hits} hits",
                "questions": int((~np.isnan(told)).sum()),
                "budget": budget,
                "answer in context %": 100 * float(np.nanmean(told)),
                "passages": float(passages.mean()),
                "tokens": float(tokens.mean()),
            }


def _first(context: Context, hits: int) -> Context:
    """Return the context of a search for fewer hits."""
    kept = context.hits[:hits]
    owners = {abstract for hit in kept for abstract in hit.abstracts}
    abstracts = tuple(note for note in context.abstracts if note.id in owners)
    return replace(context, hits=kept, abstracts=abstracts)
