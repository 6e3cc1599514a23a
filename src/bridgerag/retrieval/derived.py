"""Keep what a method makes of a snapshot until the snapshot shows something else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from time import perf_counter
from typing import Generic, TypeVar

from bridgerag.retrieval.corpus import Corpus
from bridgerag.store import Snapshot

__all__ = ["Derived"]

_Index = TypeVar("_Index")


class Derived(Generic[_Index]):
    """An index in memory, made from a snapshot's chunks when first needed.

    Only the latest is kept. Safe to use from many threads: one builds, the others wait.
    """

    def __init__(self, build: Callable[[Corpus], _Index]) -> None:
        self._build = build
        self._guard = threading.Lock()
        self._kept: tuple[Hashable, _Index] | None = None
        self.seconds = 0.0
        """How long the index that is kept took to build."""

    def of(self, snapshot: Snapshot) -> _Index:
        """Return the index of what ``snapshot`` shows."""
        with self._guard:
            if self._kept is None or self._kept[0] != snapshot.state:
                self._kept = None  # both at once might not fit
                start = perf_counter()
                index = self._build(Corpus(snapshot))
                self.seconds = perf_counter() - start
                self._kept = snapshot.state, index
            return self._kept[1]
