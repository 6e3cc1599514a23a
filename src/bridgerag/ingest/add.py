"""Bring files and documents into a store: what is new, what changed, what can be left alone.

Several threads share the work: one reads documents, some analyse them, one embeds and commits the
batch before. What is read ahead is bounded and at most one batch waits, so memory is bounded too.
Whatever is decided is decided in the order of reading: the store does not depend on the threads.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sized
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter
from types import MappingProxyType

from bridgerag.embedding.minilm import usable_cores
from bridgerag.entities import Vocabulary
from bridgerag.ingest.clean import clean, clean_metadata, flaw, storable
from bridgerag.ingest.in_order import InOrder
from bridgerag.ingest.meter import Meter
from bridgerag.ingest.reading import FileToRead, reading
from bridgerag.protocols import Embedder, Progress
from bridgerag.settings import Settings
from bridgerag.store import (
    KnownVectors,
    SourceRow,
    Sources,
    generation,
)
from bridgerag.store.build import Prepared, SegmentBuilder, content_hash
from bridgerag.store.writer import Writer
from bridgerag.types import AddReport, Document, MetadataValue, Skipped

__all__ = ["Ingest"]

_NONE: Mapping[str, str] = MappingProxyType({})
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
        self._filled = catalog.any()  # what this add brings in, `_seen` knows
        self._committer = ThreadPoolExecutor(1, "bridgerag-commit")
        self._committing: Future[None] | None = None
        self._vocabulary = Vocabulary()
        self._builder = self._new_builder()
        self._analysing = InOrder(self._new_builder().prepare, usable_cores())
        self._meter = Meter(progress)
        self._seen: dict[str, str] = {}
        self._source = ""  # of the document before
        self._leaving: set[str] = set()
        self._gone: list[str] = []
        self._read: list[SourceRow] = []
        self._forget: list[str] = []
        self._skipped: list[Skipped] = []
        self._counts = dict.fromkeys(("added", "changed", "unchanged", "removed", "chunks"), 0)

    def run(
        self,
        found: Iterable[Path | Skipped],
        documents: Iterable[Document],
        metadata: Mapping[str, MetadataValue],
        moved: Mapping[str, str] = _NONE,
        removed: Iterable[str] = (),
    ) -> AddReport:
        """Index everything given, commit it, and say what was done.

        Args:
            found: files, and what was skipped on the way to them.
            moved: where a file was before, by its path now; its old documents go when it is in.
            removed: files whose documents are removed in the end.
        """
        start, before = perf_counter(), generation(self._writer.connection)
        metadata, removed = clean_metadata(metadata), tuple(removed)
        self._leaving = {*moved.values(), *removed}
        files: list[Path] = []
        for item in found:
            self._skipped.append(item) if isinstance(item, Skipped) else files.append(item)
        self._meter.expect(files, len(documents) if isinstance(documents, Sized) else None)
        try:
            with reading(files, usable_cores()) as read:
                for file in read.files(self._catalog, metadata, moved):
                    self._file(file)
            for document in documents:
                self._analysing.then(self._meter.document_begun)
                self._document(document, metadata)
                self._analysing.then(self._meter.document_done)
            self._analysing.drain()
            self._flush()
            self._wait()
            self._remove(removed)
            self._writer.merge(since=before)  # a bulk load ends as one segment
        except BaseException:
            self._meter.stop()
            raise
        finally:
            self._analysing.stop()
            self._committer.shutdown()
        return AddReport(
            **self._counts,
            skipped=tuple(self._skipped),
            seconds=perf_counter() - start,
            store=self._writer.store,
        )

    def _file(self, file: FileToRead | Skipped) -> None:
        """Index one file; documents that it no longer holds are removed with the same commit."""
        if isinstance(file, Skipped):
            self._skip(file)
            self._analysing.then(self._meter.file_done)
            return
        self._analysing.then(partial(self._meter.file_begun, file.path, file.state.size_bytes))
        if file.changed:
            self._read_file(file)
        else:
            self._counts["unchanged"] += len(file.before)
            self._analysing.then(self._meter.unchanged)
            if file.state != file.known:
                self._analysing.then(partial(self._read.append, file.state))
        self._analysing.then(self._meter.file_done)

    def _read_file(self, file: FileToRead) -> None:
        """Index what a file holds, and note that this is done once it is.

        A file that broke off keeps the documents that were not reached, and is read again the next
        time; so is one with a document that could not take its id.
        """
        gone = dict.fromkeys(file.before)
        whole, some, metadata = True, False, json.loads(file.state.given)
        for item in file.items():
            if isinstance(item, Skipped):
                self._skip(item)
                whole &= item.row is not None
            else:
                gone.pop(storable(item.id), None)
                some = True
                whole &= self._document(item, metadata)
        if whole and some:
            self._analysing.then(partial(self._file_read, file.state, gone, file.old))

    def _file_read(self, state: SourceRow, gone: Iterable[str], old: str | None) -> None:
        self._gone += gone
        self._read.append(state)
        if old:
            self._forget.append(old)

    def _document(self, document: Document, metadata: Mapping[str, MetadataValue]) -> bool:
        """Have a document indexed; return False for one that may be indexed another time."""
        document = clean(document, metadata)
        stored = self._catalog.stored(document.id) if self._filled else None
        problem = flaw(document) or self._conflict(document, stored and stored[1])
        if problem is not None:
            self._skip(Skipped(document.source or document.id, problem))
            return False
        if document.source != self._source:
            self._source = document.source
        self._seen[document.id] = self._source  # one string for the many of one file
        if stored and stored == (content_hash(document), document.source):
            self._counts["unchanged"] += 1
            self._analysing.then(partial(self._meter.unchanged, len(document.text)))
            return True
        outcome = "changed" if stored else "added"
        then = partial(self._prepared, document, outcome)
        self._analysing.give(document, len(document.text), then)
        return True

    def _prepared(self, document: Document, outcome: str, prepared: Prepared | None) -> None:
        """Take in a document that has been analysed."""
        if prepared is None:
            reason = "it holds no text"
            self._skipped.append(Skipped(document.source or document.id, reason))
            return
        if self._builder.chunks >= _BATCH_CHUNKS:
            self._flush()
        self._builder.add(prepared)
        self._counts[outcome] += 1
        self._counts["chunks"] += len(prepared.chunks)
        self._meter.chunked(len(prepared.chunks), len(document.text))

    def _skip(self, skipped: Skipped) -> None:
        self._analysing.then(partial(self._skipped.append, skipped))

    def _conflict(self, document: Document, stored_source: str | None) -> str | None:
        """Return why a document cannot take its id, or None."""
        other = self._seen.get(document.id)
        free = stored_source in (None, document.source) or stored_source in self._leaving
        if other is None and not free:
            other = stored_source if Path(str(stored_source)).exists() else None
        if other is None:
            return None
        return f"the id {document.id!r} already belongs to a document of {other!r}"

    def _flush(self) -> None:
        """Hand over what has come together, once the batch before is committed."""
        self._wait()
        self._committing = self._committer.submit(
            self._commit, self._builder, self._gone, self._read, self._forget
        )
        self._counts["removed"] += len(self._gone)
        self._builder = self._new_builder()
        self._gone, self._read, self._forget = [], [], []

    def _wait(self) -> None:
        if self._committing is not None:
            self._committing.result()

    def _commit(
        self, builder: SegmentBuilder, gone: list[str], read: list[SourceRow], forget: list[str]
    ) -> None:
        batch = None
        if len(builder):
            known = KnownVectors(self._writer.store, self._writer.connection)
            batch = builder.finish(self._meter.embedded, known)
        if batch or gone or read or forget:
            self._writer.commit(batch, remove=gone, sources=read, forget=forget)
            self._writer.merge()

    def _remove(self, sources: Iterable[str]) -> None:
        """Remove the documents that some files still have, and forget the files."""
        self._forget = list(sources)
        self._gone = [
            document_id for source in self._forget for document_id in self._catalog.ids_of(source)
        ]
        self._flush()
        self._wait()

    def _new_builder(self) -> SegmentBuilder:
        return SegmentBuilder(self._settings, self._embedder, self._vocabulary)
