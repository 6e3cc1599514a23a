"""Say so when a method that needs vectors meets a store without embeddings."""

from __future__ import annotations

from bridgerag.errors import InputError
from bridgerag.retrieval.method import Question
from bridgerag.store import Snapshot
from bridgerag.types import Vector

__all__ = ["expect_embeddings", "no_embeddings", "vector_of"]


def expect_embeddings(snapshot: Snapshot, method: str) -> None:
    """Raise `InputError` when the chunks of a snapshot have no vectors."""
    if any(live.segment.vectors.shape[1] == 0 for live in snapshot.segments):
        raise no_embeddings(method)


def vector_of(question: Question, method: str) -> Vector:
    """Return the question's vector. Raises `InputError` for a store without embeddings."""
    if question.vector is None:
        raise no_embeddings(method)
    return question.vector


def no_embeddings(method: str) -> InputError:
    """Return the error that names the remedy."""
    expected = (
        "one that needs no embeddings, such as 'bm25', or `bridgerag reembed` has to add some"
    )
    return InputError("the method", method, expected)
