"""Read documents, chunks and summaries from a catalog."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bridgerag.store.catalog import address
from bridgerag.store.where import Where
from bridgerag.types import DocumentRef

__all__ = ["ChunkRow", "Records"]

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
class Records:
    """The reading side of one catalog, inside one transaction."""

    connection: sqlite3.Connection

    def document(self, segment: int, place: int) -> tuple[int, DocumentRef]:
        """Return the number of the document at a place of a segment, and what a hit says of it."""
        row = self.connection.execute(
            "SELECT number, id, title, source FROM documents WHERE segment = ? AND place = ?",
            (segment, place),
        ).fetchone()
        return row[0], DocumentRef(*row[1:])

    def find(self, document_id: str) -> tuple[int, int] | None:
        """Return segment and place of the live document with that id."""
        row: tuple[int, int] | None = self.connection.execute(
            "SELECT segment, place FROM documents WHERE id = ? AND NOT removed", (document_id,)
        ).fetchone()
        return row

    def matching(self, where: Where) -> Iterator[tuple[int, int, int]]:
        """Yield segment, place and number of chunks of the live documents a filter lets through."""
        # The statement is made of the filter's fixed parts; its values are bound.
        statement = (
            f"SELECT segment, place, chunks FROM documents WHERE NOT removed AND {where.sql}"  # noqa: S608
        )
        yield from self.connection.execute(statement, where.values)

    def of_source(self, source: str) -> list[DocumentRef]:
        """Return the live documents that came from a file, by ascending id."""
        rows = self.connection.execute(
            "SELECT id, title, source FROM documents WHERE source = ? AND NOT removed ORDER BY id",
            (source,),
        )
        return [DocumentRef(*row) for row in rows]

    def all_documents(self) -> list[DocumentRef]:
        """Return the live documents by ascending id."""
        rows = self.connection.execute(
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
        pieces = self.connection.execute(
            "SELECT lead || text FROM chunks WHERE address >= ? AND address < ? ORDER BY address",
            (address(document, 0), address(document + 1, 0)),
        )
        tail = self.query_one("SELECT tail FROM documents WHERE number = ?", document)
        return "".join(piece for (piece,) in pieces) + str(tail)

    def query_one(self, statement: str, *values: int | str) -> Any:  # noqa: ANN401
        """Return the first column of the first row of a query."""
        return self.connection.execute(statement, values).fetchone()[0]

    def _select(self, query: str, addresses: Sequence[int]) -> Iterator[Any]:
        for first in range(0, len(addresses), _VARIABLES):
            wanted = addresses[first : first + _VARIABLES]
            marks = ",".join("?" * len(wanted))
            # Nothing but question marks is put into the statement.
            yield from self.connection.execute(f"{query} WHERE address IN ({marks})", wanted)
