"""Choose how far to go up and down for a question: ``depth="auto"``.

Source: the second future direction of Bridge-RAG. For `bridge` it is the smallest depth, 2 at most,
at which the abstracts of the question's entities own 10 chunks for each that is wanted. Many or
frequent entities open enough by themselves; few and rare ones need what stands around them. For the
methods that step from entity to entity it is 1. `walk` goes by no depth.

For `bridge` this narrows the pool and changes little else. Over all 28,612 chunks of AA-LCR,
without a model, the five best passages hold 22.7, 22.5, 22.9, 22.7, 22.7 % of the documents sought
at depth 0 to 4, and 24.3 % at each question's best depth, chosen with hindsight. With 1, 5, 10, 20,
50, 100 chunks for each that is wanted, the rule gives 22.9, 22.9, 23.0, 23.4, 22.6, 22.9 %: ties,
in pools of 4.7, 4.7, 5.1, 7.0, 11.8, 20.9 % of the chunks, against 22.0 % at the usual depth 2. So
10 widens the few questions that open little, and leaves the pool at a quarter. A search takes
4.5 ms in place of 4.7; over passages, where depth does nothing, 0.2 ms more.

For the others it is worth more. Recall@5 on 2WikiMultihopQA at depth 0, 1, 2 is 73.7, 96.6, 96.1
with `graph`, 65.4, 74.0, 71.7 with `cft` (without a model); on MuSiQue 54.6, 61.1, 60.6 and 47.7,
48.2, 48.0. The first step is what a second hop needs; another one costs time.

Tried and left out: one level more for questions that compare, list or sum up (half of AA-LCR's;
22.2 % in place of 23.0 there, and the comparisons of 2WikiMultihopQA are complete at depth 0); and
the spread of scores (from depth 0 to 1, questions with much and with little of it differ by -0.3 to
7.2 points with `cft` on MuSiQue, by -2.0 to 10.0 with `graph`).
"""

from __future__ import annotations

from bridgerag.retrieval.bridge import reach
from bridgerag.retrieval.method import Question, Timings
from bridgerag.store import Snapshot
from bridgerag.types import Depth

__all__ = ["resolve_depth"]

_USUAL = 2
_ENOUGH = 10  # chunks to choose from for each that is wanted
_STEPPING = frozenset({"cft", "graph", "tree", "tree-ann"})  # from entity to entity


def resolve_depth(
    asked: Depth, method: str, snapshot: Snapshot, question: Question, k: int, timings: Timings
) -> tuple[int, str]:
    """Return the depth to search with, and why in words where it was chosen here.

    Args:
        asked: a depth, which is taken as it is, or ``"auto"``.
        method: by name; one that is not known to use a depth gets the usual one.
        k: how many chunks are wanted.

    Cost: for `bridge`, what it costs before ranking, once for each depth that is looked at.
    """
    if asked != "auto":
        return asked, ""
    if method in _STEPPING:
        return 1, f"{method} needs one step from the question's entities"
    if method == "walk":
        return _USUAL, "walk goes by no depth"
    if method != "bridge":
        return _USUAL, f"the usual one, as {method} has no rule of its own"
    enough = _ENOUGH * k
    depth, chunks = _first_with_enough(snapshot, question, enough, timings)
    if not chunks:
        return _USUAL, "no entity of the question leads anywhere"
    verdict = f"and {enough:,} are enough" if chunks >= enough else f"fewer than {enough:,}"
    return depth, f"the question's entities open {chunks:,} chunks there, {verdict}"


def _first_with_enough(
    snapshot: Snapshot, question: Question, enough: int, timings: Timings
) -> tuple[int, int]:
    """Return the first depth whose pools hold ``enough`` chunks, and how many.

    Otherwise it is that with the most, the largest of several. They need not grow with depth: an
    entity that opens too many at one is not followed there.
    """
    most = 0, 0  # chunks, depth
    for depth in range(_USUAL + 1):
        reached = reach(snapshot, question, depth, timings)[1]
        most = max(most, (reached.chunks, reached.depth))
        if reached.chunks >= enough:
            break
    chunks, depth = most
    return depth, chunks
