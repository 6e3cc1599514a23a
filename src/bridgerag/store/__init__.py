"""The store: a folder with a SQLite catalog and immutable, memory-mapped segments.

The catalog is the truth: a segment that it does not name does not exist. `FORMAT.md` describes
every file byte by byte.
"""

from bridgerag.store.backup import backup_store
from bridgerag.store.build import SegmentBuilder, content_hash
from bridgerag.store.catalog import address, dump_json, generation
from bridgerag.store.check import check_store
from bridgerag.store.inspect import read_status, read_tree
from bridgerag.store.records import ChunkRow
from bridgerag.store.reembed import reembed
from bridgerag.store.repair import repair_store
from bridgerag.store.segment import Segment
from bridgerag.store.snapshot import LiveSegment, Snapshot
from bridgerag.store.sources import SourceRow, Sources
from bridgerag.store.store import Store
from bridgerag.store.vectors import KnownVectors
from bridgerag.store.where import Where, parse_where
from bridgerag.store.writer import Batch, Writer

__all__ = [
    "Batch",
    "ChunkRow",
    "KnownVectors",
    "LiveSegment",
    "Segment",
    "SegmentBuilder",
    "Snapshot",
    "SourceRow",
    "Sources",
    "Store",
    "Where",
    "Writer",
    "address",
    "backup_store",
    "check_store",
    "content_hash",
    "dump_json",
    "generation",
    "parse_where",
    "read_status",
    "read_tree",
    "reembed",
    "repair_store",
]
