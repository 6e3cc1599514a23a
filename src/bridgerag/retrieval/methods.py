"""The methods by name."""

from __future__ import annotations

from collections.abc import Callable

from bridgerag.errors import InputError
from bridgerag.retrieval.bm25 import bm25
from bridgerag.retrieval.bridge import bridge
from bridgerag.retrieval.cft import cft
from bridgerag.retrieval.graph import Graph
from bridgerag.retrieval.hippo import Hippo
from bridgerag.retrieval.hybrid import hybrid
from bridgerag.retrieval.method import Method
from bridgerag.retrieval.naive import naive
from bridgerag.retrieval.none import none
from bridgerag.retrieval.raptor import Raptor
from bridgerag.retrieval.tree import tree
from bridgerag.retrieval.tree_ann import tree_ann
from bridgerag.retrieval.walk import Walk

__all__ = ["METHODS", "method"]

# Each makes a method; one that has an index of its own keeps it as long as it lives.
METHODS: dict[str, Callable[[], Method]] = {
    "bridge": lambda: bridge,
    "walk": Walk,
    "naive": lambda: naive,
    "bm25": lambda: bm25,
    "hybrid": lambda: hybrid,
    "tree": tree,
    "tree-ann": tree_ann,
    "cft": cft,
    "graph": Graph,
    "raptor": Raptor,
    "raptor-tree": lambda: Raptor("traversal"),
    "hippo": Hippo,
    "none": lambda: none,
}


def method(name: str) -> Method:
    """Return a new method of that name. Raises `InputError` when there is none."""
    if name not in METHODS:
        raise InputError("method", name, "one of " + ", ".join(METHODS))
    return METHODS[name]()
