"""The live chunks of a snapshot in one row, for methods that make an index of their own.

Chunks are numbered from 0 in the order that breaks ties everywhere: by document id, then by
position. So equal scores are settled by the lower number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bridgerag.retrieval.method import Origin, Selected
from bridgerag.store import Snapshot, address
from bridgerag.types import DocumentRef, Ids, Vectors

__all__ = ["Corpus", "Places"]


@dataclass(frozen=True, slots=True)
class Places:
    """Where the chunks of a corpus stand in the segments of its snapshot.

    Attributes:
        segment: shape ``(n,)``, the segment's position in the snapshot.
        chunk: shape ``(n,)``, the chunk's number in its segment.
    """

    segment: NDArray[np.int32]
    chunk: Ids

    def __len__(self) -> int:
        return len(self.chunk)

    def select(
        self,
        snapshot: Snapshot,
        numbers: Sequence[int],
        scores: Sequence[float],
        origins: Sequence[tuple[Origin, ...]],
    ) -> list[Selected]:
        """Return chosen chunks, in the order given, for a snapshot of the same state."""
        return [
            Selected(
                snapshot.segments[int(self.segment[number])],
                int(self.chunk[number]), float(score), (), why,
            )
            for number, score, why in zip(numbers, scores, origins, strict=True)
        ]  # fmt: skip

    def pools(self, snapshot: Snapshot, numbers: Ids) -> list[Ids]:
        """Return chunk numbers of the corpus as one pool a segment, each ascending."""
        segments, chunks = self.segment[numbers], self.chunk[numbers]
        return [np.sort(chunks[segments == i]) for i in range(len(snapshot.segments))]

    def row(self, values: Sequence[NDArray[np.generic]]) -> NDArray[np.generic]:
        """Return values that are given by segment and chunk, in the order of the corpus."""
        first = np.cumsum([0, *(len(part) for part in values)])[:-1]
        return np.concatenate(values)[first[self.segment] + self.chunk]


@dataclass(frozen=True, slots=True)
class _Placed:
    segment: int
    number: int  # of the document in the catalog
    chunks: range  # in the segment
    ref: DocumentRef


class Corpus:
    """Texts and vectors of all live chunks, read when first asked for.

    Good only as long as its snapshot is; what is kept longer keeps `places`.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._documents = sorted(_documents(snapshot), key=lambda placed: placed.ref.id)
        sizes = [len(placed.chunks) for placed in self._documents]
        segments = np.array([placed.segment for placed in self._documents], np.int32)
        chunks = [
            np.arange(p.chunks.start, p.chunks.stop, dtype=np.uint32) for p in self._documents
        ]
        self.document: NDArray[np.int32] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        """Shape ``(n,)``: the number of each chunk's document in `documents`."""
        self.places = Places(
            np.repeat(segments, sizes), np.concatenate([np.empty(0, np.uint32), *chunks])
        )

    def __len__(self) -> int:
        return len(self.places)

    @property
    def documents(self) -> list[DocumentRef]:
        """The documents by ascending id."""
        return [placed.ref for placed in self._documents]

    @property
    def dim(self) -> int:
        """Width of the vectors; 0 for stores without embeddings."""
        return max((live.segment.vectors.shape[1] for live in self._snapshot.segments), default=0)

    @cached_property
    def vectors(self) -> Vectors:
        """Shape ``(n, dim)``: the chunks' unit vectors."""
        rows = np.empty((len(self), self.dim), np.float32)
        for i, live in enumerate(self._snapshot.segments):
            live.segment.check_vectors()
            here = self.places.segment == i
            rows[here] = live.segment.vectors[self.places.chunk[here]]
        return rows

    @cached_property
    def texts(self) -> list[str]:
        """The chunks' texts, without titles and headings."""
        texts: list[str] = []
        for placed in self._documents:
            records = self._snapshot.segments[placed.segment].records
            addresses = [address(placed.number, n) for n in range(len(placed.chunks))]
            rows = records.chunk_rows(addresses)
            texts += [rows[where].text for where in addresses]
        return texts


def _documents(snapshot: Snapshot) -> list[_Placed]:
    placed = []
    for i, live in enumerate(snapshot.segments):
        borders = live.segment.first_chunk
        for place in range(live.segment.documents):
            if live.alive is None or live.alive[place]:
                number, ref = live.document(place)
                chunks = range(int(borders[place]), int(borders[place + 1]))
                placed.append(_Placed(i, number, chunks, ref))
    return placed
