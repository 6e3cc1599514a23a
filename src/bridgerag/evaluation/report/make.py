"""From a run to its report: figures and counts, and no text of any document or question."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace

import numpy as np

from bridgerag.embedding.minilm import MiniLM
from bridgerag.evaluation.leaks import Leak
from bridgerag.evaluation.records import Run
from bridgerag.evaluation.report.model import PERCENTILES, Report
from bridgerag.evaluation.report.wording import counted
from bridgerag.evaluation.summary import Summary, summarize
from bridgerag.settings import Settings

__all__ = ["make_report"]

_LEAKS = {
    "corpus": "The documents look as if they were made of the questions.",
    "adjacent": "The order of the documents tells which of them belong to one question.",
    "pair": "Questions that stand in a document with an answer beside them: {}.",
    "question": "Questions that stand in a document word for word: {}.",
    "id": "Documents whose id holds the id of a question: {}.",
}
_ADDRESS = re.compile(r"@\w+://.*")
_REPETITIONS = 100
# What decides the numbers, by its name in the settings: the option, and what it is by default.
_OPTIONS = {
    "k": ("-k", 20),
    "budget_tokens": ("--budget", 3000),
    "generator": ("--generator", "extractive"),
    "seed": ("--seed", 0),
    "embedding": ("--embedding", "minilm"),
}


def make_report(run: Run, summary: Summary | None = None) -> Report:
    """Return the report on a run; ``summary`` is its table, where that is at hand already."""
    summary = summary or summarize(run)
    store = run.stores.get("default")
    report = Report(
        summary=summary,
        fingerprint=str(run.dataset["fingerprint"]),
        documents=store.documents if store else 0,
        version=str(run.settings.get("release", "unknown")),
        command=_command(run),
        conditions=_conditions(run),
        percentiles={
            label: tuple(float(value) for value in np.percentile(times, PERCENTILES))
            for label in run.methods
            if (times := run.latency(label)).size
        },
        leaks=tuple(_told(run.leaks)),
    )
    depths = {label: run.depths[label] for label in run.methods if report.ours(label)}
    return replace(report, depths=depths)


def _told(leaks: Iterable[Leak]) -> Iterator[str]:
    """Yield a sentence for each kind of finding; what was found itself may hold text."""
    counts = Counter(leak.kind for leak in leaks)
    for kind, told in _LEAKS.items():
        if counts[kind]:
            yield told.format(f"{counts[kind]:,}")


def _conditions(run: Run) -> dict[str, str]:
    asked, machine, store = run.settings, run.machine, run.stores.get("default")
    told = {
        "Embedding": _without_address(asked["embedding_model"]),
        "Chunks": f"about {asked['chunk_tokens']} tokens each",
        "Forest": f"windows of {asked['window']} chunks, {asked['branching']} abstracts a parent, "
        f"lifting above {asked['lift']:g}",
        "Search": f"{asked['k']} chunks a question, {asked['budget_tokens']:,} tokens a prompt",
        "Answers": f"{asked['generator']}",
        "BERTScore by": f"{asked['bertscore'] or ''}",
        "Seed": f"{asked['seed']}",
        "Machine": f"{machine.get('processor', 'unknown')}, "
        f"{counted(int(machine.get('cores', 1)), 'core')}, {machine.get('system', 'unknown')}, "
        f"Python {machine.get('python', 'unknown')}",
        "Started": run.started,
    }
    if store:
        told["Chunks"] = f"{store.chunks:,}, {told['Chunks']}"
    return {name: words for name, words in told.items() if words}


def _command(run: Run) -> str:
    """Return the command that runs the same comparison, on data in the same place."""
    asked = run.settings
    methods = dict.fromkeys(_option(label) for label in run.methods)
    words = ["bridgerag", "eval", f"PATH/{run.dataset['name']}", "--methods", ",".join(methods)]
    if depths := sorted({run.depths[label] for label in run.methods if " d=" in label}):
        words += ["--depths", ",".join(map(str, depths))]
    if all(item.scope is not None and not item.gold_ids for item in run.questions):
        words += ["--scope", "gold"]
    if limit := run.dataset.get("limit"):
        words += ["--limit", str(limit)]
    if run.latency_plan.get("repetitions", 0) != _REPETITIONS:
        words += ["--repetitions", str(run.latency_plan.get("repetitions", 0))]
    if asked["bertscore"]:
        words += ["--bertscore", "minilm" if asked["bertscore"] == MiniLM.name else "MODEL"]
    for name, (option, default) in _OPTIONS.items():
        if asked[name] != default:
            words += [option, _without_address(asked[name])]
    usual = asdict(Settings(embedding=asked["embedding"]))
    if any(asked[name] != value for name, value in usual.items()):
        words += ["--store", "STORE"]  # only a store that is there can have such settings
    return shlex.join(words)


def _without_address(model: object) -> str:
    """Return ``MODEL@URL`` without the address: readers of a report need not know it."""
    return _ADDRESS.sub("@URL", str(model))


def _option(label: str) -> str:
    """Return the name of a method as ``--methods`` takes it."""
    return label.partition(" d=")[0].replace(" ", "-")
