"""An answer: search, write, and where a model asks for more, search again."""

from __future__ import annotations

from collections.abc import Callable

from bridgerag.engine.stores import Stores
from bridgerag.errors import InputError
from bridgerag.generation import MOST_ROUNDS, write_in_rounds, writer_from_environment
from bridgerag.types import Answer, Context

__all__ = ["answer"]


def answer(
    stores: Stores,
    search: Callable[[str], Context],
    question: str,
    model: str | None,
    rounds: int,
    on_text: Callable[[str], None] | None,
) -> Answer:
    """Return an answer from what ``search`` finds; the rest as for `Bridge.ask`."""
    if not 1 <= rounds <= MOST_ROUNDS:
        raise InputError("rounds", rounds, f"between 1 and {MOST_ROUNDS}")
    context = search(question)
    writer = writer_from_environment(model, stores.model(stores.open()))
    return write_in_rounds(writer, context, search, rounds, on_text)
