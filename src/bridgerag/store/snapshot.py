"""One consistent view of a store: its live segments, and the catalog as it was when it began."""

from __future__ import annotations

import hashlib
import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import ReachSegment
from bridgerag.errors import DocumentNotFound
from bridgerag.store.records import Records
from bridgerag.store.segment import Segment
from bridgerag.store.where import Where
from bridgerag.types import DocumentRef, Ids

__all__ = ["LiveSegment", "Snapshot", "View", "load_view", "narrowed"]

Mask = NDArray[np.bool_]
_Kept = TypeVar("_Kept")


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """A segment in a snapshot: which of its documents count, and where their texts are.

    Attributes:
        alive: shape ``(documents,)``, or None when all are.
        first_abstract_id: an abstract's id in results is this plus its number in the segment.
        records: the catalog that the segment belongs to.
        view: what the segment is part of.
    """

    segment: Segment
    alive: Mask | None
    first_abstract_id: int
    records: Records
    view: View

    def document(self, place: int) -> tuple[int, DocumentRef]:
        """Return the number of the document at a place, and what a hit says of it."""
        return self.records.document(self.segment.number, place)

    def document_of_chunk(self, chunk: int) -> int:
        """Return the place of the document that holds a chunk."""
        return bisect_right(memoryview(self.segment.first_chunk), chunk) - 1

    def live_chunks(self) -> Ids | None:
        """Return the chunks of live documents, or None when all are."""
        alive = self.chunk_mask()
        return None if alive is None else np.flatnonzero(alive).astype(np.uint32)

    def chunk_mask(self) -> Mask | None:
        """Return which chunks belong to live documents, or None when all do."""
        return self.view.chunk_masks.get(self.segment.number)


@dataclass(frozen=True)
class View:
    """What a store keeps in memory between searches, true for one generation of its catalog.

    Attributes:
        model: the fingerprint of the embedding model that made its vectors.
    """

    generation: int
    model: str
    segments: tuple[tuple[Segment, Mask | None], ...]
    documents: int
    chunks: int

    @cached_property
    def reachable(self) -> list[ReachSegment]:
        """What a search by entities needs of each segment."""
        return [segment.reachable(alive) for segment, alive in self.segments]

    @cached_property
    def chunk_masks(self) -> dict[int, Mask]:
        """Which chunks belong to live documents, by segment, for those that have others too."""
        return {
            segment.number: np.repeat(alive, np.diff(segment.first_chunk))
            for segment, alive in self.segments
            if alive is not None
        }

    @cached_property
    def kept(self) -> dict[Hashable, Any]:
        """What searches made of it, see `Snapshot.kept`."""
        return {}


