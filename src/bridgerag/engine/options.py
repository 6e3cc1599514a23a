"""The options of a search and of an answer, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from bridgerag.types import Depth

__all__ = ["AskOptions", "SearchOptions"]


class SearchOptions(TypedDict, total=False):
    """The options of `Bridge.search`."""

    k: int
    depth: Depth
    method: str
    where: str | None


class AskOptions(SearchOptions, total=False):
    """The options of `Bridge.ask`."""

    model: str | None
    on_text: Callable[[str], None] | None
    rounds: int
