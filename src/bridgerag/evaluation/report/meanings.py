"""What the columns of a report mean, for a reader who does not know the field's names."""

from __future__ import annotations

from collections.abc import Iterable

from bridgerag.evaluation.columns import Column

__all__ = ["PARTS", "meanings"]

PARTS = {
    "retrieval": "Retrieval",
    "answers": "Answers",
    "latency": "Latency",
    "cost": "Cost",
}

_MEANINGS = {
    "recall": "share of a question's gold documents among the first {k} documents found",
    "precision": "share of the first {k} places that hold a gold document",
    "ndcg": "gain of the first {k} places, earlier places counting more, against the best order",
    "mrr": "1 over the place of the first gold document",
    "in_context": "whether an accepted answer stands in what the prompt would hold, at the budget",
    "em": "whether the answer written is an accepted one, case, articles and punctuation aside",
    "f1": "overlap of the words of the answer written with the nearest accepted one",
    "rouge1": "overlap with the accepted answer in single words",
    "rouge2": "overlap with the accepted answer in pairs of words",
    "rougeL": "longest common subsequence of words with the accepted answer",
    "bleu": "overlap with the accepted answer in runs of one to four words",
    "bertscore": "similarity of the words' vectors to those of the accepted answer",
    "total": "a whole search without embedding anything",
    "embed": "embedding the question, common to all methods",
    "recognize": "finding the entities of the question",
    "lookup": "looking them up in the entity index",
    "expand": "walking the tree, forest or graph",
    "rank": "scoring and choosing chunks",
    "prompt_tokens": "mean number of tokens that the prompt would hold",
    "build_seconds": "the store, and the method's own index beside it, once",
    "own_seconds": "the method's own index alone",
    "llm_tokens": "prompts and completions of a language model while building",
    "index_bytes": "the store and the method's own index",
    "own_bytes": "the method's own index alone",
}
_QUANTILES = {"p50": "median", "p95": "95th percentile", "p99": "99th percentile"}


def meanings(columns: Iterable[Column]) -> dict[str, str]:
    """Return a sentence for each measure, by title; columns that differ in a number share one."""
    found: dict[str, str] = {}
    for column in columns:
        if column.part == "latency":
            stage, _, quantile = column.key.partition(" ")
            found.setdefault(stage, _MEANINGS.get(stage, "a stage of the search") + ", ms")
            found.setdefault(quantile, _QUANTILES.get(quantile, "a percentile") + " over searches")
        else:
            name, _, k = column.key.partition("@")
            if name in _MEANINGS:
                found[column.title] = _MEANINGS[name].format(k=k)
    return found
