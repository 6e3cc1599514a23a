"""What must be said beside a table: what is missing and why, what to doubt, how it was measured."""

from __future__ import annotations

from collections.abc import Iterator

from bridgerag.evaluation.records import Run

__all__ = ["remarks"]

_FEW = 30  # questions


def remarks(run: Run, baseline: str, compared: bool) -> Iterator[str]:
    """Yield what a reader must know to judge the table of ``run``, a sentence each.

    Args:
        compared: whether the ``baseline`` was run.
    """
    if run.finished is None:
        missing = f" ({', '.join(run.unfinished)})" if run.unfinished else ""
        yield f"The run is not complete{missing}: start it again, and it goes on where it stopped."
    yield from _about_questions(run)
    if not compared and run.methods:
        yield f"{baseline} was not run, so there is nothing to compare with and no interval."
    if compared and len(run.questions) < _FEW:
        yield "With so few questions the intervals are too narrow: they hold the truth less often."
    for label, reason in run.failed.items():
        yield f"{label} is left out: {reason}"
    yield from run.notes
    if run.leaks:
        yield (
            f"The leak check has {_counted(len(run.leaks), 'finding')}, listed in the run: "
            "look at them before you believe the numbers."
        )
    for name, store in run.stores.items():
        if store.seconds is None and (users := [m for m in run.methods if run.store_of[m] == name]):
            yield (
                f"How long it took to build the store for {', '.join(users)} is not known: it was "
                "there before, was begun by a run that stopped, or took vectors from another one."
            )
    for label in run.methods:
        if stand_in := run.footprints[label].stand_in:
            yield f"{label}: where its paper has a language model, it has {stand_in} here."
    if model := run.settings["bertscore"]:
        yield f"BERTScore is by the model {model}; values by another model cannot be compared."
    if plan := run.latency_plan:
        asked = _counted(plan["questions"], "question")
        yield (
            f"Latency: {plan['repetitions']} repetitions of {asked}, methods taking turns; "
            "total is the search without any embedding: that of the question, the same for all, "
            "and of what a method embeds besides (`walk`: one more text)."
        )


def _about_questions(run: Run) -> Iterator[str]:
    if not run.dataset["has_gold"]:
        yield (
            "No question names the documents that answer it (gold_ids), so there is no recall, "
            "precision, nDCG or MRR."
        )
    answered = sum(bool(item.answers) for item in run.questions)
    if not answered:
        yield "No question comes with an answer, so no measure that looks at answers applies."
    elif answered < len(run.questions):
        yield f"{answered} of {len(run.questions)} questions come with an answer."
    if answered and run.settings["generator"] == "none":
        yield "No answer was written (generator none): only whether it stands in the prompt counts."


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
