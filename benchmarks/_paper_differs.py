"""How a run of ours differs from the paper's experiment: what a reader must know of the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from bridgerag.evaluation.records import Run
from bridgerag.evaluation.report.markdown import plain

__all__ = ["differences"]


def differences(run: Run, corpus: str) -> Iterator[str]:
    """Yield a sentence, without its full stop, for each thing that differs.

    Args:
        corpus: what is searched and asked.
    """
    asked = run.settings
    yield f"Data, {len(run.questions)} questions: {corpus}"
    yield from _about_answers(str(asked["generator"]))
    yield (
        f"Prompt: one for all methods, {asked['k']} chunks, {asked['budget_tokens']:,} tokens. The "
        "paper gives neither number, and its baselines get a simpler prompt (appendix B.1)"
    )
    yield (
        "Judge: ROUGE by rouge-score (F, stemmed), BLEU by sacrebleu (a sentence at a time, then "
        f"averaged), BERTScore by {asked['bertscore']}, not rescaled. The paper names no program "
        "and no model; BERTScores of different models cannot be compared"
    )
    plan, machine = run.latency_plan, run.machine
    if plan:
        yield (
            f"Time: median of {plan['repetitions']} repetitions of {plan['questions']} questions, "
            f"without embedding the question, {machine.get('cores')} cores of "
            f"{machine.get('processor')}. The paper: averages of 100 runs on a machine with an RTX "
            "4090; what its seconds include is not said"
        )
    yield f"Embedding: {asked['embedding_model']}; the paper names none"
    yield (
        "The paper's Tree RAG enters its trees by nearest neighbours (section 4.1), or searches "
        "them breadth first (4.5): `tree-ann` is the former, `tree` the latter and stands beside it"
    )
    for label in run.methods:
        if stand_in := run.footprints[label].stand_in:
            yield f"`{label}`: {stand_in} in place of a language model"
    for label, reason in run.failed.items():
        yield f"`{label}` could not run: {plain(reason).rstrip('.')}"
    yield from (plain(note).rstrip(".") for note in run.notes)


def _about_answers(generator: str) -> Iterator[str]:
    if generator != "extractive":
        yield f"Answers: written by {generator}; the paper's by Doubao Seed 1.6"
        return
    yield (
        "Answers: sentences of the passages, word for word, where the paper has Doubao Seed 1.6 "
        "write. Compare methods within a column of ours, not our values with the paper's"
    )
    yield (
        "Such answers are made of passages only. What summaries of abstracts in a prompt may give "
        "to a language model cannot show, except in *in context*"
    )
    yield "`none` has nothing to quote: its answers are empty"
