"""Check a store against itself: files, catalog, references, counts, and all that is made of texts.

What is wrong is found without opening the store as a search would, so that a store too damaged for
that can still be checked, and repaired by `repair`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from bridgerag.abstracts import aggregate
from bridgerag.errors import StoreDamaged, StoreError
from bridgerag.settings import Settings
from bridgerag.store.catalog import (
    CATALOG,
    FORMAT,
    SQLITE_ERRORS,
    address,
    connect,
    stored_format,
)
from bridgerag.store.checksum import sealed_meta
from bridgerag.store.merge import Survivor, document_tree, merge
from bridgerag.store.rebuild import analyse
from bridgerag.store.rows import DOCUMENT_SUM, SUMMARY_SUM, read_document
from bridgerag.store.segment import (
    RECIPE,
    Segment,
    SegmentContent,
    expected_files,
    segment_folder,
    verify_segment,
)
from bridgerag.store.store import Store
from bridgerag.types import CheckReport

__all__ = ["Problem", "check_store", "find_problems"]

INDEXES, ORPHANS, SEGMENT, SUMMARIES = "indexes", "orphans", "segment", "summaries"
OUTDATED, NOTHING = "outdated", ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that does not agree; ``repair`` is one of the words above.

    Attributes:
        number: the segment or document to repair.
    """

    text: str
    repair: str = NOTHING
    number: int = 0
    advice: str = "restore a backup, or add the documents again to a new store"

    def __str__(self) -> str:
        does = "adds it" if self.repair == OUTDATED else "rebuilds it"
        advice = f"`bridgerag check --repair` {does}" if self.repair else self.advice
        return f"{self.text}; {advice}"


@dataclass(frozen=True, slots=True)
class _Place:
    """A row of the catalog that says what stands at a place of a segment."""

    number: int
    id: str
    chunks: int
    abstracts: int
    removed: int


def check_store(store: Store, repaired: Sequence[str] = ()) -> CheckReport:
    """Read everything, compare it, and list what does not agree.

    Cost: as much as adding all documents without reading and embedding them.
    """
    counts, files = (0, 0, 0), 1
    try:
        with closing(connect(store.path / CATALOG)) as connection:
            connection.execute("BEGIN")
            found = list(find_problems(store, connection))
            counts = connection.execute(
                "SELECT coalesce(sum(live_documents), 0), coalesce(sum(live_chunks), 0), "
                "coalesce(sum(live_abstracts), 0) FROM segments"
            ).fetchone()
            files = _count_files(store, connection)
    except StoreError as error:
        found = [Problem(str(error))]
    except SQLITE_ERRORS as error:
        found = [Problem(f"{store.path / CATALOG}: {error}")]
    return CheckReport(store.path, files, *counts, tuple(map(str, found)), tuple(repaired))


def _count_files(store: Store, connection: sqlite3.Connection) -> int:
    """Return how many files a check has read: the catalog and those of segments."""
    numbers = connection.execute("SELECT number FROM segments").fetchall()
    format_ = stored_format(connection)
    return 1 + sum(
        len(expected_files(segment_folder(store.path, number), format_)) for (number,) in numbers
    )


def find_problems(store: Store, connection: sqlite3.Connection) -> Iterator[Problem]:
    """Yield what does not agree; ``connection`` is inside a transaction.

    Raises:
        sqlite3.Error: the catalog cannot be read further.
    """
    catalog = store.path / CATALOG
    for (line,) in connection.execute("PRAGMA integrity_check(10)"):
        if line != "ok":
            repair = INDEXES if "index" in line else NOTHING
            yield Problem(f"{catalog}: {line}", repair)
    try:
        sealed_meta(connection)
    except sqlite3.DatabaseError as error:
        yield Problem(f"{catalog}: {error}")
    yield from _catalog_problems(catalog, connection)
    format_ = stored_format(connection)
    if format_ < FORMAT:
        text = f"{catalog}: it has format {format_}, which lacks an index of names"
        yield Problem(f"{text}; format {FORMAT} has one", OUTDATED)
    query = "SELECT number FROM segments ORDER BY number"
    for (number,) in connection.execute(query).fetchall():
        yield from _segment_problems(store, connection, number)


def _catalog_problems(catalog: Path, connection: sqlite3.Connection) -> Iterator[Problem]:
    live = "SELECT number FROM documents WHERE NOT removed"
    for what, query, repair in (
        ("removed documents are altered",
         f"documents WHERE removed AND {DOCUMENT_SUM} != crc", NOTHING),
        ("documents are in no segment",
         "documents WHERE segment NOT IN (SELECT number FROM segments)", NOTHING),
        ("chunks belong to no document", f"chunks WHERE address >> 32 NOT IN ({live})", ORPHANS),
        ("summaries belong to no document",
         f"abstracts WHERE address >> 32 NOT IN ({live})", ORPHANS),
    ):  # fmt: skip
        (count,) = connection.execute(f"SELECT count(*) FROM {query}").fetchone()  # noqa: S608
        if count:
            yield Problem(f"{catalog}: {count} {what}", repair)


