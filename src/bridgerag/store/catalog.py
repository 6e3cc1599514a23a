"""The catalog: one SQLite file that says which documents, chunks and segments a store holds.

A document has a number that never changes and is never used again; its chunks and abstracts are
addressed by ``document number << 32 | number in the document``. Which segment holds it, at which
place, can change (segments are merged), and nothing else in the catalog changes with it.

A chunk's row holds its text and the white space before it, so that the rows of a document are its
extracted text, once and whole; with its headings and sentences everything but the vectors could be
made again from the catalog alone. Removing a document deletes its texts at once and leaves its row
as a tombstone, by which searches leave out what the segment's files still hold. Every change raises
``generation``, so that a reader sees with one query whether what it has in memory is still true.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bridgerag.errors import (
    FormatTooNew,
    NotAStore,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
)
from bridgerag.store.checksum import row_checksum, seal
from bridgerag.store.files import sync_folder

__all__ = [
    "CATALOG",
    "DRAFT",
    "FORMAT",
    "SQLITE_ERRORS",
    "address",
    "connect",
    "create",
    "dump_json",
    "fold_log",
    "generation",
    "meta",
    "refusal",
    "refusals",
    "stored_format",
    "transaction",
]

CATALOG = "catalog.sqlite"
DRAFT = "catalog.new"
FORMAT = 2
# A message that quotes altered bytes is no UTF-8, and Python says so in place of what SQLite said.
SQLITE_ERRORS = (sqlite3.Error, UnicodeDecodeError)
_BUSY_S = 30
_CACHE_KIB = 16_384  # of pages
_APPLICATION_ID = 0x42524147  # "BRAG"

_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE segments (
    number INTEGER PRIMARY KEY, documents INTEGER NOT NULL, chunks INTEGER NOT NULL,
    abstracts INTEGER NOT NULL, entities INTEGER NOT NULL, size_bytes INTEGER NOT NULL,
    live_documents INTEGER NOT NULL, live_chunks INTEGER NOT NULL,
    live_abstracts INTEGER NOT NULL, live_chars INTEGER NOT NULL, recipe INTEGER NOT NULL
) STRICT;
CREATE TABLE sources (
    path TEXT PRIMARY KEY, size_bytes INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
    read_ns INTEGER NOT NULL, sha256 BLOB NOT NULL, given TEXT NOT NULL
) STRICT;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, title TEXT NOT NULL,
    source TEXT NOT NULL, metadata TEXT NOT NULL, sha256 BLOB NOT NULL, chars INTEGER NOT NULL,
    chunks INTEGER NOT NULL, abstracts INTEGER NOT NULL, tail TEXT NOT NULL,
    segment INTEGER NOT NULL, place INTEGER NOT NULL, removed INTEGER NOT NULL DEFAULT 0,
    crc INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX documents_by_id ON documents (id) WHERE NOT removed;
CREATE UNIQUE INDEX documents_by_place ON documents (segment, place);
CREATE INDEX documents_by_source ON documents (source) WHERE NOT removed;
CREATE INDEX documents_by_content ON documents (sha256) WHERE NOT removed;
CREATE INDEX documents_removed ON documents (segment, place) WHERE removed;
CREATE TABLE chunks (
    address INTEGER PRIMARY KEY, start INTEGER NOT NULL, tokens INTEGER NOT NULL,
    headings TEXT, page INTEGER, "row" INTEGER, sentences TEXT,
    lead TEXT NOT NULL, text TEXT NOT NULL, crc INTEGER NOT NULL
) STRICT;
CREATE TABLE abstracts (
    address INTEGER PRIMARY KEY, summary TEXT NOT NULL, crc INTEGER NOT NULL
) STRICT;
"""


def address(document: int, number: int) -> int:
    """Return the address of the chunk or abstract ``number`` of a document."""
    return document << 32 | number


def create(path: Path, entries: dict[str, str]) -> None:
    """Make the catalog at ``path`` with its settings; the caller holds the writer's lock.

    It is made under another name, so that whoever finds it finds it complete.
    """
    draft = path.with_name(DRAFT)
    for rest in path.parent.glob(f"{DRAFT}*"):  # of a process that was killed here
        rest.unlink()
    connection = _open(draft, "rwc")
    try:
        with transaction(connection):
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            entries = {"format": str(FORMAT), "generation": "0", **entries}
            connection.executemany("INSERT INTO meta VALUES (?, ?)", entries.items())
            seal(connection)
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    draft.replace(path)
    sync_folder(path.parent)


