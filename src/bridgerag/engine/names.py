"""Which documents a name means: an id, a source, a path, or a pattern."""

from __future__ import annotations

import re
from pathlib import Path

from bridgerag.documents import document_id
from bridgerag.errors import DocumentNotFound
from bridgerag.ingest import storable
from bridgerag.store import LiveSegment, Snapshot
from bridgerag.types import DocumentRef

__all__ = ["matching", "placed"]

_LONGEST_PATTERN = 10_000  # SQLite takes five times as much; the working folder goes before it


def _named(snapshot: Snapshot, name: str) -> list[DocumentRef]:
    """Return the documents that an id, a source or a path means."""
    if not name:  # as a source it would mean every document that came from no file
        raise DocumentNotFound(name, snapshot.documents)
    return snapshot.named(storable(name), document_id(Path(name)))


def matching(snapshot: Snapshot, name: str) -> list[DocumentRef]:
    """Return the documents that an id, a source, a path or a pattern means."""
    try:
        return _named(snapshot, name)
    except DocumentNotFound:
        # SQLite reads a pattern up to a NUL, and an empty one matches every empty source.
        if not re.search(r"[*?[]", name) or "\0" in name or len(name) > _LONGEST_PATTERN:
            raise
        here = re.sub(r"[*?[]", r"[\g<0>]", document_id(Path()))  # its own stars are no pattern
        found = snapshot.like(storable(name), document_id(Path(here, name)))
        if not found:
            raise
        return found


def placed(snapshot: Snapshot, name: str) -> tuple[LiveSegment, int]:
    """Return segment and place of the first document that ``name`` means."""
    found = snapshot.find(_named(snapshot, name)[0].id)
    if found is None:
        raise DocumentNotFound(name, snapshot.documents)
    return found
