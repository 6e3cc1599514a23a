"""The store: a folder with a SQLite catalog and immutable, memory-mapped segments.

The catalog is the truth: a segment that it does not name does not exist. `FORMAT.md` describes
every file byte by byte. What only writing and care need is imported from its own module (`writer`,
`build`, `check`, `repair`, `reembed`, `backup`), so that a search does not wait for it.
"""

from bridgerag.store.catalog import address, dump_json, generation
from bridgerag.store.inspect import read_status, read_tree
from bridgerag.store.records import ChunkRow
from bridgerag.store.segment import Segment
from bridgerag.store.snapshot import LiveSegment, Snapshot
from bridgerag.store.sources import SourceRow, Sources
from bridgerag.store.store import Store
from bridgerag.store.vectors import KnownVectors
from bridgerag.store.where import Where, parse_where

__all__ = [
    "ChunkRow",
    "KnownVectors",
    "LiveSegment",
    "Segment",
    "Snapshot",
    "SourceRow",
    "Sources",
    "Store",
    "Where",
    "address",
    "dump_json",
    "generation",
    "parse_where",
    "read_status",
    "read_tree",
]
