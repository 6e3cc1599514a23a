"""Bring files and documents into a store: what is new, what changed, what can be left alone.

Two threads share the work: one reads and analyses documents, the other embeds and commits the batch
before. At most one batch waits, so memory stays bounded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Lock
from time import perf_counter

from bridgerag.documents import check_file, document_id, find_files, load
from bridgerag.entities import Vocabulary
from bridgerag.errors import UnreadableFile
from bridgerag.protocols import Embedder, Progress
from bridgerag.settings import Settings
from bridgerag.store import SegmentBuilder, SourceRow, Sources, Writer, content_hash
from bridgerag.types import AddReport, Document, MetadataValue, Skipped

__all__ = ["Ingest"]

_BATCH_CHUNKS = 4096  # what an interruption can lose, and what is held in memory


class Ingest:
    """One `add`. Commits whenever enough chunks have come together. Use it once.

    Args:
        writer: used by the committing thread only.
        catalog: what the store held before this add, for the reading thread.
    """

    def __init__(
        self,
        settings: Settings,
        embedder: Embedder,
        writer: Writer,
        catalog: Sources,
        progress: Progress | None,
    ) -> None:
        self._settings = settings
        self._embedder = embedder
        self._writer = writer
        self._catalog = catalog
        self._committer = ThreadPoolExecutor(1, "bridgerag-commit")
        self._committing: Future[None] | None = None
        self._vocabulary = Vocabulary()
        self._builder = self._new_builder()
        self._meter = _Meter(progress)
        self._seen: dict[str, str] = {}
        self._gone: list[str] = []
        self._read: list[SourceRow] = []
        self._skipped: list[Skipped] = []
        self._counts = dict.fromkeys(("added", "changed", "unchanged", "removed", "chunks"), 0)

    def run(
        self,
        paths: Sequence[str | Path],
        documents: Iterable[Document],
        ignore: Sequence[str],
        metadata: Mapping[str, MetadataValue],
    ) -> AddReport:
        """Index everything named, commit it, and say what was done."""
        start = perf_counter()
        files: list[Path] = []
        for item in find_files([Path(path) for path in paths], ignore):
            self._skipped.append(item) if isinstance(item, Skipped) else files.append(item)
        self._meter.expect(files)
        try:
            for path in files:
                self._file(path, metadata)
            for document in documents:
                self._document(document, metadata)
            self._flush()
            self._wait()
        except BaseException:
            self._meter.stop()
            raise
        finally:
            self._committer.shutdown()
        return AddReport(
            **self._counts,
            skipped=tuple(self._skipped),
            seconds=perf_counter() - start,
            store=self._writer.store,
        )

    def _file(self, path: Path, metadata: Mapping[str, MetadataValue]) -> None:
        """Index one file; documents that it no longer holds are removed with the same commit."""
        source = document_id(path)
        before = self._catalog.ids_of(source)
        try:
            state = _state(path, source)
        except UnreadableFile as error:
            self._skipped.append(Skipped(source, error.reason))
            return
        except OSError as error:
            self._skipped.append(Skipped(source, f"cannot be opened: {error.strerror or error}"))
            return
        known = self._catalog.state(source)
        if known is not None and known.sha256 == state.sha256 and not metadata:
            self._counts["unchanged"] += len(before)
            self._seen.update(dict.fromkeys(before, source))
            self._meter.file_done(state.size_bytes)
            return
        present: set[str] = set()
        for item in load(path):
            if isinstance(item, Skipped):
                self._skipped.append(item)
            else:
                present.add(item.id)
                self._document(item, metadata)
        if present:
            self._gone += [document_id for document_id in before if document_id not in present]
            self._read.append(state)
        self._meter.file_done(state.size_bytes)

    def _document(self, document: Document, metadata: Mapping[str, MetadataValue]) -> None:
        document = replace(
            document,
            title=_storable(document.title),
            text=_storable(document.text),
            metadata={**document.metadata, **metadata},
        )
        stored = self._catalog.stored(document.id)
        problem = self._conflict(document, stored and stored[1])
        if problem is not None:
            self._skipped.append(Skipped(document.source or document.id, problem))
            return
        self._seen[document.id] = document.source
        if stored and stored == (content_hash(document), document.source):
            self._counts["unchanged"] += 1
            return
        chunks = self._builder.add(document)
        if not chunks:
            self._skipped.append(Skipped(document.source or document.id, "it holds no text"))
            return
        self._counts["changed" if stored else "added"] += 1
        self._counts["chunks"] += chunks
        self._meter.chunked(chunks, len(document.text))
        if self._builder.chunks >= _BATCH_CHUNKS:
            self._flush()

    def _conflict(self, document: Document, stored_source: str | None) -> str | None:
        """Return why a document cannot take its id, or None."""
        other = self._seen.get(document.id)
        if other is None and stored_source not in (None, document.source):
            other = stored_source if Path(str(stored_source)).exists() else None
        if other is None:
            return None
        return f"the id {document.id!r} already belongs to a document of {other!r}"

    def _flush(self) -> None:
        """Hand over what has come together, once the batch before is committed."""
        self._wait()
        self._committing = self._committer.submit(
            self._commit, self._builder, self._gone, self._read
        )
        self._counts["removed"] += len(self._gone)
        self._builder = self._new_builder()
        self._gone, self._read = [], []

    def _wait(self) -> None:
        if self._committing is not None:
            self._committing.result()

    def _commit(self, builder: SegmentBuilder, gone: list[str], read: list[SourceRow]) -> None:
        batch = builder.finish(self._meter.embedded) if len(builder) else None
        if batch or gone or read:
            self._writer.commit(batch, remove=gone, sources=read)
            self._writer.merge()

    def _new_builder(self) -> SegmentBuilder:
        return SegmentBuilder(self._settings, self._embedder, self._vocabulary)


class _Meter:
    """Tells a `Progress` how far an add has come, and guesses how many chunks there will be."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._files = self._files_total = 0
        self._bytes_total = self._bytes_done = self._chars_open = 0
        self._chunks = self._embedded = 0
        self._stopped = False
        self._lock = Lock()

    def expect(self, files: Sequence[Path]) -> None:
        self._files_total = len(files)
        self._bytes_total = sum(path.stat().st_size for path in files if path.is_file())
        self._tell("files", 0, self._files_total)

    def file_done(self, size: int) -> None:
        self._files += 1
        self._bytes_done += size
        self._chars_open = 0
        self._tell("files", self._files, self._files_total)

    def chunked(self, chunks: int, chars: int) -> None:
        self._chunks += chunks
        self._chars_open += chars
        self._tell("chunks", self._embedded, self._expected())

    def stop(self) -> None:
        """Make the committing thread give up at its next report."""
        self._stopped = True

    def embedded(self, chunks: int) -> None:
        if self._stopped:
            raise CancelledError
        self._embedded += chunks
        self._tell("chunks", self._embedded, self._expected())

    def _expected(self) -> int:
        """Return the chunks to come if the rest of the files is like what was read so far."""
        done = self._bytes_done + self._chars_open
        if not done or self._files == self._files_total:
            return self._chunks
        return max(self._chunks, round(self._chunks * self._bytes_total / done))

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self._progress is not None:
            with self._lock:
                self._progress(stage, done, total)


def _state(path: Path, source: str) -> SourceRow:
    check_file(path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    found = path.stat()
    return SourceRow(source, found.st_size, found.st_mtime_ns, digest)


def _storable(text: str) -> str:
    """Return ``text`` with a sign in place of each lone surrogate, which no file can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
