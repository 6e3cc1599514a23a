"""Commit segments and removals: files first, forced to the disk, then one transaction."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bridgerag.store.catalog import address, dump_json, generation, refusals, transaction
from bridgerag.store.files import sync_folder
from bridgerag.store.merge import Survivor, merge, worth_merging
from bridgerag.store.segment import Segment, SegmentContent, write_segment
from bridgerag.store.sources import SourceRow
from bridgerag.types import Chunk, Document

__all__ = ["Batch", "Writer"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents that become live together, in ascending order of their ids.

    Attributes:
        chunks: one list a document.
        summaries: one an abstract of ``data``.
    """

    documents: Sequence[Document]
    hashes: Sequence[bytes]
    chunks: Sequence[Sequence[Chunk]]
    summaries: Sequence[str]
    data: SegmentContent


@dataclass(slots=True)
class Writer:
    """Writes one store; made by `Store.writing`, which holds the lock."""

    store: Path
    connection: sqlite3.Connection
    _swept: bool = field(default=False)

    def commit(
        self,
        batch: Batch | None = None,
        remove: Iterable[str] = (),
        sources: Iterable[SourceRow] = (),
        forget: Iterable[str] = (),
    ) -> None:
        """Make ``batch`` live in place of documents with the same ids, all at once.

        Args:
            remove: ids of further documents to remove.
            sources: files that have now been read to their end.
            forget: files whose state is dropped, so that the next add reads them again.
        """
        with refusals(self.store):
            self._commit(batch, remove, sources, forget)

    def _commit(
        self,
        batch: Batch | None,
        remove: Iterable[str],
        sources: Iterable[SourceRow],
        forget: Iterable[str],
    ) -> None:
        self._sweep()
        replaced = [document.id for document in batch.documents] if batch else []
        number = generation(self.connection) + 1
        size = self._write_files(number, batch.data) if batch else 0
        with transaction(self.connection):
            for document_id in (*remove, *replaced):
                self._remove(document_id)
            if batch:
                self._insert(number, size, batch)
            self.connection.executemany(
                "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?)",
                [(s.path, s.size_bytes, s.modified_ns, s.sha256) for s in sources],
            )
            self.connection.executemany(
                "DELETE FROM sources WHERE path = ?", [(path,) for path in forget]
            )
            self._stamp()

    def _sweep(self) -> None:
        """Delete segment folders that no commit names: a writer died between files and commit."""
        if self._swept:
            return
        query = "SELECT number FROM segments"
        named = {segment_folder(self.store, n).name for (n,) in self.connection.execute(query)}
        for folder in (self.store / "segments").iterdir():
            if folder.name not in named:
                shutil.rmtree(folder, ignore_errors=True)
        self._swept = True

    def merge(self, everything: bool = False) -> int:
        """Merge segments where it pays, or all into one; return how many went into the new one.

        Readers go on with the old segments; their files are deleted once none is named any more.
        """
        sizes = self.connection.execute(
            "SELECT s.number, s.chunks - coalesce(sum(d.chunks), 0), s.chunks FROM segments AS s "
            "LEFT JOIN documents AS d ON d.segment = s.number AND d.removed "
            "GROUP BY s.number ORDER BY s.number"
        ).fetchall()
        if everything:
            untouched = len(sizes) == 1 and sizes[0][1] == sizes[0][2]
            chosen = [] if untouched else [number for number, *_ in sizes]
        else:
            chosen = [sizes[i][0] for i in worth_merging([(live, all_) for _, live, all_ in sizes])]
        if chosen:
            self._merge(chosen)
        return len(chosen)

    def compact(self) -> int:
        """Merge everything, and leave nothing of what was removed in any file of the store.

        Returns how many segments went into one.
        """
        merged = self.merge(everything=True)
        self.connection.execute("VACUUM")
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return merged

    def _merge(self, chosen: list[int]) -> None:
        part = {number: i for i, number in enumerate(chosen)}
        marks = ",".join("?" * len(chosen))  # nothing else is put into the statements
        rows = self.connection.execute(
            "SELECT number, segment, place FROM documents "  # noqa: S608
            f"WHERE segment IN ({marks}) AND NOT removed ORDER BY id",
            chosen,
        ).fetchall()
        number, size = generation(self.connection) + 1, 0
        if rows:
            parts = [Segment(segment_folder(self.store, old), old) for old in chosen]
            content = merge(parts, [Survivor(part[old], place) for _, old, place in rows])
            size = self._write_files(number, content)
        with transaction(self.connection):
            for table in ("documents", "segments"):
                column = "removed AND segment" if table == "documents" else "number"
                self.connection.execute(
                    f"DELETE FROM {table} WHERE {column} IN ({marks})",  # noqa: S608
                    chosen,
                )
            if rows:
                self._name_segment(number, size, content)
                self.connection.executemany(
                    "UPDATE documents SET segment = ?, place = ? WHERE number = ?",
                    ((number, place, document) for place, (document, _, _) in enumerate(rows)),
                )
            self._stamp()
        for old in chosen:
            shutil.rmtree(segment_folder(self.store, old), ignore_errors=True)

    def _name_segment(self, number: int, size: int, content: SegmentContent) -> None:
        self.connection.execute(
            "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?)",
            (number, len(content.first_chunk) - 1, int(content.first_chunk[-1]),
             len(content.forest), len(content.entities), size),
        )  # fmt: skip

    def _write_files(self, number: int, content: SegmentContent) -> int:
        folder = segment_folder(self.store, number)
        try:
            size = write_segment(folder, content)
            sync_folder(folder.parent)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return size

    def _remove(self, document_id: str) -> None:
        """Delete a live document's texts and keep its row as a tombstone."""
        row = self.connection.execute(
            "SELECT number FROM documents WHERE id = ? AND NOT removed", (document_id,)
        ).fetchone()
        if row is None:
            return
        own = address(row[0], 0), address(row[0] + 1, 0)
        self.connection.execute("DELETE FROM chunks WHERE address >= ? AND address < ?", own)
        self.connection.execute("DELETE FROM abstracts WHERE address >= ? AND address < ?", own)
        self.connection.execute(
            "UPDATE documents SET removed = 1, title = '', source = '', metadata = '{}', "
            "sha256 = x'', tail = '', id = '' WHERE number = ?",
            row,
        )

    def _insert(self, segment: int, size: int, batch: Batch) -> None:
        self._name_segment(segment, size, batch.data)
        first_abstract = batch.data.first_abstract.tolist()
        for place, (document, digest, chunks) in enumerate(
            zip(batch.documents, batch.hashes, batch.chunks, strict=True)
        ):
            summaries = batch.summaries[first_abstract[place] : first_abstract[place + 1]]
            number = self.connection.execute(
                "INSERT INTO documents (id, title, source, metadata, sha256, chars, chunks, "
                "abstracts, tail, segment, place) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (document.id, document.title, document.source, dump_json(dict(document.metadata)),
                 digest, len(document.text), len(chunks), len(summaries),
                 document.text[chunks[-1].end :], segment, place),
            ).lastrowid  # fmt: skip
            self.connection.executemany(
                "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                _chunk_rows(int(number or 0), document.text, chunks),
            )
            self.connection.executemany(
                "INSERT INTO abstracts VALUES (?, ?)",
                ((address(int(number or 0), j), summary) for j, summary in enumerate(summaries)),
            )

    def _stamp(self) -> None:
        self.connection.execute(
            "UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'generation'"
        )
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES ('last_commit', ?)", (now,))


def segment_folder(store: Path, number: int) -> Path:
    """Return where a segment's files are."""
    return store / "segments" / f"{number:08d}"


def _chunk_rows(document: int, text: str, chunks: Sequence[Chunk]) -> Iterator[tuple[object, ...]]:
    before = 0
    for number, chunk in enumerate(chunks):
        headings = dump_json(chunk.headings) if chunk.headings else None
        yield (
            address(document, number), chunk.start, chunk.tokens, headings, chunk.page, chunk.row,
            _sentences(chunk), text[before : chunk.start], text[chunk.start : chunk.end],
        )  # fmt: skip
        before = chunk.end


def _sentences(chunk: Chunk) -> str | None:
    """Return the borders of a chunk's sentences from its start, or None for a single one."""
    if len(chunk.sentences) == 1:
        return None
    return dump_json([border - chunk.start for span in chunk.sentences for border in span])
