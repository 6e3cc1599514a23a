"""Look at a store as a whole: what it holds, how a document's tree looks."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from bridgerag.errors import StoreDamaged
from bridgerag.store.catalog import address, dump_json
from bridgerag.store.rows import untouched
from bridgerag.store.snapshot import LiveSegment, Snapshot
from bridgerag.store.store import Store
from bridgerag.types import Status, TreeNode

__all__ = ["read_status", "read_tree"]


def read_status(store: Store) -> Status:
    """Return counts, sizes, model and the time of the last commit. Tombstones do not count."""
    with store.reading() as snapshot:
        one = snapshot.catalogs[0].query_one
        total = "SELECT coalesce(sum({}), 0) FROM segments"
        return Status(
            store=store.path,
            format=int(store.meta["format"]),
            embedding=store.meta["embedding_name"],
            dim=int(store.meta["embedding_dim"]),
            documents=snapshot.documents,
            chunks=snapshot.chunks,
            abstracts=one(total.format("live_abstracts")),
            entities=one(total.format("entities")),
            segments=len(snapshot.segments),
            text_chars=one(total.format("live_chars")),
            size_bytes=_size(store.path),
            last_commit=store.meta.get("last_commit"),
            settings=asdict(store.settings),
            content_hash=_content_hash(snapshot, store.meta["settings"]),
        )


def _content_hash(snapshot: Snapshot, settings: str) -> str:
    """Return a SHA-256 over the settings and all live documents, however they are cut up.

    Over the settings as JSON, then, by ascending id, each document's id as JSON and its content
    hash in hexadecimal; a line each.
    """
    digest = hashlib.sha256(settings.encode())
    count = 0
    for document_id, content in snapshot.catalogs[0].content_hashes():
        digest.update(f"\n{dump_json(document_id)}\n{content.hex()}".encode())
        count += 1
    untouched(count == snapshot.documents, "the number of documents")
    return digest.hexdigest()


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


def _size(folder: Path) -> int:
    """Return the bytes in all files; what a writer deletes meanwhile does not count."""
    size = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                size += (Path(root) / name).stat().st_size
    return size
