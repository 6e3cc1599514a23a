"""Answers from your own documents, by way of abstracts.

    import bridgerag
    with bridgerag.open("bridge.store") as bridge:
        bridge.add("notes/")
        answer = bridge.ask("What did we decide on caching?")

Heavy parts are loaded when they are first used: importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridgerag.engine import Bridge
    from bridgerag.engine import open_bridge as open
    from bridgerag.errors import BridgeError
    from bridgerag.settings import Settings
    from bridgerag.types import (
        AddReport,
        Answer,
        Citation,
        Context,
        Document,
        EntityMatch,
        Hit,
        Reason,
        Status,
    )

__all__ = [
    "AddReport",
    "Answer",
    "Bridge",
    "BridgeError",
    "Citation",
    "Context",
    "Document",
    "EntityMatch",
    "Hit",
    "Reason",
    "Settings",
    "Status",
    "__version__",
    "open",
]

__version__ = "0.1.0"

_HOMES = {
    "Bridge": ("bridgerag.engine", "Bridge"),
    "open": ("bridgerag.engine", "open_bridge"),
    "BridgeError": ("bridgerag.errors", "BridgeError"),
    "Settings": ("bridgerag.settings", "Settings"),
}


def __getattr__(name: str) -> object:
    """Load a public name from its module on first use."""
    if name not in __all__:
        raise AttributeError(f"module 'bridgerag' has no attribute {name!r}")
    module, attribute = _HOMES.get(name, ("bridgerag.types", name))
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
