"""Write the files of a new segment, one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from bridgerag._native import EntityIndex, LexicalIndex, NameIndex
from bridgerag.store.files import Sink, map_file, sync_folder, write_file, write_pieces
from bridgerag.store.segment import FILES, SegmentContent

__all__ = ["InPieces", "write_segment"]

_Index = TypeVar("_Index", EntityIndex, LexicalIndex, NameIndex)


@dataclass(frozen=True, slots=True)
class InPieces(Generic[_Index]):
    """Makes an index that may be too large to be held.

    Attributes:
        make: makes it in memory; so does a call.
        write: gives its payload to a sink.
    """

    make: Callable[[], _Index]
    write: Callable[[Sink], None]

    def __call__(self) -> _Index:
        """Make it."""
        return self.make()


def write_segment(folder: Path, content: SegmentContent) -> tuple[int, int]:
    """Write all files of a segment into the new ``folder``, forced to the disk.

    Returns:
        Their bytes, and how many entities the segment has.
    """
    folder.mkdir(parents=True)
    size = 0
    for name, blocks, rows in (
        ("vectors.bin", content.vectors, int(content.first_chunk[-1])),
        ("abstract_vectors.bin", content.abstract_vectors, int(content.first_abstract[-1])),
    ):
        parts = (np.ascontiguousarray(block, "<f2").tobytes() for block in blocks)
        size += write_file(folder / name, FILES[name], parts, rows, content.dim)
    borders = np.stack([content.first_abstract, content.first_chunk]).astype("<u4")
    size += write_file(folder / "forest.bin", FILES["forest.bin"], [content.forest.to_bytes()])
    size += write_file(folder / "documents.bin", FILES["documents.bin"], [borders.tobytes()])
    size += _write_index(folder / "lexical.bin", content.make_lexical)
    size += _write_index(folder / "names.bin", content.make_names)
    size += _write_index(folder / "entities.bin", content.make_entities)
    sync_folder(folder)
    return size, _entities(folder / "entities.bin")


def _write_index(
    path: Path, make: Callable[[], EntityIndex | LexicalIndex | NameIndex | None]
) -> int:
    """Write an index; return the bytes of its file, 0 where there is none."""
    kind = FILES[path.name]
    if isinstance(make, InPieces):
        return write_pieces(path, kind, make.write)
    index = make()
    if index is None:
        return 0
    made = index.to_bytes() if isinstance(index, EntityIndex) else index.payload.data
    return write_file(path, kind, [made])


def _entities(path: Path) -> int:
    """Return how many entities an index has; reads the start of its file."""
    file = map_file(path, FILES[path.name])
    file.check_blocks([0])
    return len(EntityIndex.from_buffer(file.payload))
