"""Go through files: which have changed, and what those hold, read ahead where reading is slow."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bridgerag.documents import Readers, document_id, load, reads_slowly
from bridgerag.errors import UnreadableFile
from bridgerag.ingest.changes import look
from bridgerag.store import SourceRow, Sources, dump_json
from bridgerag.types import Document, MetadataValue, Skipped

__all__ = ["FileToRead", "Reading", "reading"]

_WORTH = 4_000_000  # bytes of files that are slow to read; less is read before a process starts


@dataclass(frozen=True, slots=True)
class FileToRead:
    """A file as it is now, beside what the store knows of it.

    Attributes:
        known: its state when it was last read to its end.
        before: the ids of the documents that came from it, or from where it was before.
        old: the path it had before, if it was moved.
        begun: what it holds, where that is being read already.
    """

    path: Path
    state: SourceRow
    known: SourceRow | None
    before: Sequence[str]
    old: str | None
    begun: Future[list[Document | Skipped]] | None = None

    @property
    def changed(self) -> bool:
        """Whether its bytes or the metadata given to its documents are others than before."""
        known = self.known
        return not known or (known.sha256, known.given) != (self.state.sha256, self.state.given)

    def items(self) -> Iterable[Document | Skipped]:
        """Return what the file holds, as `load` does."""
        return self.begun.result() if self.begun else load(self.path)


@contextmanager
def reading(paths: Sequence[Path], cores: int) -> Iterator[Reading]:
    """Yield what goes through files; processes that it may start end with the block.

    Args:
        cores: so many files are read at once, if enough of them take long.
    """
    readers = Readers(cores) if cores > 1 and _slow_bytes(paths) >= _WORTH else None
    try:
        yield Reading(paths, readers, 2 * cores if readers else 0)
    finally:
        if readers:
            readers.stop()


def _slow_bytes(paths: Sequence[Path]) -> int:
    size = 0
    for path in filter(reads_slowly, paths):
        with suppress(OSError, ValueError):
            size += path.stat().st_size
    return size


@dataclass(frozen=True, slots=True)
class Reading:
    """Files, and what reads them.

    Attributes:
        ahead: how many files are looked at, and if need be read, before their turn.
    """

    paths: Sequence[Path]
    readers: Readers | None
    ahead: int

    def files(
        self, catalog: Sources, metadata: Mapping[str, MetadataValue], moved: Mapping[str, str]
    ) -> Iterator[FileToRead | Skipped]:
        """Yield every file in order.

        Args:
            metadata: given to the documents; what was given before stays when it is empty.
            moved: where a file was before, by its path now.
        """
        waiting: deque[FileToRead | Skipped] = deque()
        for path in self.paths:
            waiting.append(self._begin(_look(path, catalog, metadata, moved)))
            if len(waiting) > self.ahead:
                yield waiting.popleft()
        yield from waiting

    def _begin(self, file: FileToRead | Skipped) -> FileToRead | Skipped:
        slow = isinstance(file, FileToRead) and file.changed and reads_slowly(file.path)
        if self.readers is None or not slow or isinstance(file, Skipped):
            return file
        return replace(file, begun=self.readers.read(file.path))


def _look(
    path: Path, catalog: Sources, metadata: Mapping[str, MetadataValue], moved: Mapping[str, str]
) -> FileToRead | Skipped:
    source = document_id(path)
    known, old = catalog.state(source), moved.get(source)
    earlier = known or (catalog.state(old) if old else None)
    given = dump_json(dict(metadata)) if metadata or earlier is None else earlier.given
    try:
        state = replace(look(path, source, known), given=given)
    except UnreadableFile as error:
        return Skipped(source, error.reason)
    except OSError as error:
        return Skipped(source, f"cannot be opened: {error.strerror or error}")
    file = FileToRead(path, state, known, catalog.ids_of(source), old)
    if old and file.changed:
        return replace(file, before=[*file.before, *catalog.ids_of(old)])
    return file
