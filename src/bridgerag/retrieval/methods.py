"""The methods by name."""

from __future__ import annotations

from collections.abc import Callable

from bridgerag.errors import InputError
from bridgerag.retrieval.bridge import bridge
from bridgerag.retrieval.method import Method
from bridgerag.retrieval.naive import naive

__all__ = ["METHODS", "method"]

# Each makes a method; one that has an index of its own keeps it as long as it lives.
METHODS: dict[str, Callable[[], Method]] = {
    "bridge": lambda: bridge,
    "naive": lambda: naive,
}


def method(name: str) -> Method:
    """Return a new method of that name. Raises `InputError` when there is none."""
    if name not in METHODS:
        raise InputError("method", name, "one of " + ", ".join(METHODS))
    return METHODS[name]()
