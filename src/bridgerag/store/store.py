"""Open a store, read snapshots of it, write to it. One writer at a time, any number of readers."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

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
    DRAFT,
    SQLITE_ERRORS,
    connect,
    create,
    fold_log,
    generation,
    meta,
    refusal,
    refusals,
    stored_format,
)
from bridgerag.store.checksum import sealed_meta
from bridgerag.store.recorded import model_entries, read_settings
from bridgerag.store.records import Records
from bridgerag.store.segment import Segment, segment_folder
from bridgerag.store.snapshot import Snapshot, View, load_view, narrowed
from bridgerag.store.sources import Sources
from bridgerag.store.where import Where

if TYPE_CHECKING:
    from bridgerag.store.writer import Writer

__all__ = ["Store"]

_LOCK = "writer.lock"
_READS_TO_REORDER = 1024
_MOST_IDLE = 8  # connections kept open between reads
_CACHE_KIB = 4_096  # of pages for each connection of a writer, which reads few of them twice


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
        self._idle: list[sqlite3.Connection] = []
        self._closings = 0
        self._view: View | None = None
        self._guard = threading.Lock()
        self._reads = 0
        self._checked_to = 0  # documents up to this number agree with their checksums
        with self._connection() as connection:
            self._read_meta(meta(connection))

    @classmethod
    def create(cls, path: Path, settings: Settings, embedder: Embedder) -> Store:
        """Make an empty store, or open the one that another process made meanwhile."""
        _check_place(path)
        entries = model_entries(settings, embedder)
        with refusals(path):
            path.mkdir(parents=True, exist_ok=True)
        with _locked(path, timeout_s=30.0), refusals(path):
            if not (path / CATALOG).exists():
                (path / "segments").mkdir(exist_ok=True)
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
        with self._connection() as connection:
            view, records = self._begin(connection), Records(connection)
            if where:
                self._checked_to = records.check_documents(self._checked_to)
            try:
                yield narrowed(view, records, where) if where else view, records
            finally:
                connection.execute("ROLLBACK")  # it only read
        self._cool_down()

    @contextmanager
    def writing(self, timeout_s: float = 30.0) -> Iterator[tuple[Writer, Sources]]:
        """Give the writer and what it may ask; one at a time across threads and processes.

        The lock is the operating system's: it goes with the process that holds it.

        Raises:
            StoreBusy: another writer kept it for ``timeout_s``.
            StoreReadOnly: the folder cannot be written.
        """
        from bridgerag.store.writer import Writer  # noqa: PLC0415 - readers do without

        with (
            _locked(self.path, timeout_s),
            closing(connect(self.path / CATALOG, write=True, cache_kib=_CACHE_KIB)) as connection,
            closing(connect(self.path / CATALOG, cache_kib=_CACHE_KIB)) as lookups,
        ):
            try:
                with refusals(self.path):
                    self._read_meta(sealed_meta(connection))
                yield Writer(self.path, connection), Sources(self.path, lookups)
            finally:
                fold_log(connection)

    @contextmanager
    def sources(self) -> Iterator[Sources]:
        """Give what an `add` would ask, to see what it would do. No writer waits for it."""
        with closing(connect(self.path / CATALOG)) as lookups:
            yield Sources(self.path, lookups)

    def close(self) -> None:
        """Close the catalog, for threads that read it now once they have finished.

        Mapped segments go when nothing uses them.
        """
        with self._guard:
            self._closings += 1
            while self._idle:
                self._idle.pop().close()
            self._view = None

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection that no other thread uses; SQLite's errors become ours."""
        with self._guard:
            connection = self._idle.pop() if self._idle else None
            closings = self._closings
        connection = connection or connect(self.path / CATALOG)
        try:
            yield connection
        except SQLITE_ERRORS as error:
            raise refusal(self.path, error) from error
        finally:
            with self._guard:
                if closings == self._closings and len(self._idle) < _MOST_IDLE:
                    self._idle.append(connection)
                else:
                    connection.close()

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
            format_ = stored_format(connection)
            opened = {
                n: known.get(n) or Segment(segment_folder(self.path, n), n, format_)
                for n in numbers
            }
            self._read_meta(sealed_meta(connection))
            model = self.meta["embedding_fingerprint"]
            view = load_view(connection, now, model, opened)
            self._view = view
        return view

    def _read_meta(self, found: dict[str, str]) -> None:
        """Take over settings and model, which another process may have changed."""
        self.settings = read_settings(self.path, found)
        self.meta = found


@contextmanager
def _locked(path: Path, timeout_s: float) -> Iterator[None]:
    """Hold the writer's lock of the store at ``path``, whose folder exists."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - readers do without

    lock = FileLock(path / _LOCK, timeout=timeout_s, thread_local=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise StoreBusy(path, timeout_s) from error
    except OSError as error:
        raise StoreReadOnly(path) from error
    try:
        yield
    finally:
        lock.release()


def _check_place(path: Path) -> None:
    if path.is_symlink() and not path.exists():
        raise NotAStore(path, "a broken link")
    if path.exists() and not path.is_dir():
        raise NotAStore(path, "a file")
    if path.is_dir() and not _is_new(path) and not (path / CATALOG).exists():
        raise NotAStore(path, "a folder with other things in it")


def _is_new(path: Path) -> bool:
    """Tell whether a folder holds nothing but what comes before the catalog in a new store."""
    names = {entry.name for entry in path.iterdir() if not entry.name.startswith(DRAFT)} - {_LOCK}
    return not names or (names == {"segments"} and not any((path / "segments").iterdir()))
