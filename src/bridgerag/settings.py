"""How a store is built. Fixed when the store is made, recorded in it, the same for every add."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bridgerag.errors import InputError

__all__ = ["Settings"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a store; the defaults are the paper's where the paper gives one.

    Attributes:
        embedding: name of the embedding model: ``"minilm"`` (bundled), ``"minilm-fast"`` (the
            same on the extra ``fast``), ``"none"`` (no vectors), or
            ``"MODEL@URL"`` for an OpenAI-compatible server.
        chunk_tokens: target length of a chunk, 8 to 10,000 tokens of the model's own tokenizer.
        window: chunks in a leaf abstract, 1 or more (the paper's n).
        branching: abstracts under a parent, 2 or more (the paper's b).
        lift: an entity found in more than this share of an abstract's children is stored at the
            abstract instead; 1.0 turns lifting off and gives the plain paper.
        windows: ``"fixed"`` (``window`` chunks each, the paper's) or ``"content"`` (about as many,
            ending where headings and topics change).
    """

    embedding: str = "minilm"
    chunk_tokens: int = 128
    window: int = 5
    branching: int = 5
    lift: float = 0.5
    windows: Literal["fixed", "content"] = "fixed"

    def __post_init__(self) -> None:
        if not 8 <= self.chunk_tokens <= 10_000:
            raise InputError("chunk_tokens", self.chunk_tokens, "between 8 and 10,000")
        if self.window < 1:
            raise InputError("window", self.window, "1 or more")
        if self.branching < 2:
            raise InputError("branching", self.branching, "2 or more")
        if not 0.0 < self.lift <= 1.0:
            raise InputError("lift", self.lift, "above 0 and at most 1")
        if self.windows not in ("fixed", "content"):
            raise InputError("windows", self.windows, "fixed or content")
