"""The embedder that embeds nothing: search rests on entities and words alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bridgerag.embedding.tokens import TokenCounts
from bridgerag.types import Vectors

__all__ = ["NoEmbedder"]


class NoEmbedder:
    """An `Embedder` whose vectors have no numbers; tokens are counted as BERT would."""

    name = "none"
    fingerprint = "none"
    dim = 0

    def __init__(self) -> None:
        self.count_tokens = TokenCounts()

    def embed(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        """Return an array of shape ``(len(texts), 0)``."""
        if on_done is not None and texts:
            on_done(len(texts))
        return np.empty((len(texts), 0), np.float32)
