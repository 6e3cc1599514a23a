"""Open a store, read snapshots of it, write to it. One writer at a time, any number of readers."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from filelock import FileLock, Timeout

from bridgerag.errors import (
    ModelMismatch,
    NotAStore,
    StoreBusy,
    StoreDamaged,
    StoreMissing,
    StoreReadOnly,
)
from bridgerag.protocols import Embedder
from bridgerag.settings import Settings
from bridgerag.store.catalog import (
    CATALOG,
    connect,
    create,
    dump_json,
    fold_log,
    generation,
    meta,
    refusal,
    refusals,
)
from bridgerag.store.records import Records
from bridgerag.store.segment import Segment
from bridgerag.store.snapshot import Snapshot, View, load_view, narrowed
from bridgerag.store.sources import Sources
from bridgerag.store.where import Where
from bridgerag.store.writer import Writer, segment_folder

__all__ = ["Store"]

_LOCK = "writer.lock"
_READS_TO_REORDER = 1024


class Store:
    """An open store. Safe to use from many threads; call `close` when done."""

    def __init__(self, path: Path) -> None:
        """Open the store at ``path``.

        Raises:
            StoreMissing, NotAStore, FormatTooNew, StoreDamaged: as their names say.
        """
        self.path = path
        _check_place(path)
        if not (path / CATALOG).exists():
            raise StoreMissing(path)
        self._open_connections: dict[int, sqlite3.Connection] = {}
        self._view: View | None = None
        self._guard = threading.Lock()
        self._reads = 0
        with refusals(path):
            self.meta = meta(self._connection())
        self.settings = _settings(path, self.meta)

    @classmethod
    def create(cls, path: Path, settings: Settings, embedder: Embedder) -> Store:
        """Make an empty store, or open the one that another process made meanwhile."""
        _check_place(path)
        with refusals(path):
            path.mkdir(parents=True, exist_ok=True)
            (path / "segments").mkdir(exist_ok=True)
            entries = {
                "settings": dump_json(asdict(settings)),
                "embedding_name": embedder.name,
                "embedding_fingerprint": embedder.fingerprint,
                "embedding_dim": str(embedder.dim),
            }
            create(path / CATALOG, entries)
        return cls(path)

    def expect_model(self, embedder: Embedder) -> None:
        """Raise `ModelMismatch` unless ``embedder`` is the one the store was built with."""
        if embedder.fingerprint != self.meta["embedding_fingerprint"]:
            raise ModelMismatch(self.path, self.meta["embedding_name"], embedder.name)

    @contextmanager
    def reading(self, where: Where | None = None) -> Iterator[Snapshot]:
        """Give a snapshot; what it shows does not change until the block ends.

        Args:
            where: shows only the documents that it lets through.
        """
        with self.viewing(where) as view:
            yield Snapshot([view])

    @contextmanager
    def viewing(self, where: Where | None = None) -> Iterator[tuple[View, Records]]:
        """Give what a `Snapshot` is made of, to make one of several stores."""
        connection = self._connection()
        try:
            view, records = self._begin(connection), Records(connection)
            yield narrowed(view, records, where) if where else view, records
        except sqlite3.Error as error:
            raise refusal(self.path, error) from error
        finally:
            with suppress(sqlite3.Error):  # it only read, and may be closed
                connection.execute("ROLLBACK")
        self._cool_down()

    @contextmanager
    def writing(self, timeout_s: float = 30.0) -> Iterator[tuple[Writer, Sources]]:
        """Give the writer and what it may ask; one at a time across threads and processes.

        The lock is the operating system's: it goes with the process that holds it.

        Raises:
            StoreBusy: another writer kept it for ``timeout_s``.
            StoreReadOnly: the folder cannot be written.
        """
        lock = FileLock(self.path / _LOCK, timeout=timeout_s, thread_local=False)
        try:
            lock.acquire()
        except Timeout as error:
            raise StoreBusy(self.path, timeout_s) from error
        except OSError as error:
            raise StoreReadOnly(self.path) from error
        try:
            with (
                closing(connect(self.path / CATALOG, write=True)) as connection,
                closing(connect(self.path / CATALOG)) as lookups,
            ):
                try:
                    yield Writer(self.path, connection), Sources(self.path, lookups)
                finally:
                    fold_log(connection)
        finally:
            lock.release()

    def close(self) -> None:
        """Close the catalog in every thread. Mapped segments go when nothing uses them."""
        with self._guard:
            for connection in self._open_connections.values():
                connection.close()
            self._open_connections.clear()
            self._view = None

    def _connection(self) -> sqlite3.Connection:
        thread = threading.get_ident()
        with self._guard:
            if thread not in self._open_connections:
                self._open_connections[thread] = connect(self.path / CATALOG)
            return self._open_connections[thread]

    def _cool_down(self) -> None:
        """Sort the entity indexes' buckets by temperature, every so many reads."""
        with self._guard:
            self._reads += 1
            due = self._reads % _READS_TO_REORDER == 0
        for segment, _ in self._view.segments if due and self._view else ():
            segment.entities.reorder()  # waits for lookups of other threads

    def _begin(self, connection: sqlite3.Connection) -> View:
        """Begin a read transaction and return the view that is true in it.

        Segments may be merged and deleted between reading their names and opening them; then the
        catalog has moved on, and a new transaction names others.
        """
        while True:
            connection.execute("BEGIN")
            try:
                return self._current_view(connection)
            except StoreDamaged:
                before = generation(connection)
                connection.execute("ROLLBACK")
                if generation(connection) == before:
                    raise
            except BaseException:
                connection.execute("ROLLBACK")
                raise

    def _current_view(self, connection: sqlite3.Connection) -> View:
        now = generation(connection)
        view = self._view
        if view is None or view.generation != now:
            known = (
                {} if view is None else {segment.number: segment for segment, _ in view.segments}
            )
            numbers = [
                n for (n,) in connection.execute("SELECT number FROM segments ORDER BY number")
            ]
            opened = {n: known.get(n) or self._open_segment(n) for n in numbers}
            view = load_view(connection, now, opened)
            self._view = view
        return view

    def _open_segment(self, number: int) -> Segment:
        return Segment(segment_folder(self.path, number), number)


def _settings(path: Path, entries: dict[str, str]) -> Settings:
    try:
        int(entries["embedding_dim"]), entries["embedding_name"], entries["embedding_fingerprint"]
        return Settings(**json.loads(entries["settings"]))
    except (KeyError, TypeError, ValueError) as error:  # InputError is a ValueError
        raise StoreDamaged(path / CATALOG, f"its settings cannot be read: {error}") from error


def _check_place(path: Path) -> None:
    if path.is_symlink() and not path.exists():
        raise NotAStore(path, "a broken link")
    if path.exists() and not path.is_dir():
        raise NotAStore(path, "a file")
    if path.is_dir() and not (path / CATALOG).exists() and any(path.iterdir()):
        raise NotAStore(path, "a folder with other things in it")
