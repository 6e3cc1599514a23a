"""The chunks of a document in columns: most that is done with them needs no object a chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import overload

import numpy as np

from bridgerag.types import Chunk, Ids, Section

__all__ = ["Chunks"]


@dataclass(frozen=True, slots=True, eq=False)
class Chunks(Sequence[Chunk]):
    """The chunks of one document, in order; a `Chunk` is made when it is asked for.

    Attributes:
        sentences: shape (s, 2), start and end of the sentences of all chunks.
        first: shape (chunks + 1,); chunk i has the sentences ``[first[i], first[i + 1])``, at least
            one.
        tokens: shape (chunks,), the tokens of each.
        sections: where chunks lie: their headings, page and row.
        homes: shape (chunks,), the section of each.
    """

    sentences: Ids
    first: Ids
    tokens: Ids
    sections: Sequence[Section]
    homes: Ids

    @staticmethod
    def of(chunks: Sequence[Chunk]) -> Chunks:
        """Return the same chunks in columns."""
        if isinstance(chunks, Chunks):
            return chunks
        counts = [len(chunk.sentences) for chunk in chunks]
        borders = chain.from_iterable(chain.from_iterable(chunk.sentences for chunk in chunks))
        return Chunks(
            np.fromiter(borders, np.uint32, 2 * sum(counts)).reshape(-1, 2),
            np.cumsum([0, *counts], dtype=np.uint32),
            np.array([chunk.tokens for chunk in chunks], np.uint32),
            [Section(c.start, c.end, c.headings, c.page, c.row) for c in chunks],
            np.arange(len(chunks), dtype=np.uint32),
        )

    @property
    def starts(self) -> list[int]:
        """The first character of each chunk."""
        starts: list[int] = self.sentences[self.first[:-1], 0].tolist()
        return starts

    @property
    def ends(self) -> list[int]:
        """One past the last character of each chunk."""
        ends: list[int] = self.sentences[self.first[1:] - 1, 1].tolist()
        return ends

    @property
    def headings(self) -> list[tuple[str, ...]]:
        """The headings of each chunk."""
        return [self.sections[home].headings for home in self.homes.tolist()]

    def __len__(self) -> int:
        return len(self.homes)

    @overload
    def __getitem__(self, at: int) -> Chunk: ...
    @overload
    def __getitem__(self, at: slice) -> list[Chunk]: ...
    def __getitem__(self, at: int | slice) -> Chunk | list[Chunk]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        number = range(len(self))[at]  # refuses what is out of range
        here = slice(*self.first[number : number + 2].tolist())
        sentences = tuple((start, end) for start, end in self.sentences[here].tolist())
        home = self.sections[self.homes[number]]
        return Chunk(
            sentences[0][0],
            sentences[-1][1],
            int(self.tokens[number]),
            sentences,
            home.headings,
            home.page,
            home.row,
        )
