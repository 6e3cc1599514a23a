"""Repair what can be made again from the catalog's texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from bridgerag.abstracts import aggregate
from bridgerag.errors import StoreDamaged
from bridgerag.protocols import Embedder
from bridgerag.settings import Settings
from bridgerag.store.catalog import FORMAT, address, refusals, stored_format, transaction
from bridgerag.store.check import INDEXES, ORPHANS, OUTDATED, SEGMENT, SUMMARIES, find_problems
from bridgerag.store.files import map_file
from bridgerag.store.merge import Survivor, document_tree, merge
from bridgerag.store.naming import sweep
from bridgerag.store.rebuild import analyse, with_vectors
from bridgerag.store.rows import RowBlocks, summary_rows
from bridgerag.store.segment import FILES, Rows, Segment, SegmentContent, segment_folder
from bridgerag.store.store import Store
from bridgerag.store.writer import Writer

__all__ = ["repair_store"]


def repair_store(store: Store, writer: Writer, embedder: Callable[[], Embedder]) -> list[str]:
    """Repair what `find_problems` finds and can be repaired; return what was done, in words.

    A segment is written anew, byte for byte as it was unless documents were removed from it, and
    then without them. Its vectors are kept if they are sound, else embedded again.

    Args:
        embedder: gives the store's model when it is needed.
    """
    done: list[str] = []
    connection = writer.connection
    with refusals(store.path):
        connection.execute("BEGIN")
        try:
            found = {
                (problem.repair, problem.number) for problem in find_problems(store, connection)
            }
        finally:
            connection.execute("ROLLBACK")
        if (INDEXES, 0) in found:
            connection.execute("REINDEX")
            done.append("made the catalog's indexes anew")
        if (ORPHANS, 0) in found:
            _drop_orphans(connection)
            done.append("deleted rows that belonged to no document")
        for repair, number in sorted(found):
            try:
                if repair == SUMMARIES:
                    _write_summaries(writer, store.settings, number)
                    done.append(f"wrote the summaries of document {number} anew")
                elif repair == SEGMENT:
                    _write_segment(writer, store.settings, number, embedder)
                    done.append(f"rebuilt segment {number}")
            except sqlite3.DatabaseError:  # its texts are damaged: the next check says so
                continue
        if (OUTDATED, 0) in found:
            done += _upgrade(writer, store.settings)
        sweep(store.path, connection)
    return done


def _drop_orphans(connection: sqlite3.Connection) -> None:
    live = "SELECT number FROM documents WHERE NOT removed"
    with transaction(connection):
        for table in ("chunks", "abstracts"):
            connection.execute(
                f"DELETE FROM {table} WHERE address >> 32 NOT IN ({live})"  # noqa: S608 - fixed
            )


def _write_summaries(writer: Writer, settings: Settings, document: int) -> None:
    _, summaries = analyse(writer.connection, [document], settings)
    with transaction(writer.connection):
        own = address(document, 0), address(document + 1, 0)
        writer.connection.execute("DELETE FROM abstracts WHERE address >= ? AND address < ?", own)
        table = RowBlocks(writer.connection, "abstracts", 3)
        table.add(summary_rows(document, summaries))
        table.flush()


def _write_segment(
    writer: Writer, settings: Settings, number: int, embedder: Callable[[], Embedder]
) -> None:
    rows = writer.connection.execute(
        "SELECT number, place, chunks, removed FROM documents WHERE segment = ? ORDER BY place",
        (number,),
    ).fetchall()
    starts = np.cumsum([0, *(chunks for _, _, chunks, _ in rows)])
    alive = [
        (document, int(starts[i]), int(starts[i + 1]))
        for i, (document, _, _, removed) in enumerate(rows)
        if not removed
    ]
    new = []
    if alive:
        numbers = [document for document, *_ in alive]
        content, _ = analyse(writer.connection, numbers, settings)
        vectors = _sound_vectors(writer, number, int(starts[-1]))
        if vectors is None:
            content = with_vectors(content, writer.connection, numbers, embedder())
        else:
            content = _with_old(content, vectors, [span for _, *span in alive])
        new.append(writer.write(content, numbers))
    writer.replace([number], new, {})


def _upgrade(writer: Writer, settings: Settings) -> list[str]:
    """Give every segment an index of names, and the store the newest format once all have one."""
    query = "SELECT number, recipe FROM segments ORDER BY number"
    old = stored_format(writer.connection)
    done: list[str] = []
    damaged = False
    for number, recipe in writer.connection.execute(query).fetchall():
        try:
            segment = Segment(segment_folder(writer.store, number), number, old)
            if segment.names_if_any is None:
                _add_names(writer, settings, segment, recipe)
                done.append(f"added the names of segment {number}")
        except (sqlite3.DatabaseError, StoreDamaged):  # the next check says so
            damaged = True
    if damaged:
        return done
    writer.replace([], [], {"format": str(FORMAT)})
    return [f"raised the format of the store from {old} to {FORMAT}"]


def _add_names(writer: Writer, settings: Settings, segment: Segment, recipe: int) -> None:
    """Write a segment anew with all that it holds of its live documents, and their names."""
    segment.check()
    rows = writer.connection.execute(
        "SELECT number, place FROM documents WHERE segment = ? AND NOT removed ORDER BY place",
        (segment.number,),
    ).fetchall()
    new = []
    if rows:
        numbers = [document for document, _ in rows]
        made, _ = analyse(writer.connection, numbers, settings)
        held = merge([segment], [Survivor(0, place) for _, place in rows])
        new.append(writer.write(replace(held, make_names=made.make_names), numbers, recipe))
    writer.replace([segment.number], new, {})


def _sound_vectors(writer: Writer, number: int, chunks: int) -> Rows | None:
    """Return the vectors of a segment, if their file is as it was written."""
    name = "vectors.bin"
    try:
        file = map_file(segment_folder(writer.store, number) / name, FILES[name])
        file.check()
    except StoreDamaged:
        return None
    if file.rows != chunks or file.rows * file.width * 2 != len(file.payload):
        return None
    return np.frombuffer(file.payload, "<f2").reshape(file.rows, file.width)


def _with_old(
    content: SegmentContent, vectors: Rows, spans: Sequence[Sequence[int]]
) -> SegmentContent:
    """Return ``content`` with vectors that are kept; ``spans`` are its documents' rows."""

    def above() -> Iterator[Rows]:
        for place, (first, last) in enumerate(spans):
            tree = document_tree(content, place)
            yield aggregate(vectors[first:last].astype(np.float32), tree).astype(np.float16)

    return replace(
        content,
        dim=vectors.shape[1],
        vectors=(vectors[first:last] for first, last in spans),
        abstract_vectors=above(),
    )
