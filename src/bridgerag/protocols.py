"""What the replaceable parts promise. Anything with these methods can take a part's place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from bridgerag.types import Answer, Context, Document, Keys, Mention, Skipped, Vectors

__all__ = [
    "AnswerWriter",
    "Embedder",
    "Part",
    "Parts",
    "Progress",
    "Reader",
    "Recognizer",
    "TokenCounter",
]

Part = tuple[list[int], Callable[[], Vectors]]
"""The numbers of some texts, and what embeds them."""


class Parts(Protocol):
    """Parts the work of embedding, so that several threads may do it."""

    def __call__(self, texts: Sequence[str], most: int) -> list[Part]:
        """Return parts of up to ``most`` texts each, the largest work first, each for one thread.

        Every text is in one part. Its vector is the one that `Embedder.embed` returns.
        """
        ...


class TokenCounter(Protocol):
    """Counts tokens as the embedding model's own tokenizer would, special tokens left out."""

    def __call__(self, text: str) -> int:
        """Return the number of tokens in ``text``."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors.

    One that computes on this machine may have another method, ``parts`` (`Parts`); then many
    questions are embedded by the threads that search for them.

    Attributes:
        name: what a store records and a message prints, for example ``"minilm-l6-v2-int8"``.
        fingerprint: changes whenever the vectors would: a hash of the weights, or name and version.
    """

    name: str
    fingerprint: str

    @property
    def dim(self) -> int:
        """Width of a vector; 0 for the embedder that embeds nothing. A server may be asked."""
        ...

    def embed(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        """Return float32 rows of shape ``(len(texts), dim)``, unit length, in the order given.

        A row depends on its text alone, never on its neighbours. ``on_done`` is called with the
        number of texts finished since its last call, from any thread.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens in ``text``, special tokens not counted."""
        ...


class Reader(Protocol):
    """Reads one format. `read` yields documents, and `Skipped` for a row that is no document.

    A file that is unreadable as a whole raises `UnreadableFile`.
    """

    suffixes: tuple[str, ...]

    def read(self, path: Path, stream: BinaryIO) -> Iterator[Document | Skipped]:
        """Yield what ``stream``, the decompressed bytes of ``path``, holds."""
        ...


class AnswerWriter(Protocol):
    """Writes a cited answer from a context."""

    def write(self, context: Context, on_text: Callable[[str], None] | None = None) -> Answer:
        """Return the answer; ``on_text`` receives its text piece by piece as it is written."""
        ...


class Recognizer(Protocol):
    """Finds the entities that a question names, in place of probing its n-grams."""

    def recognize(
        self, question: str, contains: Callable[[Keys], NDArray[np.bool_]]
    ) -> list[Mention]:
        """Return the stored entities in ``question``, left to right, without overlaps.

        ``contains`` tells for an array of keys, shape ``(m,)``, which the store knows.
        """
        ...


class Progress(Protocol):
    """Receives how far a long operation has come; called from one thread."""

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Say that ``done`` of ``total`` units of ``stage`` ("files", "chunks") are finished."""
        ...
