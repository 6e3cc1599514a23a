"""What a store knows of the files its documents came from: the questions an `add` asks."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bridgerag.store.catalog import refusals

__all__ = ["SourceRow", "Sources"]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """The state of a file when it was read to its end.

    Attributes:
        modified_ns: when the file was last modified, before it was read.
        read_ns: when its reading began.
        given: the metadata that the `add` gave to its documents, as JSON.
    """

    path: str
    size_bytes: int
    modified_ns: int
    read_ns: int
    sha256: bytes
    given: str = "{}"


@dataclass(frozen=True, slots=True)
class Sources:
    """Looks up committed documents and files; made by `Store.writing` and `Store.sources`."""

    store: Path
    connection: sqlite3.Connection

    def state(self, path: str) -> SourceRow | None:
        """Return the state in which a file was last read to its end."""
        rows = self._all("SELECT * FROM sources WHERE path = ?", path)
        return SourceRow(*rows[0]) if rows else None

    def any(self) -> bool:
        """Return whether there are live documents."""
        return bool(self._all("SELECT 1 FROM documents WHERE NOT removed LIMIT 1"))

    def stored(self, document_id: str) -> tuple[bytes, str] | None:
        """Return content hash and source of a live document."""
        rows = self._all(
            "SELECT sha256, source FROM documents WHERE id = ? AND NOT removed", document_id
        )
        return rows[0] if rows else None

    def ids_of(self, source: str) -> list[str]:
        """Return the ids of the live documents that came from a file, ascending."""
        rows = self._all(
            "SELECT id FROM documents WHERE source = ? AND NOT removed ORDER BY id", source
        )
        return [document_id for (document_id,) in rows]

    def under(self, folder: str) -> dict[str, SourceRow | None]:
        """Return the files below a folder that documents came from, in order, with their state.

        The state is None for a file that was never read to its end.
        """
        first = folder.rstrip("/") + "/"
        rows = self._all(
            "SELECT DISTINCT d.source, s.* FROM documents AS d "
            "LEFT JOIN sources AS s ON s.path = d.source "
            "WHERE NOT d.removed AND d.source >= ? AND d.source < ? ORDER BY d.source",
            first,
            first[:-1] + "0",  # the character after "/"
        )
        return {row[0]: None if row[1] is None else SourceRow(*row[1:]) for row in rows}

    def _all(self, query: str, *values: str) -> list[Any]:
        with refusals(self.store):
            return self.connection.execute(query, values).fetchall()
