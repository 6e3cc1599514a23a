"""No retrieval: what a language model answers out of itself, the floor that methods are held to."""

from __future__ import annotations

from bridgerag.retrieval.method import Found, Question, Timings
from bridgerag.store import Snapshot

__all__ = ["none"]


def none(snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings) -> Found:
    """Return nothing, whatever is asked."""
    return Found([], [], fallback=False)
