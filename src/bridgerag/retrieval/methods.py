"""The methods by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from bridgerag.errors import InputError
from bridgerag.retrieval.bm25 import bm25
from bridgerag.retrieval.bridge import bridge
from bridgerag.retrieval.hybrid import hybrid
from bridgerag.retrieval.method import Method
from bridgerag.retrieval.naive import naive
from bridgerag.retrieval.none import none
from bridgerag.retrieval.walk import Walk

__all__ = ["METHODS", "method"]


def _later(module: str, name: str, *arguments: str) -> Callable[[], Method]:
    """Return what makes a method by a name of ``module``, imported then: few searches need it."""

    def make() -> Method:
        maker = getattr(import_module(f"bridgerag.retrieval.{module}"), name)
        return cast("Method", maker(*arguments))

    return make


# Each makes a method; one that has an index of its own keeps it as long as it lives.
METHODS: dict[str, Callable[[], Method]] = {
    "bridge": lambda: bridge,
    "walk": Walk,
    "naive": lambda: naive,
    "bm25": lambda: bm25,
    "hybrid": lambda: hybrid,
    "tree": _later("tree", "tree"),
    "tree-ann": _later("tree_ann", "tree_ann"),
    "cft": _later("cft", "cft"),
    "graph": _later("graph", "Graph"),
    "raptor": _later("raptor", "Raptor"),
    "raptor-tree": _later("raptor", "Raptor", "traversal"),
    "hippo": _later("hippo", "Hippo"),
    "none": lambda: none,
}


def method(name: str) -> Method:
    """Return a new method of that name. Raises `InputError` when there is none."""
    if name not in METHODS:
        raise InputError("method", name, "one of " + ", ".join(METHODS))
    return METHODS[name]()
