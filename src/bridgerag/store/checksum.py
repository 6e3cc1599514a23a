"""Checksums inside the catalog: SQLite does not notice a bit that changes on the disk.

Every row of a document carries one over its other columns: `row_checksum`, the CRC-32 of its
values as text, joined by U+001F, where NULL is empty and a BLOB in hexadecimal. It is also the SQL
function ``checksum`` of every connection. One more covers what is small and everything hangs on:
settings, segments with their counts, and the schema.
"""

from __future__ import annotations

import sqlite3

from bridgerag._native import row_checksum

__all__ = ["row_checksum", "seal", "sealed_meta"]


def seal(connection: sqlite3.Connection) -> None:
    """Record the checksum of what a store's parts hang on, as the last step of every commit."""
    connection.execute(
        "INSERT OR REPLACE INTO meta VALUES ('checksum', ?)", (str(_root_checksum(connection)),)
    )


def sealed_meta(connection: sqlite3.Connection) -> dict[str, str]:
    """Return settings and counters by name, inside a transaction, if their checksum agrees.

    Raises:
        sqlite3.DatabaseError: settings, segments or the schema are altered.
    """
    found = dict(connection.execute("SELECT key, value FROM meta"))
    if found.get("checksum") != str(_root_checksum(connection)):
        raise sqlite3.DatabaseError("its settings or segments do not match their checksum")
    return found


def _root_checksum(connection: sqlite3.Connection) -> int:
    """Return the checksum over the rows of meta, segments and schema, their columns in order."""
    values: list[str | int | None] = []
    for query in (
        "SELECT key, value FROM meta WHERE key != 'checksum' ORDER BY key",
        "SELECT * FROM segments ORDER BY number",
        "SELECT name, sql FROM sqlite_master ORDER BY name",
    ):
        for row in connection.execute(query):
            values += row
    return row_checksum(*values)
