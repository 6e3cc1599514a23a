"""Write the files of a segment, name it in the catalog, sweep away what is named no more."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bridgerag.store.files import sync_folder
from bridgerag.store.rows import seal_documents
from bridgerag.store.segment import SegmentContent, segment_folder
from bridgerag.store.write_segment import write_segment

__all__ = ["NewSegment", "name_segment", "sweep", "write_files"]


@dataclass(frozen=True, slots=True)
class NewSegment:
    """A segment whose files are written and that no commit names yet.

    Attributes:
        counts: of documents, chunks and abstracts.
        documents: numbers of its documents, by place.
        recipe: the `RECIPE` that its content was made by; 0 for several.
    """

    number: int
    size_bytes: int
    counts: tuple[int, int, int]
    entities: int
    documents: Sequence[int]
    recipe: int


def write_files(
    store: Path, number: int, content: SegmentContent, documents: Sequence[int], recipe: int
) -> NewSegment:
    """Write all files of a new segment, forced to the disk; leave nothing when that fails."""
    folder = segment_folder(store, number)
    try:
        size, entities = write_segment(folder, content)
        sync_folder(folder.parent)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    counts = len(documents), int(content.first_chunk[-1]), len(content.forest)
    return NewSegment(number, size, counts, entities, documents, recipe)


def name_segment(connection: sqlite3.Connection, new: NewSegment) -> None:
    """Enter a segment whose documents are in the catalog already."""
    seal_documents(connection, "segment", new.number)
    chars = connection.execute(
        "SELECT sum(chars) FROM documents WHERE segment = ?", (new.number,)
    ).fetchone()[0]
    connection.execute(
        "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (new.number, *new.counts, new.entities, new.size_bytes, *new.counts, chars, new.recipe),
    )


def sweep(store: Path, connection: sqlite3.Connection) -> list[Path]:
    """Delete segment folders that no commit names; return those that cannot be deleted.

    They are what a merge has replaced, or what a writer left that ended before its commit.
    """
    query = "SELECT number FROM segments"
    named = {segment_folder(store, n).name for (n,) in connection.execute(query)}
    unnamed = [f for f in (store / "segments").iterdir() if f.name not in named]
    for folder in unnamed:
        shutil.rmtree(folder, ignore_errors=True)
    return [folder for folder in unnamed if folder.exists()]
