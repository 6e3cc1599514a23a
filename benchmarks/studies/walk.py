"""What each ingredient of the method `walk` is worth: one removed at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import bridgerag
from benchmarks._data import corpus_path, data_folder, questions
from benchmarks.studies._show import Study
from bridgerag.embedding import open_embedder
from bridgerag.evaluation.bootstrap import mean_interval, paired_interval
from bridgerag.evaluation.ranking import recall_at, unique
from bridgerag.evaluation.remember import RememberingEmbedder
from bridgerag.retrieval.walk import Walk

__all__ = ["study"]

_FULL = "nothing"
REMOVED: Mapping[str, Walk] = {
    _FULL: Walk(),
    "the push": Walk(push={"restart": 1.0}),
    "the start at the question's names": Walk(names_share=0.0),
    "the start at passages": Walk(names_share=0.999),
    "a definition weighs more than a mention": Walk(push={"definition_weight": 1.0}),
    "words that no passage before holds": Walk(new_words_weight=0.0),
    "the cosine of a second question": Walk(second_weight=0.0),
    "the words of second questions": Walk(shared_weight=0.0),
    "second questions but the first": Walk(seconds=1),
    "what hits hand on": Walk(link_weight=0.0),
    "nearness to what is asked": Walk(push={"near_weight": 0.0}),
    "the power of the degree": Walk(push={"degree_power": 1.0}),
    "two of four rounds": Walk(push={"rounds": 2}),
    "four fifths of the frontier": Walk(push={"frontier": 32}),
    "the choice behind the first two": Walk(head=2),
    "copies behind the others": Walk(most_shared=1.0),
}
_K = 20
_DATA = ("2wikimultihopqa", "musique", "hotpotqa", "xquad/en")


def study(stores: Path, names: tuple[str, ...] = _DATA, embedding: str = "minilm") -> Study:
    """Return one row a data set and ingredient removed."""
    table = [row for name in names for row in _rows(name, embedding, stores)]
    note = (
        "Recall over distinct documents, in per cent; differences to the full method in points, "
        "with the 95 % interval of a paired bootstrap over the questions."
    )
    return Study(
        "walk", "The method walk, one ingredient removed", table, "removed",
        ["recall@2", "recall@5"], series="data", note=note,
    )  # fmt: skip


def _rows(name: str, embedding: str, stores: Path) -> Iterator[dict[str, float | int | str]]:
    folder = data_folder(name)
    asked = [row for row in questions(folder) if row["gold_ids"]]
    embedder = RememberingEmbedder(open_embedder(embedding))
    place = stores / f"{name.replace('/', '-')}-{embedding}"
    settings = bridgerag.Settings(embedding=embedding)
    with bridgerag.open(place, settings=settings, embedder=embedder) as bridge:
        bridge.add(corpus_path(folder))
        full: dict[int, list[float]] = {}
        for removed, walk in REMOVED.items():
            if embedding == "none" and walk.second_weight == 0:
                continue  # there is no cosine to remove
            bridge.use("walk", walk)
            found = _recalls(bridge, asked)
            full = full or found
            row: dict[str, float | int | str] = {
                "data": f"{name}, {embedding}", "removed": removed, "questions": len(asked),
            }  # fmt: skip
            for k, values in found.items():
                row |= _columns(f"recall@{k}", values, full[k], removed == _FULL)
            yield row


def _recalls(bridge: bridgerag.Bridge, asked: list[dict]) -> dict[int, list[float]]:
    recalls: dict[int, list[float]] = {2: [], 5: []}
    for row in asked:
        hits = bridge.search(row["question"], k=_K, method="walk").hits
        found = unique(hit.document.id for hit in hits)
        for k, values in recalls.items():
            values.append(recall_at(found, row["gold_ids"], k))
    return recalls


def _columns(
    name: str, values: list[float], full: list[float], whole: bool
) -> dict[str, float | str]:
    interval = mean_interval(values, seed=0) if whole else paired_interval(values, full, seed=0)
    mean = 100 * sum(values) / len(values)
    between = f"[{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]"
    change = "" if whole else f"{100 * interval.mean:+.1f} "
    return {name: mean, f"{name} change": f"{change}{between}"}
