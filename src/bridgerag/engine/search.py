"""One search: a question, a snapshot, a method, and the context that comes of them."""

from __future__ import annotations

from typing import NamedTuple

from bridgerag.engine.stores import Stores
from bridgerag.errors import InputError
from bridgerag.retrieval import Method, Question, Timings, assemble, resolve_depth
from bridgerag.store import Snapshot, Where
from bridgerag.types import Context, Depth

__all__ = ["Wanted", "expect_bounds", "expect_question", "search"]

_MOST_HITS = 10_000


class Wanted(NamedTuple):
    """What is asked of a search beside its question.

    Attributes:
        name: the method's.
    """

    k: int
    depth: Depth
    name: str
    method: Method
    where: Where | None

    def context(self, snapshot: Snapshot, asked: Question, timings: Timings) -> Context:
        """Return what the method finds in a snapshot."""
        depth, why = resolve_depth(self.depth, self.name, snapshot, asked, self.k, timings)
        found = self.method(snapshot, asked, self.k, depth, timings)
        if found.depth is not None:
            why = f"at depth {depth} every entity of the question would open too many chunks"
            depth = found.depth
        return assemble(snapshot, asked, self.name, depth, found, timings, why)


def search(stores: Stores, question: str, wanted: Wanted) -> Context:
    """Return the best chunks for a question in the stores as they are now."""
    timings = Timings()
    with (
        timings.stage("total"),
        stores.asking(question, wanted.where, timings) as (snapshot, asked),
    ):
        return wanted.context(snapshot, asked, timings)


def expect_question(text: str) -> None:
    """Raise `InputError` where a question asks nothing."""
    if not text.strip():
        raise InputError("the question", "", "something to search for")


def expect_bounds(k: int, depth: Depth) -> None:
    """Raise `InputError` where one of them is out of range."""
    if not 1 <= k <= _MOST_HITS:
        raise InputError("k", k, f"between 1 and {_MOST_HITS:,}")
    if depth != "auto" and (isinstance(depth, str) or depth < 0):
        raise InputError("depth", depth, "0 or more, or auto")
