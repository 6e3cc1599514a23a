"""The methods by name."""

from __future__ import annotations

from bridgerag.errors import InputError
from bridgerag.retrieval.bridge import bridge
from bridgerag.retrieval.method import Method
from bridgerag.retrieval.naive import naive

__all__ = ["METHODS", "method"]

METHODS: dict[str, Method] = {"bridge": bridge, "naive": naive}


def method(name: str) -> Method:
    """Return the method called ``name``. Raises `InputError` when there is none."""
    if name not in METHODS:
        raise InputError("method", name, "one of " + ", ".join(METHODS))
    return METHODS[name]