def _segment_problems(
    store: Store, connection: sqlite3.Connection, number: int
) -> Iterator[Problem]:
    folder, format_ = segment_folder(store.path, number), stored_format(connection)
    damaged = [
        Problem(_what(problem), SEGMENT, number) for problem in verify_segment(folder, format_)
    ]
    yield from damaged
    places = [
        _Place(*row)
        for row in connection.execute(
            "SELECT number, id, chunks, abstracts, removed FROM documents WHERE segment = ? "
            "ORDER BY place",
            (number,),
        )
    ]
    broken = list(_text_problems(connection, places, store.settings))
    yield from broken
    if damaged:
        return
    try:
        segment = Segment(folder, number, format_)
        segment.check()
    except StoreDamaged as error:
        yield Problem(_what(error), SEGMENT, number)
        return
    disagreements = list(_count_problems(connection, segment, places))
    if not disagreements and not any(problem.repair == NOTHING for problem in broken):
        disagreements = list(_content_problems(connection, segment, places, store.settings))
    yield from (Problem(f"{folder}: {text}", SEGMENT, number) for text in disagreements)


def _text_problems(
    connection: sqlite3.Connection, places: Sequence[_Place], settings: Settings
) -> Iterator[Problem]:
    """Yield documents whose own rows are missing or altered."""
    for place in places:
        if place.removed:
            continue
        try:
            read_document(connection, place.number)
        except (sqlite3.DatabaseError, ValueError) as error:
            advice = "remove that document and add it again"
            yield Problem(f"the text of {place.id!r} is damaged ({error})", advice=advice)
            continue
        count, sound = connection.execute(
            f"SELECT count(*), coalesce(sum({SUMMARY_SUM} = crc), 0) FROM abstracts "  # noqa: S608
            "WHERE address >= ? AND address < ?",
            (address(place.number, 0), address(place.number + 1, 0)),
        ).fetchone()
        if not count == sound == place.abstracts:
            yield Problem(f"summaries of {place.id!r} are damaged", SUMMARIES, place.number)


def _count_problems(
    connection: sqlite3.Connection, segment: Segment, places: Sequence[_Place]
) -> Iterator[str]:
    (*counts,) = connection.execute(
        "SELECT documents, chunks, abstracts, entities, live_documents, live_chunks, "
        "live_abstracts FROM segments WHERE number = ?",
        (segment.number,),
    ).fetchone()
    alive = [place for place in places if not place.removed]
    found = [
        segment.documents, segment.chunks, len(segment.forest), len(segment.entities),
        len(alive), sum(place.chunks for place in alive), sum(p.abstracts for p in alive),
    ]  # fmt: skip
    if found != counts:
        yield f"it has {found}, the catalog says {counts}"
    sizes = [(place.chunks, place.abstracts) for place in places]
    borders = zip(
        np.diff(segment.first_chunk).tolist(), np.diff(segment.first_abstract).tolist(), strict=True
    )
    if list(borders) != sizes:
        yield "its documents are not those of the catalog"
    if any(before.id >= after.id for before, after in pairwise(alive)):
        yield "its documents do not ascend by id"
    if broken := segment.forest.check():
        yield f"its forest is broken: {broken}"


def _content_problems(
    connection: sqlite3.Connection,
    segment: Segment,
    places: Sequence[_Place],
    settings: Settings,
) -> Iterator[str]:
    """Compare what a segment holds of its live documents with what their texts give."""
    query = "SELECT recipe FROM segments WHERE number = ?"
    same_recipe = connection.execute(query, (segment.number,)).fetchone()[0] == RECIPE
    alive = [(i, place.number) for i, place in enumerate(places) if not place.removed]
    if not alive or not same_recipe:
        return
    held = merge([segment], [Survivor(0, i) for i, _ in alive])
    made, _ = analyse(connection, [number for _, number in alive], settings)
    theirs = _payloads(made)
    for name, mine in _payloads(held).items():
        if mine != theirs[name]:
            yield f"its {name} are not what the texts give"
    for i, _ in alive:
        first, last = segment.first_chunk[i : i + 2].tolist()
        rows = segment.vectors[first:last].astype(np.float32)
        above = aggregate(rows, document_tree(segment, i))
        start, end = segment.first_abstract[i : i + 2].tolist()
        if above.astype(np.float16).tobytes() != segment.abstract_vectors[start:end].tobytes():
            yield "its abstracts' vectors are not what the chunks' vectors give"
            return


def _payloads(content: SegmentContent) -> dict[str, bytes]:
    payloads = {
        "trees": content.forest.to_bytes(),
        "entity index": content.entities.to_bytes(),
        "postings": content.lexical.to_bytes(),
        "borders": content.first_abstract.tobytes() + content.first_chunk.tobytes(),
    }
    names = content.names
    if names is not None:
        payloads["names"] = names.to_bytes()
    return payloads


def _what(error: StoreDamaged) -> str:
    return f"{error.path}: {error.problem}"
