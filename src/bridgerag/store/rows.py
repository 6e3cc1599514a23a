"""The rows of a document in the catalog, from chunks and back, each with its own checksum.

SQLite does not notice a bit that changes on the disk, so a row carries the checksum of its other
columns, and what is read is compared with it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from bridgerag import _native
from bridgerag.chunks import Chunks
from bridgerag.store.catalog import address, dump_json
from bridgerag.types import Chunk, Document

__all__ = [
    "CHUNK_SUM",
    "DOCUMENT_SUM",
    "SUMMARY_SUM",
    "RowBlocks",
    "chunk_rows",
    "read_document",
    "remove_document",
    "seal_documents",
    "sentence_borders",
    "summary_rows",
    "untouched",
]

Value = str | int | bytes | None
_VARIABLES = 900  # SQLite's oldest limit is 999 a statement
_CHUNKS = 512  # whose rows are made at once: no document's texts are held twice

CHUNK_SUM = 'checksum(address, start, tokens, headings, page, "row", sentences, lead, text)'
SUMMARY_SUM = "checksum(address, summary)"
DOCUMENT_SUM = (
    "checksum(number, id, title, source, metadata, sha256, chars, chunks, abstracts, tail, "
    "segment, place, removed)"
)


def untouched(sound: int, what: str) -> None:
    """Raise what `Store.reading` reports as damage unless a row agreed with its checksum."""
    if not sound:
        raise sqlite3.DatabaseError(f"{what} does not match its checksum")


def seal_documents(connection: sqlite3.Connection, column: str, value: int) -> None:
    """Renew the checksums of the documents that have ``value`` in ``column``."""
    connection.execute(
        f"UPDATE documents SET crc = {DOCUMENT_SUM} WHERE {column} = ?",  # noqa: S608 - fixed
        (value,),
    )


def remove_document(connection: sqlite3.Connection, document_id: str) -> None:
    """Delete a live document's texts and keep its row as a tombstone."""
    row = connection.execute(
        "SELECT number FROM documents WHERE id = ? AND NOT removed", (document_id,)
    ).fetchone()
    if row is None:
        return
    own = address(row[0], 0), address(row[0] + 1, 0)
    connection.execute("DELETE FROM chunks WHERE address >= ? AND address < ?", own)
    connection.execute("DELETE FROM abstracts WHERE address >= ? AND address < ?", own)
    connection.execute(
        "UPDATE documents SET removed = 1, title = '', source = '', metadata = '{}', "
        "sha256 = x'', tail = '', id = '' WHERE number = ?",
        row,
    )
    seal_documents(connection, "number", row[0])
    connection.execute(
        "UPDATE segments SET live_documents = live_documents - 1, "
        "live_chunks = live_chunks - d.chunks, live_abstracts = live_abstracts - d.abstracts, "
        "live_chars = live_chars - d.chars FROM documents AS d "
        "WHERE d.number = ? AND d.segment = segments.number",
        row,
    )


def chunk_rows(document: int, text: str, chunks: Sequence[Chunk]) -> Iterator[list[Value]]:
    """Yield the rows of a document's chunks, many at once: ten values each, behind one another."""
    columns = Chunks.of(chunks)
    places = [
        (dump_json(section.headings) if section.headings else None, section.page, section.row)
        for section in columns.sections
    ]
    before = 0
    for number in range(0, len(columns), _CHUNKS):
        here = slice(number, number + _CHUNKS)
        first = columns.first[number : number + _CHUNKS + 1]
        sentences = columns.sentences[first[0] : first[-1]]
        yield _native.chunk_rows(
            text,
            before,
            address(document, number),
            sentences,
            first - first[0],
            columns.tokens[here],
            columns.homes[here],
            places,
        )
        before = int(sentences[-1, 1])


def summary_rows(document: int, summaries: list[str]) -> list[Value]:
    """Return the rows of a document's abstracts in the forest's order, three values each."""
    return _native.summary_rows(address(document, 0), summaries)


class RowBlocks:
    """Inserts rows into a table, many a statement.

    SQLite lets go of the interpreter's lock for every statement; beside a thread that analyses, the
    wait to have it back is longer than the insertion of a row.
    """

    def __init__(self, connection: sqlite3.Connection, table: str, columns: int) -> None:
        self._connection, self._table, self._columns = connection, table, columns
        self._values: list[Value] = []
        self._most = _VARIABLES // columns * columns

    def add(self, values: list[Value]) -> None:
        """Take in the values of whole rows, and insert those that fill a statement."""
        self._values += values
        whole = len(self._values) // self._most * self._most
        for first in range(0, whole, self._most):
            self._insert(self._values[first : first + self._most])
        if whole:
            del self._values[:whole]

    def flush(self) -> None:
        """Insert what has not been."""
        if self._values:
            self._insert(self._values)
            self._values = []

    def _insert(self, values: Sequence[Value]) -> None:
        row = f"({','.join('?' * self._columns)})"
        rows = ",".join([row] * (len(values) // self._columns))
        self._connection.execute(f"INSERT INTO {self._table} VALUES {rows}", values)  # noqa: S608


def read_document(
    connection: sqlite3.Connection, number: int
) -> tuple[Document, list[Chunk], bytes]:
    """Return a live document with its chunks as they were, and its content hash.

    Raises:
        sqlite3.DatabaseError: rows are missing or altered.
    """
    row = connection.execute(
        "SELECT id, title, source, metadata, tail, chunks, chars, sha256, "  # noqa: S608 - constant
        f"{DOCUMENT_SUM} = crc FROM documents WHERE number = ? AND NOT removed",
        (number,),
    ).fetchone()
    if row is None:
        raise sqlite3.DatabaseError(f"document {number} is missing")
    document_id, title, source, metadata, tail, count, chars, digest, sound = row
    untouched(sound, f"document {number}")
    pieces: list[str] = []
    chunks: list[Chunk] = []
    for start, tokens, headings, page, line, sentences, lead, text, sound in connection.execute(
        'SELECT start, tokens, headings, page, "row", sentences, lead, text, '  # noqa: S608
        f"{CHUNK_SUM} = crc FROM chunks WHERE address >= ? AND address < ? ORDER BY address",
        (address(number, 0), address(number + 1, 0)),
    ):
        untouched(sound, f"a chunk of {document_id!r}")
        pieces += (lead, text)
        spans = tuple(
            (start + begin, start + end) for begin, end in sentence_borders(sentences, text)
        )
        above = tuple(json.loads(headings)) if headings else ()
        chunks.append(Chunk(start, start + len(text), tokens, spans, above, page, line))
    whole = "".join((*pieces, tail))
    if len(chunks) != count or len(whole) != chars:
        raise sqlite3.DatabaseError(f"chunks of {document_id!r} are missing")
    return Document(document_id, title, source, whole, (), json.loads(metadata)), chunks, digest


def sentence_borders(stored: str | None, text: str) -> tuple[tuple[int, int], ...]:
    """Return start and end of each sentence of a chunk's text, from its ``sentences`` column."""
    borders = json.loads(stored) if stored else [0, len(text)]
    return tuple(zip(borders[::2], borders[1::2], strict=True))
