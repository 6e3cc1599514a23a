"""Judge a ranked list of documents against the gold documents of its question.

The textbook definitions with binary relevance (Manning, Raghavan and Schütze, *Introduction to
Information Retrieval*, chapter 8; nDCG: Järvelin and Kekäläinen 2002). In every function ``ranked``
is best first and without repeats: pass a list of hits through `unique` first. All values lie in
[0, 1]. A question without gold has no value: NaN.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import log2, nan

from bridgerag.errors import InputError

__all__ = ["ndcg_at", "precision_at", "recall_at", "reciprocal_rank", "unique"]


def unique(ids: Iterable[str]) -> list[str]:
    """Return the ids without repeats, each where it came first: documents from ranked chunks."""
    return list(dict.fromkeys(ids))


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the share of the gold documents that are among the first ``k``.

    It cannot reach 1 where there are more than ``k`` gold documents.
    """
    wanted = _wanted(gold, k)
    return len(wanted.intersection(ranked[:k])) / len(wanted) if wanted else nan


def precision_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the share of the first ``k`` places that hold a gold document.

    An empty place counts as a wrong one: the divisor is ``k`` however short the list is.
    """
    wanted = _wanted(gold, k)
    return len(wanted.intersection(ranked[:k])) / k if wanted else nan


def ndcg_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the discounted gain of the first ``k`` over that of the best possible order.

    A gold document at place i, counted from 1, gains 1 / log2(i + 1).
    """
    wanted = _wanted(gold, k)
    if not wanted:
        return nan
    best = sum(1 / log2(place + 1) for place in range(1, min(k, len(wanted)) + 1))
    gain = sum(1 / log2(i + 1) for i, name in enumerate(ranked[:k], start=1) if name in wanted)
    return gain / best


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """Return 1 over the place of the first gold document, 0 where none was found.

    The mean over questions is MRR. The list is taken as it is: a longer one can only be better.
    """
    wanted = _wanted(gold, 1)
    if not wanted:
        return nan
    return next((1 / place for place, name in enumerate(ranked, start=1) if name in wanted), 0.0)


def _wanted(gold: Collection[str], k: int) -> frozenset[str]:
    if k < 1:
        raise InputError("k", k, "1 or more")
    return frozenset(gold)
