"""The engine: the only place that wires documents, embedding, store, retrieval and answers.

In short:

    with bridgerag.open("bridge.store") as bridge:
        bridge.add("notes/")
        print(bridge.ask("What did we decide on caching?").text)
"""

from bridgerag.engine.bridge import Bridge
from bridgerag.engine.opening import open_bridge

__all__ = ["Bridge", "open_bridge"]
