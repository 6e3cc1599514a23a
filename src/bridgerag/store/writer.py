"""Commit segments and removals: each is one transaction.

The files of a segment are forced to the disk before it ends; those of a batch are written beside
it. What is left behind where a commit fails, or its process ends, no commit names, and the next
writer deletes it.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from bridgerag._native import NameIndex
from bridgerag.errors import StoreError
from bridgerag.store.catalog import (
    CATALOG,
    dump_json,
    generation,
    refusals,
    stored_format,
    transaction,
)
from bridgerag.store.checksum import seal
from bridgerag.store.merge import Survivor, merge, within, worth_merging
from bridgerag.store.naming import NewSegment, name_segment, sweep, write_files
from bridgerag.store.rows import (
    DOCUMENT_SUM,
    RowBlocks,
    chunk_rows,
    remove_document,
    summary_rows,
    untouched,
)
from bridgerag.store.segment import RECIPE, Segment, SegmentContent, numbered, segment_folder
from bridgerag.store.sources import SourceRow
from bridgerag.types import Chunk, Document

__all__ = ["Batch", "Writer"]

_READERS_MS = 2_000  # a compaction waits so long for searches that are under way
_MERGED = np.dtype([("number", "i8"), ("segment", "i8"), ("place", "i8"), ("sound", "?")])


@dataclass(frozen=True, slots=True)
class Batch:
    """Documents that become live together, in ascending order of their ids.

    Attributes:
        chunks: one sequence a document.
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
        sweep(self.store, self.connection)
        replaced = [document.id for document in batch.documents] if batch else []
        number = generation(self.connection) + 1
        with ThreadPoolExecutor(1, "bridgerag-files") as beside, transaction(self.connection):
            new = beside.submit(self._write_batch, number, batch) if batch else None
            for document_id in (*remove, *replaced):
                remove_document(self.connection, document_id)
            if batch and new:
                self._insert(number, batch)
                name_segment(self.connection, new.result())  # its files are on the disk now
            self.connection.executemany(
                "INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?)",
                [astuple(row) for row in sources],
            )
            self.connection.executemany(
                "DELETE FROM sources WHERE path = ?", [(path,) for path in forget]
            )
            self._stamp()

    def merge(self, everything: bool = False, since: int | None = None) -> int:
        """Merge segments where it pays; return how many went into the new one.

        Args:
            everything: merge all segments into one.
            since: merge those that were committed after this generation into one.

        Readers go on with the old segments; their files are deleted once none is named any more.
        """
        with refusals(self.store):
            sweep(self.store, self.connection)
            return self._merge(self._to_merge(everything, since))

    def _to_merge(self, everything: bool, since: int | None) -> list[int]:
        """Return the numbers of the segments to merge."""
        query = "SELECT number, live_chunks, chunks FROM segments ORDER BY number"
        sizes = self.connection.execute(query).fetchall()
        if everything:
            done = len(sizes) == 1 and sizes[0][1] == sizes[0][2]
            return [] if done else [number for number, *_ in sizes]
        if since is not None:
            recent = [number for number, *_ in sizes if number > since]
            return recent if len(recent) > 1 else []
        return [sizes[i][0] for i in worth_merging([(live, all_) for _, live, all_ in sizes])]

    def _in_groups(self, chosen: list[int]) -> list[list[int]]:
        """Return numbers by which become one segment: all, unless that would be too large.

        One that is alone and wholly alive stays as it is.
        """
        query = "SELECT number, live_chunks, chunks FROM segments"
        chunks = {number: (live, all_) for number, live, all_ in self.connection.execute(query)}
        alive = {number for number, (live, _) in chunks.items() if live}
        whole = {number for number, (live, all_) in chunks.items() if live == all_}
        sizes = [numbered(segment_folder(self.store, n)) if n in alive else 0 for n in chosen]
        groups = [[chosen[i] for i in group] for group in within(NameIndex.most_numbered, sizes)]
        return [group for group in groups if len(group) > 1 or group[0] not in whole]

    def compact(self) -> int:
        """Merge everything, and leave nothing of what was removed in any file of the store.

        Returns how many segments went into one.

        Raises:
            StoreError: something still holds what was removed; the message says what.
        """
        merged = self.merge(everything=True)
        with refusals(self.store):
            self.connection.execute("VACUUM")
            self.connection.execute(f"PRAGMA busy_timeout = {_READERS_MS}")
            log = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            held = [
                *sweep(self.store, self.connection),
                *([self.store / CATALOG] if log[0] else []),
            ]
        if held:
            raise StoreError(
                self.store,
                f"{held[0]} may still hold what was removed, because another program uses it; "
                "compact again when that has ended",
            )
        return merged

    def _merge(self, chosen: list[int]) -> int:
        groups = self._in_groups(chosen)
        for group in groups:
            self._merge_group(group)
        return sum(map(len, groups))

    def _merge_group(self, chosen: list[int]) -> None:
        part = {number: i for i, number in enumerate(chosen)}
        marks = ",".join("?" * len(chosen))  # nothing else is put into the statements
        rows = self.connection.execute(
            f"SELECT number, segment, place, {DOCUMENT_SUM} = crc FROM documents "  # noqa: S608
            f"WHERE segment IN ({marks}) AND NOT removed ORDER BY id",
            chosen,
        )
        documents = np.fromiter(rows, _MERGED)  # as arrays: there may be millions
        new: list[NewSegment] = []
        if len(documents):
            format_ = stored_format(self.connection)
            parts = [
                Segment(segment_folder(self.store, old), old, format_, searched=False)
                for old in chosen
            ]
            for old in parts:
                old.check()  # damage must not be copied under a new checksum
            untouched(bool(documents["sound"].all()), "a document")
            survivors = (
                Survivor(part[old], place)
                for old, place in zip(documents["segment"], documents["place"], strict=True)
            )
            content = merge(parts, survivors)
            recipe = self.connection.execute(
                "SELECT CASE WHEN min(recipe) = max(recipe) THEN min(recipe) ELSE 0 END "  # noqa: S608
                f"FROM segments WHERE number IN ({marks})",
                chosen,
            ).fetchone()[0]
            new.append(self.write(content, array("q", documents["number"]), recipe=recipe))
        self._replace(chosen, new, {})

    def write(
        self,
        content: SegmentContent,
        documents: Sequence[int],
        recipe: int = RECIPE,
        ahead: int = 0,
    ) -> NewSegment:
        """Write the files of a segment that `replace` will name.

        Args:
            documents: the numbers of its documents, by place.
            recipe: as in `NewSegment`.
            ahead: how many other segments will become live in the same commit before this one.
        """
        number = generation(self.connection) + 1 + ahead
        return write_files(self.store, number, content, documents, recipe)

    def replace(
        self, old: Sequence[int], new: Sequence[NewSegment], entries: Mapping[str, str]
    ) -> None:
        """Make ``new`` segments live in place of ``old`` ones, which hold the same live documents.

        Args:
            entries: what changes with it in the store's settings.
        """
        with refusals(self.store):
            self._replace(old, new, entries)

    def _replace(
        self, old: Sequence[int], new: Sequence[NewSegment], entries: Mapping[str, str]
    ) -> None:
        with transaction(self.connection):
            for number in old:
                self.connection.execute(
                    "DELETE FROM documents WHERE removed AND segment = ?", (number,)
                )
                self.connection.execute("DELETE FROM segments WHERE number = ?", (number,))
            for segment in new:
                self.connection.executemany(
                    "UPDATE documents SET segment = ?, place = ? WHERE number = ?",
                    ((segment.number, i, number) for i, number in enumerate(segment.documents)),
                )
                name_segment(self.connection, segment)
            self.connection.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", entries.items()
            )
            self._stamp(commits=max(1, len(new)))
        sweep(self.store, self.connection)

    def _write_batch(self, number: int, batch: Batch) -> NewSegment:
        return write_files(self.store, number, batch.data, range(len(batch.documents)), RECIPE)

    def _insert(self, segment: int, batch: Batch) -> None:
        """Enter documents that stand in the segment with that number."""
        first_abstract = batch.data.first_abstract.tolist()
        chunk_table = RowBlocks(self.connection, "chunks", 10)
        summary_table = RowBlocks(self.connection, "abstracts", 3)
        for place, (document, digest, chunks) in enumerate(
            zip(batch.documents, batch.hashes, batch.chunks, strict=True)
        ):
            summaries = list(batch.summaries[first_abstract[place] : first_abstract[place + 1]])
            number = self.connection.execute(
                "INSERT INTO documents (id, title, source, metadata, sha256, chars, chunks, "
                "abstracts, tail, segment, place) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (document.id, document.title, document.source, dump_json(dict(document.metadata)),
                 digest, len(document.text), len(chunks), len(summaries),
                 document.text[chunks[-1].end :], segment, place),
            ).lastrowid  # fmt: skip
            for rows in chunk_rows(int(number or 0), document.text, chunks):
                chunk_table.add(rows)
            summary_table.add(summary_rows(int(number or 0), summaries))
        chunk_table.flush()
        summary_table.flush()

    def _stamp(self, commits: int = 1) -> None:
        self.connection.execute(
            "UPDATE meta SET value = CAST(value AS INTEGER) + ? WHERE key = 'generation'",
            (commits,),
        )
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES ('last_commit', ?)", (now,))
        seal(self.connection)
