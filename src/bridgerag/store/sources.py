"""What a store knows of the files its documents came from: the questions an `add` asks."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

__all__ = ["SourceRow", "Sources"]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """The state of a file when it was read to its end."""

    path: str
    size_bytes: int
    modified_ns: int
    sha256: bytes


@dataclass(frozen=True, slots=True)
class Sources:
    """Looks up committed documents and files; made by `Store.writing`."""

    store: Path
    connection: sqlite3.Connection

    def state(self, path: str) -> SourceRow | None:
        """Return the state in which a file was last read to its end."""
        row = self.connection.execute("SELECT * FROM sources WHERE path = ?", (path,)).fetchone()
        return row and SourceRow(*row)

    def stored(self, document_id: str) -> tuple[bytes, str] | None:
        """Return content hash and source of a live document."""
        row: tuple[bytes, str] | None = self.connection.execute(
            "SELECT sha256, source FROM documents WHERE id = ? AND NOT removed", (document_id,)
        ).fetchone()
        return row

    def ids_of(self, source: str) -> list[str]:
        """Return the ids of the live documents that came from a file, ascending."""
        rows = self.connection.execute(
            "SELECT id FROM documents WHERE source = ? AND NOT removed ORDER BY id", (source,)
        )
        return [document_id for (document_id,) in rows]
