"""Questions that are searched among their own documents only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bridgerag.errors import InputError
from bridgerag.evaluation.questions import QuestionItem

__all__ = ["by_scope", "scope_filter"]


def by_scope(
    questions: Iterable[QuestionItem],
) -> Iterator[tuple[str | None, list[QuestionItem]]]:
    """Yield ``(filter, questions)`` for each scope, in order of its first question.

    The filter is what `Bridge.search` takes as ``where``. A method with an index of its own then
    builds it once a scope.
    """
    groups: dict[str | None, list[QuestionItem]] = {}
    for item in questions:
        where = None if item.scope is None else scope_filter(item.scope)
        groups.setdefault(where, []).append(item)
    yield from groups.items()


def scope_filter(ids: Iterable[str]) -> str:
    """Return the filter that lets only the documents ``ids`` through.

    Raises:
        InputError: an id holds both kinds of quotation marks, which no filter can spell.
    """
    return f"id in ({', '.join(map(_quoted, sorted(set(ids))))})"


def _quoted(name: str) -> str:
    for mark in "\"'":
        if mark not in name:
            return f"{mark}{name}{mark}"
    raise InputError(
        "a document's id", name, "without either ' or \", so that a filter can name it"
    )
