"""Run every method over every question of a data set, and store all that comes out.

What is stored is never asked again: a run that was stopped, or killed, goes on where it was. Two
runs with one seed give the same quality in every digit, unless a language model writes the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from bridgerag.documents import find_files, load
from bridgerag.embedding import open_embedder
from bridgerag.engine import Bridge
from bridgerag.errors import InputError
from bridgerag.evaluation.answering import open_generator
from bridgerag.evaluation.asking import Asker, ask_all
from bridgerag.evaluation.building import existing_store, open_stores
from bridgerag.evaluation.dataset import Dataset
from bridgerag.evaluation.judging import Judge, overlap_missing
from bridgerag.evaluation.latency import Watch, time_all
from bridgerag.evaluation.leaks import find_leaks
from bridgerag.evaluation.machine import describe_machine, release
from bridgerag.evaluation.records import Run
from bridgerag.evaluation.remember import RememberingEmbedder
from bridgerag.evaluation.results import RunFolder
from bridgerag.evaluation.token_models import TokenModel
from bridgerag.evaluation.variants import Variant, every_method, in_table_order, variants
from bridgerag.protocols import Embedder, Progress
from bridgerag.settings import Settings
from bridgerag.types import Document

__all__ = ["evaluate"]

_MOST_CHUNKS = 10_000  # that a search gives


def evaluate(
    dataset: Dataset,
    folder: Path,
    *,
    methods: Sequence[str] | None = None,
    depths: Sequence[int] = (0, 1, 2, 3),
    k: int = 20,
    budget_tokens: int = 3000,
    generator: str = "extractive",
    repetitions: int = 100,
    seed: int = 0,
    store: Path | None = None,
    settings: Settings | Mapping[str, str | int | float] | None = None,
    embedder: Embedder | None = None,
    token_model: TokenModel | None = None,
    progress: Progress | None = None,
) -> Run:
    """Return the run in ``folder``, made or completed.

    Methods that cannot run (an extra is missing, the store has no vectors) are left out, and the
    run says why. Where it is there with other methods or repetitions, what is new is added.

    Args:
        methods: names as in `every_method`; all of them by default.
        depths: at which ``"bridge"`` is run.
        k: chunks to find, 1 to 10,000, the same for every method.
        budget_tokens: for the prompt, the same for every method.
        generator: writes the answers: ``"extractive"``, ``"none"``, ``"MODEL"`` or ``"MODEL@URL"``.
        repetitions: for latency; 0 leaves it out.
        seed: of what is drawn by lot: which questions are timed, the bootstrap.
        store: one that is there and holds the documents; it is only read.
        settings: of the stores, or some of them by name; ``store`` must have been built with them.
        embedder: in place of the one that the settings name.
        token_model: gives BERTScore, which takes time; without one there is none.

    Raises:
        InputError: an argument is out of range, or the folder holds another run.
        BridgeError: the store or a server cannot be used, or no method can run; nothing is lost.
    """
    _check(k, repetitions)
    chosen = variants(every_method() if methods is None else methods, depths)
    named = asdict(settings) if isinstance(settings, Settings) else dict(settings or {})
    built, held = existing_store(store, named) if store else (replace(Settings(), **named), None)
    memory = RememberingEmbedder(embedder or open_embedder(built.embedding))
    writer = open_generator(generator, memory, budget_tokens)
    asked = {
        "k": k, "budget_tokens": budget_tokens, "generator": writer.name, "seed": seed,
        "bertscore": token_model and token_model.name, "embedding_model": memory.name,
        **asdict(built), "store": held, "release": release(),
    }  # fmt: skip
    results = RunFolder(folder)
    with results.writing(dataset={"fingerprint": dataset.fingerprint}, settings=asked):
        names = _begin(results, dataset, chosen)
        with open_stores(results, dataset, names, built, memory, store, progress) as bridges:
            _look_at_data(results, dataset, bridges[names[0]])
            judge = Judge(_overlap(results, dataset, generator), token_model)
            _ask(results, dataset, chosen, Asker(bridges, writer, judge, k), progress)
            time_all(results, Watch(bridges, memory.embedder, k), repetitions, seed, progress)
        results.update(finished=_now())
    return results.read()


def _check(k: int, repetitions: int) -> None:
    if repetitions < 0:
        raise InputError("repetitions", repetitions, "0 or more")
    if not 1 <= k <= _MOST_CHUNKS:
        raise InputError("k", k, f"between 1 and {_MOST_CHUNKS:,}")


def _begin(results: RunFolder, dataset: Dataset, chosen: Sequence[Variant]) -> list[str]:
    """Record what is to be done, beside what an earlier run with other methods did.

    Returns:
        The names of the stores that are needed.
    """
    header = results.header()
    before = [Variant(label, **row) for label, row in header.get("methods", {}).items()]
    methods = in_table_order({v.label: v for v in (*before, *chosen)}.values())
    results.update(
        dataset={
            "name": dataset.name,
            "fingerprint": dataset.fingerprint,
            "has_gold": dataset.has_gold,
            "limit": dataset.limit,
        },
        questions=[asdict(item) for item in dataset.questions],
        methods={
            v.label: {"method": v.method, "depth": v.depth, "store": v.store} for v in methods
        },
        machine=describe_machine(),
        started=header.get("started") or _now(),
        finished=None,
    )
    return sorted({variant.store for variant in methods})  # the default one comes first


def _look_at_data(results: RunFolder, dataset: Dataset, bridge: Bridge) -> None:
    """Record what is wrong with the data: answers given away, gold that no document is."""
    if "leaks" in results.header():
        return
    unknown = dataset.unknown({ref.id for ref in bridge.documents()})
    if unknown:
        results.note(
            "unknown",
            f"{len(unknown)} documents that questions name are not in the store, the first of "
            f"them {unknown[0]!r}: no method can find them.",
        )
    confined = sum(item.scope is not None for item in dataset.questions)
    if confined:
        results.note(
            "scope",
            f"{confined} of {len(dataset.questions)} questions are searched among their own "
            "documents only.",
        )
    leaks = find_leaks(dataset, _documents(dataset))
    results.update(leaks=[asdict(leak) for leak in leaks])


def _documents(dataset: Dataset) -> Iterator[Document]:
    """Yield the documents as they are read from their files, in order."""
    for path in find_files([dataset.documents], dataset.ignore):
        if isinstance(path, Path):
            yield from (item for item in load(path) if isinstance(item, Document))


def _overlap(results: RunFolder, dataset: Dataset, generator: str) -> bool:
    """Say whether ROUGE and BLEU are to be measured, and record why not where they could be."""
    if generator == "none" or not any(item.answers for item in dataset.questions):
        return False
    missing = overlap_missing()
    if missing:
        results.note("overlap", f"There are no ROUGE and BLEU: {missing}.")
    return missing is None


def _ask(
    results: RunFolder,
    dataset: Dataset,
    chosen: Sequence[Variant],
    asker: Asker,
    progress: Progress | None,
) -> None:
    failed = ask_all(results, dataset.questions, chosen, asker, progress)
    now = {variant.label for variant in chosen}
    before = results.header().get("failed", {})
    kept = {label: reason for label, reason in before.items() if label not in now}
    results.update(failed=kept | {label: str(error) for label, error in failed.items()})
    if len(failed) == len(chosen):
        raise next(iter(failed.values()))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
