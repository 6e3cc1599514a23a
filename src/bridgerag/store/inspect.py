"""Look at a store as a whole: what it holds, how a document's tree looks, whether all is sound."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np

from bridgerag.errors import StoreDamaged, StoreError
from bridgerag.store.catalog import address
from bridgerag.store.segment import verify_segment
from bridgerag.store.snapshot import LiveSegment
from bridgerag.store.store import Store
from bridgerag.store.writer import segment_folder
from bridgerag.types import CheckReport, Status, TreeNode

__all__ = ["check_store", "read_status", "read_tree"]


def read_status(store: Store) -> Status:
    """Return counts, sizes, model and the time of the last commit. Tombstones do not count."""
    with store.reading() as snapshot:
        one = snapshot.catalogs[0].query_one
        abstracts = one("SELECT coalesce(sum(abstracts), 0) FROM documents WHERE NOT removed")
        chars = one("SELECT coalesce(sum(chars), 0) FROM documents WHERE NOT removed")
        last = one("SELECT max(value) FROM meta WHERE key = 'last_commit'")
        return Status(
            store=store.path,
            format=int(store.meta["format"]),
            embedding=store.meta["embedding_name"],
            dim=int(store.meta["embedding_dim"]),
            documents=snapshot.documents,
            chunks=snapshot.chunks,
            abstracts=abstracts,
            entities=sum(len(live.segment.entities) for live in snapshot.segments),
            segments=len(snapshot.segments),
            text_chars=chars,
            size_bytes=sum(map(_size, store.path.rglob("*"))),
            last_commit=last,
            settings=asdict(store.settings),
        )


def read_tree(live: LiveSegment, place: int) -> TreeNode:
    """Return the tree of one document; chunk numbers count from the document's start."""
    segment, forest = live.segment, live.segment.forest
    if broken := forest.check():
        raise StoreDamaged(segment.folder / "forest.bin", broken)
    first, last = segment.first_abstract[place : place + 2].tolist()
    base = int(segment.first_chunk[place])
    document, _ = live.document(place)
    addresses = [address(document, number) for number in range(last - first)]
    summaries = live.records.summaries(addresses)
    nodes: dict[int, TreeNode] = {}
    for number in range(first, last):  # children come before their parents
        child, count = int(forest.first_child[number]), int(forest.child_count[number])
        nodes[number] = TreeNode(
            id=live.first_abstract_id + number,
            level=int(forest.level[number]),
            summary=summaries[addresses[number - first]],
            first=int(forest.first_chunk[number]) - base,
            count=int(forest.chunk_count[number]),
            children=tuple(nodes[i] for i in range(child, child + count)),
        )
    return nodes[last - 1]


def _size(path: Path) -> int:
    """Return the bytes in a file; 0 for a folder, and for what a writer has just deleted."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def check_store(store: Store) -> CheckReport:
    """Read every file whole and compare files, catalog and forest; list what does not agree."""
    problems: list[str] = []
    files = documents = chunks = abstracts = 0
    try:
        with store.reading() as snapshot:
            documents, chunks = snapshot.documents, snapshot.chunks
            problem = snapshot.catalogs[0].query_one("PRAGMA quick_check(1)")
            if problem != "ok":
                problems.append(f"catalog.sqlite: {problem}")
            for live in snapshot.segments:
                folder = segment_folder(store.path, live.segment.number)
                files += sum(1 for _ in folder.iterdir())
                abstracts += len(live.segment.forest)
                problems += [str(problem) for problem in verify_segment(folder)]
                problems += [f"{folder}: {found}" for found in _segment_problems(live)]
    except StoreError as error:
        problems.append(str(error))
    return CheckReport(store.path, files + 1, documents, chunks, abstracts, tuple(problems))


def _segment_problems(live: LiveSegment) -> Iterator[str]:
    segment = live.segment
    broken = segment.forest.check()
    if broken:
        yield f"the forest is broken: {broken}"
    roots = segment.first_abstract[1:] - 1
    if not np.array_equal(segment.forest.first_chunk[roots], segment.first_chunk[:-1]):
        yield "the roots of its trees do not start where its documents start"
    try:
        _, _, abstracts = segment.entities.entries()
    except ValueError as error:
        yield f"the entity index is broken: {error}"
    else:
        if len(abstracts) and int(abstracts.max()) >= len(segment.forest):
            yield "the entity index names abstracts that do not exist"
    alive = np.ones(segment.documents, bool) if live.alive is None else live.alive
    for table, borders in (("chunks", segment.first_chunk), ("abstracts", segment.first_abstract)):
        expected = int(np.diff(borders.astype(np.int64))[alive].sum())
        found = live.records.query_one(
            f"SELECT count(*) FROM {table} JOIN documents ON number = address >> 32 "  # noqa: S608
            "WHERE segment = ?",
            segment.number,
        )
        if found != expected:
            yield f"the catalog has {found} {table}, its files {expected}"
