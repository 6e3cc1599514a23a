"""Read documents, chunks and summaries from a catalog."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from bridgerag._native import row_is_sound
from bridgerag.store.rows import DOCUMENT_SUM, read_document, sentence_borders, untouched
from bridgerag.store.where import Where
from bridgerag.types import DocumentRef

__all__ = ["ChunkRow", "Records"]

_Row = TypeVar("_Row")

_REF = f"id, title, source, {DOCUMENT_SUM} = crc"
_VARIABLES = 900  # SQLite's oldest limit is 999 a statement
# The columns of the checksums in `rows`, in their order, and the checksum itself.
_DOCUMENT = (
    "number, id, title, source, metadata, sha256, chars, chunks, abstracts, tail, segment, place, "
    "removed, crc"
)
_CHUNK = 'address, start, tokens, headings, page, "row", sentences, lead, text, crc'
# Rows by their numbers, the table ``wanted``: a seventh quicker than ``IN``, which sorts them.
_DOCUMENTS = f"SELECT {_DOCUMENT} FROM wanted CROSS JOIN documents ON place = this AND segment = ?"  # noqa: S608
_CHUNKS = f"SELECT {_CHUNK} FROM wanted CROSS JOIN chunks ON address = this"  # noqa: S608
_SUMMARIES = "SELECT address, summary, crc FROM wanted CROSS JOIN abstracts ON address = this"


class ChunkRow(NamedTuple):
    """A chunk as the catalog holds it."""

    text: str
    start: int
    tokens: int
    headings: tuple[str, ...]
    page: int | None
    row: int | None
    borders: str | None

    @property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The sentences, counted from the chunk's start."""
        return sentence_borders(self.borders, self.text)


