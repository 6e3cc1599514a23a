"""A segment: everything a search needs of a batch of documents, in memory-mapped files.

Chunks, abstracts and documents are numbered from 0 inside their segment; documents stand in
ascending order of their ids, so that lower numbers win ties in every segment alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import EntityIndex, Forest, LexicalIndex
from bridgerag.errors import StoreDamaged
from bridgerag.store.files import map_file, sync_folder, verify, write_file
from bridgerag.types import Ids

_Parsed = TypeVar("_Parsed")

__all__ = ["FILES", "Segment", "SegmentContent", "verify_segment", "write_segment"]

FILES = {
    "vectors.bin": b"VECS",
    "abstract_vectors.bin": b"AVEC",
    "forest.bin": b"FRST",
    "documents.bin": b"DOCS",
    "entities.bin": b"ENTS",
    "lexical.bin": b"LEXI",
}


Rows = NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """What a new segment is written from.

    Attributes:
        dim: width of the vectors; 0 for a store without embeddings.
        vectors: the chunks' vectors, in blocks of rows.
        abstract_vectors: the abstracts' vectors, in blocks of rows.
        first_abstract: shape ``(documents + 1,)``; document i owns the abstracts
            ``first_abstract[i]`` up to ``first_abstract[i + 1]``, its root the last of them.
        first_chunk: the same for chunks.
    """

    dim: int
    vectors: Iterable[Rows]
    abstract_vectors: Iterable[Rows]
    forest: Forest
    entities: EntityIndex
    lexical: LexicalIndex
    first_abstract: Ids
    first_chunk: Ids


class Segment:
    """An opened segment. Its arrays are views of mapped files; only temperatures ever change."""

    def __init__(self, folder: Path, number: int) -> None:
        """Map the files of ``folder``. Raises `StoreDamaged` or `FormatTooNew`."""
        self.folder, self.number = folder, number
        self.vectors = _matrix(folder / "vectors.bin", b"VECS")
        self.abstract_vectors = _matrix(folder / "abstract_vectors.bin", b"AVEC")
        self.forest = _parse(folder / "forest.bin", b"FRST", Forest.from_buffer)
        self.entities = _parse(folder / "entities.bin", b"ENTS", EntityIndex.from_buffer, True)
        self.lexical = _parse(folder / "lexical.bin", b"LEXI", LexicalIndex.from_buffer)
        self.first_abstract, self.first_chunk = _borders(folder / "documents.bin", b"DOCS")
        if len(self.vectors) != self.chunks or len(self.forest) != self.first_abstract[-1]:
            raise StoreDamaged(folder, "its files do not belong together")

    @property
    def chunks(self) -> int:
        """How many chunks it has, those of removed documents included."""
        return int(self.first_chunk[-1])

    @property
    def documents(self) -> int:
        """How many documents it has, removed ones included."""
        return len(self.first_chunk) - 1

    def documents_of_abstracts(self, abstracts: Ids) -> NDArray[np.intp]:
        """Return which document each abstract belongs to."""
        return np.searchsorted(self.first_abstract, abstracts, side="right") - 1

    def documents_of_chunks(self, chunks: Ids) -> NDArray[np.intp]:
        """Return which document each chunk belongs to."""
        return np.searchsorted(self.first_chunk, chunks, side="right") - 1


def write_segment(folder: Path, content: SegmentContent) -> int:
    """Write all files of a segment into the new ``folder``, forced to the disk; return bytes."""
    folder.mkdir(parents=True)
    size = 0
    for name, blocks, rows in (
        ("vectors.bin", content.vectors, int(content.first_chunk[-1])),
        ("abstract_vectors.bin", content.abstract_vectors, int(content.first_abstract[-1])),
    ):
        parts = (np.ascontiguousarray(block, "<f2").tobytes() for block in blocks)
        size += write_file(folder / name, FILES[name], parts, rows, content.dim)
    borders = np.stack([content.first_abstract, content.first_chunk]).astype("<u4")
    for name, payload in (
        ("forest.bin", content.forest.to_bytes()),
        ("documents.bin", borders.tobytes()),
        ("entities.bin", content.entities.to_bytes()),
        ("lexical.bin", content.lexical.to_bytes()),
    ):
        size += write_file(folder / name, FILES[name], [payload])
    sync_folder(folder)
    return size


def verify_segment(folder: Path) -> Iterable[StoreDamaged]:
    """Yield what is wrong with the files of a segment, read whole."""
    for name, kind in FILES.items():
        try:
            verify(folder / name, kind)
        except StoreDamaged as problem:
            yield problem


def _matrix(path: Path, kind: bytes) -> NDArray[np.float16]:
    mapped = map_file(path, kind)
    if mapped.rows * mapped.width * 2 != len(mapped.payload):
        raise StoreDamaged(path, f"{mapped.rows} rows of {mapped.width} do not fill it")
    if not mapped.payload:  # no embeddings
        return np.zeros((mapped.rows, mapped.width), np.float16)
    return np.frombuffer(mapped.payload, "<f2").reshape(mapped.rows, mapped.width)


def _borders(path: Path, kind: bytes) -> NDArray[np.uint32]:
    payload = map_file(path, kind).payload
    if not payload or len(payload) % 8:
        raise StoreDamaged(path, f"{len(payload)} bytes are no two rows of numbers")
    borders = np.frombuffer(payload, "<u4").reshape(2, -1)
    if borders[:, 0].any() or (borders[:, 1:] < borders[:, :-1]).any():
        raise StoreDamaged(path, "its numbers do not ascend from 0")
    return borders


def _parse(
    path: Path, kind: bytes, parse: Callable[[memoryview], _Parsed], private: bool = False
) -> _Parsed:
    try:
        return parse(map_file(path, kind, private).payload)
    except ValueError as error:
        raise StoreDamaged(path, str(error)) from error
