"""Bring files and documents into a store: what is new, what changed, what can be left alone.

Two threads share the work: one reads and analyses documents, the other embeds and commits the batch
before. At most one batch waits, so memory stays bounded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from types import MappingProxyType

from bridgerag.documents import document_id, load
from bridgerag.entities import Vocabulary
from bridgerag.errors import UnreadableFile
from bridgerag.ingest.changes import look
from bridgerag.ingest.clean import clean, clean_metadata, flaw, storable
from bridgerag.ingest.meter import Meter
from bridgerag.protocols import Embedder, Progress
from bridgerag.settings import Settings
from bridgerag.store import (
    KnownVectors,
    SegmentBuilder,
    SourceRow,
    Sources,
    Writer,
    content_hash,
    dump_json,
    generation,
)
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
        self._committer = ThreadPoolExecutor(1, "bridgerag-commit")
        self._committing: Future[None] | None = None
        self._vocabulary = Vocabulary()
        self._builder = self._new_builder()
        self._meter = Meter(progress)
        self._seen: dict[str, str] = {}
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
        self._meter.expect(files)
        try:
            for path in files:
                self._file(path, metadata, moved)
            for document in documents:
                self._document(document, metadata)
            self._flush()
            self._wait()
            self._remove(removed)
            self._writer.merge(since=before)  # a bulk load ends as one segment
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

    def _file(
        self, path: Path, metadata: Mapping[str, MetadataValue], moved: Mapping[str, str]
    ) -> None:
        """Index one file; documents that it no longer holds are removed with the same commit."""
        source = document_id(path)
        known, old = self._catalog.state(source), moved.get(source)
        given = self._given(metadata, known or (self._catalog.state(old) if old else None))
        try:
            state = replace(look(path, source, known), given=given)
        except UnreadableFile as error:
            self._skipped.append(Skipped(source, error.reason))
            return
        except OSError as error:
            self._skipped.append(Skipped(source, f"cannot be opened: {error.strerror or error}"))
            return
        before = self._catalog.ids_of(source)
        if known and (known.sha256, known.given) == (state.sha256, given):
            self._counts["unchanged"] += len(before)
            if state != known:
                self._read.append(state)
        else:
            before += self._catalog.ids_of(old) if old else ()
            if self._read_file(path, state, before) and old:
                self._forget.append(old)
        self._meter.file_done(state.size_bytes)

    @staticmethod
    def _given(metadata: Mapping[str, MetadataValue], known: SourceRow | None) -> str:
        """Return the metadata of a file's documents as JSON: given now, else given before."""
        return dump_json(dict(metadata)) if metadata or known is None else known.given

    def _read_file(self, path: Path, state: SourceRow, before: Iterable[str]) -> bool:
        """Index what a file holds; return whether that is done with.

        A file that broke off keeps the documents that were not reached, and is read again the next
        time; so is one with a document that could not take its id.
        """
        present: set[str] = set()
        whole, metadata = True, json.loads(state.given)
        for item in load(path):
            if isinstance(item, Skipped):
                self._skipped.append(item)
                whole &= item.row is not None
            else:
                present.add(storable(item.id))
                whole &= self._document(item, metadata)
        if not (whole and present):
            return False
        self._gone += [document_id for document_id in before if document_id not in present]
        self._read.append(state)
        return True

    def _document(self, document: Document, metadata: Mapping[str, MetadataValue]) -> bool:
        """Index a document; return False for one that may be indexed another time."""
        document = clean(document, metadata)
        stored = self._catalog.stored(document.id)
        problem = flaw(document) or self._conflict(document, stored and stored[1])
        if problem is not None:
            self._skipped.append(Skipped(document.source or document.id, problem))
            return False
        self._seen[document.id] = document.source
        if stored and stored == (content_hash(document), document.source):
            self._counts["unchanged"] += 1
            return True
        if self._builder.chunks >= _BATCH_CHUNKS:
            self._flush()
        chunks = self._builder.add(document)
        if not chunks:
            self._skipped.append(Skipped(document.source or document.id, "it holds no text"))
            return True
        self._counts["changed" if stored else "added"] += 1
        self._counts["chunks"] += chunks
        self._meter.chunked(chunks, len(document.text))
        return True

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
