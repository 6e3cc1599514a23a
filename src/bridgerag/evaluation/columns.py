"""What a table of methods shows: one column a measure, with its unit and which way is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["ANSWER", "COLUMNS", "QUALITY", "QUANTILES", "RETRIEVAL", "STAGES", "Column"]

STAGES = ("total", "embed", "recognize", "lookup", "expand", "rank")
QUANTILES = (50, 95, 99)


@dataclass(frozen=True, slots=True)
class Column:
    """One measure.

    Attributes:
        key: its name in files.
        title: its name in tables.
        unit: ``"%"`` (a share of 0 to 1), ``"ms"``, ``"s"``, ``"tokens"``, ``"bytes"``.
        part: ``"retrieval"``, ``"answers"``, ``"latency"`` or ``"cost"``.
        higher: whether more of it is better.
        brief: whether it belongs into a table that must be narrow.
    """

    key: str
    title: str
    unit: str
    part: str
    higher: bool
    brief: bool = False


def _shares(part: str, names: Sequence[tuple[str, str]], brief: Sequence[str]) -> list[Column]:
    return [Column(key, title, "%", part, True, key in brief) for key, title in names]


RETRIEVAL = tuple(
    _shares(
        "retrieval",
        [
            ("recall@2", "recall@2"),
            ("recall@5", "recall@5"),
            ("recall@10", "recall@10"),
            ("precision@5", "precision@5"),
            ("ndcg@10", "nDCG@10"),
            ("mrr", "MRR"),
        ],
        brief=("recall@2", "recall@5", "ndcg@10"),
    )
)
ANSWER = tuple(
    _shares(
        "answers",
        [
            ("in_context", "answer in context"),
            ("em", "EM"),
            ("f1", "F1"),
            ("rouge1", "ROUGE-1"),
            ("rouge2", "ROUGE-2"),
            ("rougeL", "ROUGE-L"),
            ("bleu", "BLEU"),
            ("bertscore", "BERTScore"),
        ],
        brief=("in_context", "f1"),
    )
)
QUALITY = RETRIEVAL + ANSWER
"""What is compared with the baseline; each key is a metric of `Outcome.metrics`."""

COLUMNS = (
    *QUALITY,
    *(
        Column(
            f"{stage} p{q}", f"{stage} p{q}", "ms", "latency", False,
            brief=stage == "total" and q < 99,
        )
        for stage in STAGES for q in QUANTILES
    ),
    Column("prompt_tokens", "prompt tokens", "tokens", "cost", False, brief=True),
    Column("build_seconds", "build", "s", "cost", False, brief=True),
    Column("own_seconds", "own build", "s", "cost", False),
    Column("llm_tokens", "build LLM tokens", "tokens", "cost", False),
    Column("index_bytes", "index", "bytes", "cost", False, brief=True),
    Column("own_bytes", "own index", "bytes", "cost", False),
)  # fmt: skip
