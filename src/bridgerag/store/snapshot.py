"""One consistent view of a store: its live segments, and the catalog as it was when it began."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgerag.store.catalog import address
from bridgerag.store.segment import Segment
from bridgerag.types import DocumentRef, Ids

__all__ = ["ChunkRow", "LiveSegment", "Snapshot", "View", "load_view"]

_VARIABLES = 900  # SQLite's oldest limit is 999 a statement


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk as the catalog holds it."""

    text: str
    start: int
    tokens: int
    headings: tuple[str, ...]
    page: int | None
    row: int | None


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """A segment and which of its documents are still there.

    Attributes:
        alive: shape ``(documents,)``, or None when all are.
        first_abstract_id: an abstract's store-wide id is this plus its number in the segment.
    """

    segment: Segment
    alive: NDArray[np.bool_] | None
    first_abstract_id: int

    def keep_abstracts(self, abstracts: Ids) -> Ids:
        """Return those of ``abstracts`` that belong to live documents."""
        if self.alive is None or not len(abstracts):
            return abstracts
        return abstracts[self.alive[self.segment.documents_of_abstracts(abstracts)]]

    def live_chunks(self) -> Ids | None:
        """Return the chunks of live documents, or None when all are."""
        if self.alive is None:
            return None
        counts = np.diff(self.segment.first_chunk)
        return np.flatnonzero(np.repeat(self.alive, counts)).astype(np.uint32)


@dataclass(frozen=True, slots=True)
class View:
    """What a store keeps in memory between searches, true for one generation of the catalog."""

    generation: int
    segments: tuple[LiveSegment, ...]
    documents: int
    chunks: int


class Snapshot:
    """A `View` with an open read transaction on the catalog; made by `Store.reading`."""

    def __init__(self, view: View, connection: sqlite3.Connection) -> None:
        self.segments = view.segments
        self.documents = view.documents
        self.chunks = view.chunks
        self._connection = connection

    def document(self, segment: int, place: int) -> tuple[int, DocumentRef]:
        """Return the number of the document at a place of a segment, and what a hit says of it."""
        row = self._connection.execute(
            "SELECT number, id, title, source FROM documents WHERE segment = ? AND place = ?",
            (segment, place),
        ).fetchone()
        return row[0], DocumentRef(*row[1:])

    def find(self, document_id: str) -> tuple[LiveSegment, int] | None:
        """Return the segment of the live document with that id, and its place there."""
        row = self._connection.execute(
            "SELECT segment, place FROM documents WHERE id = ? AND NOT removed", (document_id,)
        ).fetchone()
        if row is None:
            return None
        return next(live for live in self.segments if live.segment.number == row[0]), row[1]

    def of_source(self, source: str) -> list[DocumentRef]:
        """Return the live documents that came from a file, by ascending id."""
        rows = self._connection.execute(
            "SELECT id, title, source FROM documents WHERE source = ? AND NOT removed ORDER BY id",
            (source,),
        )
        return [DocumentRef(*row) for row in rows]

    def all_documents(self) -> list[DocumentRef]:
        """Return the live documents by ascending id."""
        rows = self._connection.execute(
            "SELECT id, title, source FROM documents WHERE NOT removed ORDER BY id"
        )
        return [DocumentRef(*row) for row in rows]

    def chunk_rows(self, addresses: Sequence[int]) -> dict[int, ChunkRow]:
        """Return the rows of some chunks, by address."""
        found = self._select(
            'SELECT address, text, start, tokens, headings, page, "row" FROM chunks', addresses
        )
        return {
            row[0]: ChunkRow(
                row[1], row[2], row[3], tuple(json.loads(row[4])) if row[4] else (), row[5], row[6]
            )
            for row in found
        }

    def summaries(self, addresses: Sequence[int]) -> dict[int, str]:
        """Return the summaries of some abstracts, by address."""
        return dict(self._select("SELECT address, summary FROM abstracts", addresses))

    def text(self, document: int) -> str:
        """Return a document's extracted text, whole."""
        pieces = self._connection.execute(
            "SELECT lead || text FROM chunks WHERE address >= ? AND address < ? ORDER BY address",
            (address(document, 0), address(document + 1, 0)),
        )
        tail = self.query_one("SELECT tail FROM documents WHERE number = ?", document)
        return "".join(piece for (piece,) in pieces) + str(tail)

    def query_one(self, statement: str, *values: int | str) -> Any:  # noqa: ANN401
        """Return the first column of the first row of a query."""
        return self._connection.execute(statement, values).fetchone()[0]

    def _select(self, query: str, addresses: Sequence[int]) -> Iterator[Any]:
        for first in range(0, len(addresses), _VARIABLES):
            wanted = addresses[first : first + _VARIABLES]
            marks = ",".join("?" * len(wanted))
            # Nothing but question marks is put into the statement.
            yield from self._connection.execute(f"{query} WHERE address IN ({marks})", wanted)


def load_view(
    connection: sqlite3.Connection, generation: int, opened: Mapping[int, Segment]
) -> View:
    """Return the view that the catalog describes, over already opened segments."""
    removed: dict[int, list[int]] = {}
    query = "SELECT segment, place FROM documents WHERE removed"
    for segment, place in connection.execute(query):
        removed.setdefault(segment, []).append(place)
    segments, abstracts = [], 0
    for number, opened_segment in opened.items():
        alive = None
        if number in removed:
            alive = np.ones(opened_segment.documents, bool)
            alive[removed[number]] = False
        segments.append(LiveSegment(opened_segment, alive, abstracts))
        abstracts += len(opened_segment.forest)
    documents, chunks = connection.execute(
        "SELECT count(*), coalesce(sum(chunks), 0) FROM documents WHERE NOT removed"
    ).fetchone()
    return View(generation, tuple(segments), documents, chunks)