class Snapshot:
    """One or more stores as they were at one moment, each with an open read transaction.

    Made by `Store.reading`. The first store wins where two hold a document of the same id.
    """

    def __init__(self, views: Sequence[tuple[View, Records]]) -> None:
        self.documents = self.chunks = abstracts = 0
        self.catalogs: list[Records] = []
        self.models: set[str] = set()
        self.segments: list[LiveSegment] = []
        self._views: list[View] = []
        for view, records in views:
            self.documents += view.documents
            self.chunks += view.chunks
            self.catalogs.append(records)
            self.models.add(view.model)
            self._views.append(view)
            for segment, alive in view.segments:
                self.segments.append(LiveSegment(segment, alive, abstracts, records, view))
                abstracts += len(segment.forest)

    @property
    def reachable(self) -> list[ReachSegment]:
        """What a search by entities needs of each segment."""
        if len(self._views) == 1:
            return self._views[0].reachable
        return [segment for view in self._views for segment in view.reachable]

    def kept(self, name: Hashable, make: Callable[[], _Kept]) -> _Kept:
        """Return what ``make`` makes of the segments, kept by ``name`` until the store changes.

        Of several stores, or under a filter, it is made for each search. It must not hold on to
        the snapshot.
        """
        if len(self._views) > 1:
            return make()
        kept = self._views[0].kept
        if name not in kept:
            kept[name] = make()
        found: _Kept = kept[name]
        return found

    @cached_property
    def first_chunks(self) -> list[int]:
        """The number of the first chunk of each segment, from 0; at last how many there are."""
        return list(accumulate((live.segment.chunks for live in self.segments), initial=0))

    def placed(self, number: int) -> tuple[LiveSegment, int]:
        """Return the segment of a chunk by its number among all, and its number there."""
        i = bisect_right(self.first_chunks, number) - 1
        return self.segments[i], number - self.first_chunks[i]

    @property
    def generations(self) -> tuple[int, ...]:
        """How many commits each store had seen: equal for snapshots of the same moment."""
        return tuple(view.generation for view in self._views)

    @property
    def state(self) -> Hashable:
        """Equal for snapshots that show the same chunks of the same stores, by the same numbers."""
        return tuple(
            (
                str(live.segment.folder),
                b"" if live.alive is None else hashlib.sha256(live.alive.tobytes()).digest(),
            )
            for live in self.segments
        )

    def find(self, document_id: str) -> tuple[LiveSegment, int] | None:
        """Return the segment of the live document with that id, and its place there."""
        for records in self.catalogs:
            found = records.find(document_id)
            if found is not None:
                number, place = found
                for live in self.segments:
                    if live.records is records and live.segment.number == number:
                        return live, place
        return None

    def named(self, *names: str) -> list[DocumentRef]:
        """Return the documents that any of ``names`` means: one by its id, or all of a source.

        Raises:
            DocumentNotFound: none of the names means anything here.
        """
        for name in names:
            found = self.find(name)
            if found is not None:
                return [found[0].document(found[1])[1]]
            of_source = [ref for records in self.catalogs for ref in records.of_source(name)]
            if of_source:
                return of_source
        raise DocumentNotFound(names[0], self.documents)

    def like(self, *patterns: str) -> list[DocumentRef]:
        """Return the documents whose id or source any of ``patterns`` (SQLite's GLOB) matches."""
        return [ref for records in self.catalogs for ref in records.like(patterns)]

    def all_documents(self) -> list[DocumentRef]:
        """Return the live documents by ascending id."""
        everything = [ref for records in self.catalogs for ref in records.all_documents()]
        if len(everything) != self.documents:
            raise sqlite3.DatabaseError(
                f"it lists {len(everything)} documents, expected {self.documents}"
            )
        return sorted(everything, key=lambda ref: ref.id)


def narrowed(view: View, records: Records, where: Where) -> View:
    """Return the view with only those documents that a filter lets through."""
    allowed: dict[int, list[int]] = {}
    documents = chunks = 0
    for number, place, size in records.matching(where):
        allowed.setdefault(number, []).append(place)
        documents, chunks = documents + 1, chunks + size
    segments: list[tuple[Segment, Mask | None]] = []
    for segment, _ in view.segments:
        alive = np.zeros(segment.documents, bool)
        alive[allowed.get(segment.number, [])] = True
        segments.append((segment, alive))
    return View(view.generation, view.model, tuple(segments), documents, chunks)


def load_view(
    connection: sqlite3.Connection, generation: int, model: str, opened: Mapping[int, Segment]
) -> View:
    """Return the view that the catalog describes, over already opened segments."""
    removed: dict[int, list[int]] = {}
    dead_chunks = 0
    query = "SELECT segment, place, chunks FROM documents WHERE removed"
    for number, place, chunks in connection.execute(query):
        removed.setdefault(number, []).append(place)
        dead_chunks += chunks
    segments: list[tuple[Segment, Mask | None]] = []
    query = "SELECT number, documents, chunks, abstracts, live_documents FROM segments"
    named = {number: counts for number, *counts in connection.execute(query)}
    for number, segment in opened.items():
        alive = None
        dead = len(removed.get(number, ()))
        if named[number] != [
            segment.documents, segment.chunks, len(segment.forest), segment.documents - dead
        ]:  # fmt: skip
            raise sqlite3.DatabaseError(f"it and the files of segment {number} do not agree")
        if number in removed:
            alive = np.ones(segment.documents, bool)
            alive[removed[number]] = False
        segments.append((segment, alive))
    return View(
        generation,
        model,
        tuple(segments),
        documents=sum(s.documents for s in opened.values()) - sum(map(len, removed.values())),
        chunks=sum(s.chunks for s in opened.values()) - dead_chunks,
    )