@dataclass(frozen=True, slots=True)
class Records:
    """The reading side of one catalog, inside one transaction."""

    connection: sqlite3.Connection

    def document(self, segment: int, place: int) -> tuple[int, DocumentRef]:
        """Return the number of the document at a place of a segment, and what a hit says of it."""
        return self.documents(segment, [place])[place]

    def documents(self, segment: int, places: Sequence[int]) -> dict[int, tuple[int, DocumentRef]]:
        """Return number and reference of the documents at some places of a segment, by place."""
        rows = self._select(_DOCUMENTS, list(dict.fromkeys(places)), segment)
        _expect_sound(rows, lambda row: repr(row[1]))
        found = {row[11]: (row[0], DocumentRef(row[1], row[2], row[3])) for row in rows}
        return _all_of(places, found)

    def find(self, document_id: str) -> tuple[int, int] | None:
        """Return segment and place of the live document with that id."""
        row = self.connection.execute(
            f"SELECT {DOCUMENT_SUM} = crc, segment, place FROM documents "  # noqa: S608
            "WHERE id = ? AND NOT removed",
            (document_id,),
        ).fetchone()
        if row is None:
            return None
        untouched(row[0], repr(document_id))
        return row[1], row[2]

    def check_documents(self, checked: int) -> int:
        """Compare all documents above number ``checked`` with their checksums; return the highest.

        A filter reads every document, and an altered one could fall out of it unnoticed.
        """
        count, sound, highest = self.connection.execute(
            f"SELECT count(*), coalesce(sum({DOCUMENT_SUM} = crc), 0), "  # noqa: S608
            "coalesce(max(number), 0) FROM documents NOT INDEXED WHERE number > ?",
            (checked,),
        ).fetchone()
        expected = self.query_one("SELECT coalesce(sum(documents), 0) FROM segments")
        untouched(sound == count and (checked or count == expected), "a document")
        return max(checked, int(highest))

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
            f"SELECT {_REF} FROM documents WHERE source = ? AND NOT removed ORDER BY id",  # noqa: S608
            (source,),
        )
        return [_reference(*row) for row in rows]

    def like(self, patterns: Iterable[str]) -> list[DocumentRef]:
        """Return the live documents whose id or source any pattern matches, by ascending id."""
        found: dict[str, DocumentRef] = {}
        for pattern in patterns:
            rows = self.connection.execute(
                f"SELECT {_REF} FROM documents "  # noqa: S608
                "WHERE (id GLOB ?1 OR source GLOB ?1) AND NOT removed",
                (pattern,),
            )
            found |= {row[0]: _reference(*row) for row in rows}
        return [found[document_id] for document_id in sorted(found)]

    def all_documents(self) -> list[DocumentRef]:
        """Return the live documents by ascending id."""
        rows = self.connection.execute(
            f"SELECT {_REF} FROM documents WHERE NOT removed ORDER BY id"  # noqa: S608
        )
        return [_reference(*row) for row in rows]

    def content_hashes(self) -> Iterator[tuple[str, bytes]]:
        """Yield id and content hash of the live documents by ascending id."""
        for document_id, digest, sound in self.connection.execute(
            f"SELECT id, sha256, {DOCUMENT_SUM} = crc FROM documents "  # noqa: S608
            "WHERE NOT removed ORDER BY id"
        ):
            untouched(sound, repr(document_id))
            yield document_id, digest

    def chunk_rows(self, addresses: Sequence[int]) -> dict[int, ChunkRow]:
        """Return the rows of some chunks, by address."""
        rows = self._select(_CHUNKS, addresses)
        _expect_sound(rows, lambda _: "a chunk")
        found: dict[int, ChunkRow] = {}
        for number, start, tokens, headings, page, line, sentences, _, text, _ in rows:
            above = tuple(json.loads(headings)) if headings else ()
            found[number] = ChunkRow(text, start, tokens, above, page, line, sentences)
        return _all_of(addresses, found)

    def summaries(self, addresses: Sequence[int]) -> dict[int, str]:
        """Return the summaries of some abstracts, by address."""
        rows = self._select(_SUMMARIES, addresses)
        _expect_sound(rows, lambda _: "a summary")
        return _all_of(addresses, {number: summary for number, summary, _ in rows})

    def text(self, document: int) -> str:
        """Return a document's extracted text, whole."""
        return read_document(self.connection, document)[0].text

    def query_one(self, statement: str, *values: int | str) -> Any:  # noqa: ANN401
        """Return the first column of the first row of a query."""
        return self.connection.execute(statement, values).fetchone()[0]

    def _select(self, query: str, numbers: Sequence[int], *after: int) -> list[Any]:
        """Return a query's rows for ``numbers``, in their order; ``after`` is bound behind them."""
        rows: list[Any] = []
        for first in range(0, len(numbers), _VARIABLES):
            wanted = numbers[first : first + _VARIABLES]
            rows += self.connection.execute(_with(len(wanted), query), (*wanted, *after))
        return rows


@lru_cache(maxsize=256)
def _with(count: int, query: str) -> str:
    """Return a query over ``count`` numbers; nothing but question marks is put into it."""
    return f"WITH wanted (this) AS (VALUES {','.join(['(?)'] * count)}) {query}"


def _expect_sound(rows: list[Any], name: Callable[[Any], str]) -> None:
    if not all(map(row_is_sound, rows)):
        altered = next(row for row in rows if not row_is_sound(row))
        untouched(sound=False, what=name(altered))


def _reference(document_id: str, title: str, source: str, sound: int) -> DocumentRef:
    untouched(sound, repr(document_id))
    return DocumentRef(document_id, title, source)


def _all_of(numbers: Sequence[int], found: dict[int, _Row]) -> dict[int, _Row]:
    """Return ``found`` if it has every number; else `Store.reading` reports a damaged catalog."""
    if len(found) < len(numbers):  # some are missing, unless some were named twice
        missing = set(numbers) - found.keys()
        if missing:
            raise sqlite3.DatabaseError(f"{len(missing)} of {len(numbers)} rows are missing")
    return found