def connect(path: Path, write: bool = False, cache_kib: int = _CACHE_KIB) -> sqlite3.Connection:
    """Open the catalog at ``path``, which must exist.

    A store in a folder that cannot be written is opened as it stands, without SQLite's side files.

    Args:
        cache_kib: pages of the catalog that the connection keeps.

    Raises:
        NotAStore: the file is no catalog.
        FormatTooNew: a later release wrote it.
        StoreDamaged: SQLite cannot make sense of it.
        StoreError: it cannot be opened, or its log cannot be read along with it.
    """
    connection = None
    try:
        connection = _open(path, "rw" if write else "ro")
        try:
            _check(path, connection)
        except sqlite3.OperationalError:
            if write or _has_log(path):
                raise
            connection.close()
            connection = _open(path, "ro&immutable=1")
            _check(path, connection)
    except SQLITE_ERRORS as error:
        if connection is not None:
            connection.close()
        raise refusal(path.parent, error) from error
    connection.execute(f"PRAGMA cache_size = -{cache_kib}")
    if write:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
    return connection


@contextmanager
def refusals(store: Path) -> Iterator[None]:
    """Turn what SQLite or the system says against a store's files into a `StoreError`."""
    try:
        yield
    except SQLITE_ERRORS as error:
        raise refusal(store, error) from error
    except PermissionError as error:
        raise StoreReadOnly(store) from error
    except OSError as error:
        raise StoreError(store, f"{store} cannot be written: {error.strerror or error}") from error


def fold_log(connection: sqlite3.Connection) -> None:
    """Bring the write-ahead log into the catalog, unless a reader or the disk is in the way.

    A store that is then copied or opened without write permission is whole without the log.
    """
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the block as one transaction: all of its changes or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back when a disk is full or fails
            connection.execute("ROLLBACK")
        raise


def generation(connection: sqlite3.Connection) -> int:
    """Return how many commits the store has seen."""
    query = "SELECT value FROM meta WHERE key = 'generation'"
    return int(connection.execute(query).fetchone()[0])


def meta(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the store's settings and counters by name."""
    return dict(connection.execute("SELECT key, value FROM meta"))


def stored_format(connection: sqlite3.Connection) -> int:
    """Return the format of the store: that of the release that made or upgraded it."""
    query = "SELECT value FROM meta WHERE key = 'format'"
    return int(connection.execute(query).fetchone()[0])


def _open(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=_BUSY_S, isolation_level=None,
        check_same_thread=False,
    )  # fmt: skip
    connection.execute("PRAGMA trusted_schema = OFF")
    # No `mmap_size`: a file cut short would end the process in place of an error.
    connection.execute("PRAGMA mmap_size = 0")
    connection.create_function("checksum", -1, row_checksum, deterministic=True)
    return connection


def _has_log(path: Path) -> bool:
    """Tell whether commits stand in the write-ahead log, which an immutable open would miss."""
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def refusal(store: Path, error: Exception) -> StoreError:
    """Return what an error of SQLite means for a store, in our words."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:  # the primary code
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return StoreReadOnly(store)
        case sqlite3.SQLITE_CANTOPEN:
            remedy = "give yourself permission to read it and to write its folder, or copy it; or"
            remedy += " close some files, if as many are open as the system allows (`ulimit -n`)"
            return StoreError(store, f"the catalog of {store} cannot be opened; {remedy}")
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            remedy = "free some space and try again"
            return StoreError(store, f"{store} cannot be read or written: {error}; {remedy}")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusy(store, _BUSY_S)
    return StoreDamaged(store / CATALOG, str(error))


def _check(path: Path, connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
        raise NotAStore(path.parent, "a folder with another program's catalog.sqlite")
    text = meta(connection).get("format", "")
    if not text.isdecimal():
        raise StoreDamaged(path, f"its format is {text!r}, not a number")
    found = int(text)
    if found > FORMAT:
        raise FormatTooNew(path, found, FORMAT)


def dump_json(value: object) -> str:
    """Return compact JSON with sorted keys: equal values give equal text."""
    return _encode(value)
