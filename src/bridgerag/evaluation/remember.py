"""An embedder that remembers: several stores of the same documents, and questions asked again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np

from bridgerag.protocols import Embedder
from bridgerag.types import Vector, Vectors

__all__ = ["RememberingEmbedder"]


class RememberingEmbedder:
    """Embeds each text once. A row depends on its text alone, so nobody sees the difference.

    Attributes:
        embedder: the one that does the work.
        embedded: how many texts it was given so far.
        count_tokens: the embedder's own.

    Memory: ``4 * dim`` bytes a text, and the text; when ``most`` are held, all are forgotten.
    """

    def __init__(self, embedder: Embedder, most: int = 200_000) -> None:
        self.embedder = embedder
        self.name, self.fingerprint = embedder.name, embedder.fingerprint
        self.count_tokens = embedder.count_tokens  # as it is: it may count many spans at once
        self.embedded = 0
        self._rows: dict[str, Vector] = {}
        self._most = most
        self._guard = Lock()

    @property
    def dim(self) -> int:
        """Width of a vector."""
        return self.embedder.dim

    def embed(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        """Return the rows of ``texts``, as the embedder would."""
        with self._guard:
            known = {text: self._rows[text] for text in texts if text in self._rows}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if on_done is not None and len(new) < len(texts):
            on_done(len(texts) - len(new))
        if new:
            self.embedded += len(new)
            known.update(zip(new, self.embedder.embed(new, on_done), strict=True))
            with self._guard:
                if len(self._rows) + len(new) > self._most:
                    self._rows.clear()
                self._rows.update((text, known[text]) for text in new)
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        return np.stack([known[text] for text in texts])
