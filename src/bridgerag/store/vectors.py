"""What is embedded of a chunk, and whether the store holds its vector already.

A vector depends on its text alone, and is kept as it was rounded: one that is taken from a segment
is the one that embedding again would give. So a file that was moved costs no embedding, and a file
that was changed only that of the chunks that are new.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bridgerag.errors import StoreDamaged
from bridgerag.protocols import Embedder
from bridgerag.store.catalog import address, refusals, stored_format
from bridgerag.store.segment import Rows, Segment, segment_folder

__all__ = ["KnownVectors", "embed_new", "indexed_text"]


def indexed_text(title: str, headings: Sequence[str], text: str) -> str:
    """Return what is embedded for a chunk: title, headings and text, a line each, none twice."""
    above = dict.fromkeys((title, *headings))
    return "\n".join([*(line for line in above if line and not text.startswith(line)), text])


def embed_new(
    embedder: Embedder,
    texts: Sequence[str],
    known: Mapping[str, Rows],
    on_embedded: Callable[[int], None] | None,
) -> Rows:
    """Return the vectors of ``texts``, shape ``(len(texts), dim)``; only unknown ones are embedded.

    Args:
        known: vectors by text, each of shape ``(dim,)``.
        on_embedded: told how many texts were finished since its last call, known ones included.
    """
    new = [text for text in dict.fromkeys(texts) if text not in known]
    if on_embedded is not None and len(new) < len(texts):
        on_embedded(len(texts) - len(new))
    fresh = embedder.embed(new, on_embedded).astype(np.float16) if new else ()
    if len(new) == len(texts):
        return np.asarray(fresh)
    vectors = {**known, **dict(zip(new, fresh, strict=True))}
    return np.stack([vectors[text] for text in texts])


@dataclass(frozen=True, slots=True)
class KnownVectors:
    """Finds vectors in the segments of a store, for its writer."""

    store: Path
    connection: sqlite3.Connection

    def of(self, documents: Iterable[tuple[str, bytes]]) -> dict[str, Rows]:
        """Return vectors by the text they were made of.

        They are those of the live documents that have one of the ids (an earlier version) or one
        of the content hashes (the same, elsewhere). Memory: their texts and vectors.
        """
        found: dict[str, Rows] = {}
        segments: dict[int, Segment | None] = {}
        seen: set[int] = set()
        with refusals(self.store):
            for document_id, digest in documents:
                for number, title, segment, place in self._stored(document_id, digest):
                    if number in seen:
                        continue
                    seen.add(number)
                    if segment not in segments:
                        segments[segment] = self._open(segment)
                    rows = _rows(segments[segment], place)
                    if rows is not None:
                        found.update(zip(self._texts(number, title), rows, strict=True))
        return found

    def _stored(self, document_id: str, digest: bytes) -> list[tuple[int, str, int, int]]:
        return self.connection.execute(
            "SELECT number, title, segment, place FROM documents WHERE id = ?1 AND NOT removed "
            "UNION ALL SELECT * FROM (SELECT number, title, segment, place FROM documents "
            "WHERE sha256 = ?2 AND NOT removed LIMIT 1)",
            (document_id, digest),
        ).fetchall()

    def _texts(self, number: int, title: str) -> list[str]:
        rows = self.connection.execute(
            "SELECT headings, text FROM chunks WHERE address >= ? AND address < ? ORDER BY address",
            (address(number, 0), address(number + 1, 0)),
        )
        return [indexed_text(title, json.loads(above or "[]"), text) for above, text in rows]

    def _open(self, number: int) -> Segment | None:
        """Return a segment, or None when it is damaged: then its texts are embedded again."""
        try:
            folder = segment_folder(self.store, number)
            return Segment(folder, number, stored_format(self.connection))
        except StoreDamaged:
            return None


def _rows(segment: Segment | None, place: int) -> Rows | None:
    """Return copies of one document's vectors, or None when they cannot be had."""
    if segment is None or not segment.vectors.shape[1]:
        return None
    start, end = segment.first_chunk[place : place + 2].tolist()
    try:
        segment.check_vectors(np.arange(start, end, dtype=np.uint32))
    except StoreDamaged:
        return None
    return segment.vectors[start:end].copy()
