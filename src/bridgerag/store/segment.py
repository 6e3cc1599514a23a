"""A segment: everything a search needs of a batch of documents, in memory-mapped files.

Chunks, abstracts and documents are numbered from 0 inside their segment; documents stand in
ascending order of their ids, so that lower numbers win ties in every segment alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import EntityIndex, Forest, LexicalIndex, NameIndex, ReachSegment
from bridgerag.errors import StoreDamaged, StoreOutdated
from bridgerag.store.files import BLOCK_BYTES, MappedFile, map_file, verify
from bridgerag.types import Ids

_Parsed = TypeVar("_Parsed")

__all__ = [
    "FILES",
    "RECIPE",
    "Segment",
    "SegmentContent",
    "expected_files",
    "numbered",
    "segment_folder",
    "verify_segment",
]

# Raise it when the trees, entities, postings, names or summaries of a text are no longer what they
# were: an older segment is then sound though making it anew would give another.
RECIPE = 1

FILES = {
    "vectors.bin": b"VECS",
    "abstract_vectors.bin": b"AVEC",
    "forest.bin": b"FRST",
    "documents.bin": b"DOCS",
    "entities.bin": b"ENTS",
    "lexical.bin": b"LEXI",
    "names.bin": b"NAME",
}
_NAMES = "names.bin"
_NAMES_SINCE = 2  # a segment of a store with an earlier format may lack the file

Rows = NDArray[np.float16]


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """What a new segment is written from.

    An index is made when it is asked for, each time, and not kept: they are the largest parts of a
    segment, and writing one after another needs memory for one, or for none where it is one of
    `InPieces`.

    Attributes:
        dim: width of the vectors; 0 for a store without embeddings.
        vectors: the chunks' vectors, in blocks of rows.
        abstract_vectors: the abstracts' vectors, in blocks of rows.
        first_abstract: shape ``(documents + 1,)``; document i owns the abstracts
            ``first_abstract[i]`` up to ``first_abstract[i + 1]``, its root the last of them.
        first_chunk: the same for chunks.
        make_names: makes None when it is merged of segments that lack names.
    """

    dim: int
    vectors: Iterable[Rows]
    abstract_vectors: Iterable[Rows]
    forest: Forest
    make_entities: Callable[[], EntityIndex]
    make_lexical: Callable[[], LexicalIndex]
    make_names: Callable[[], NameIndex | None]
    first_abstract: Ids
    first_chunk: Ids

    @property
    def entities(self) -> EntityIndex:
        """Which abstracts each entity leads to."""
        return self.make_entities()

    @property
    def lexical(self) -> LexicalIndex:
        """Which chunks hold each term."""
        return self.make_lexical()

    @property
    def names(self) -> NameIndex | None:
        """Where each name may stand, and which titles define it."""
        return self.make_names()


class Segment:
    """An opened segment. Its arrays are views of mapped files; only temperatures ever change.

    Every part is compared with its checksums before it is used: the small files when the segment is
    opened, entity index, postings and names when first asked for, vectors by blocks through
    `check_vectors`. All of it raises `StoreDamaged`.
    """

    def __init__(self, folder: Path, number: int, format_: int, searched: bool = True) -> None:
        """Map the files of ``folder``. Raises `StoreDamaged` or `FormatTooNew`.

        Args:
            format_: the store's.
            searched: whether searches will warm its entities; if not, `give_back` spares no file,
                and none is kept in memory to begin with.
        """
        self.folder, self.number, self._format = folder, number, format_
        self._files = {
            name: map_file(folder / name, kind, private=searched and name == "entities.bin")
            for name, kind in expected_files(folder, format_).items()
        }
        self.vectors = _matrix(self._files["vectors.bin"])
        self.abstract_vectors = _matrix(self._files["abstract_vectors.bin"])
        self.forest = _parse(self._files["forest.bin"], Forest.from_buffer)
        self.first_abstract, self.first_chunk = _borders(self._files["documents.bin"])
        if (
            len(self.vectors) != self.chunks
            or len(self.abstract_vectors) != len(self.forest)
            or len(self.forest) != self.first_abstract[-1]
            or self.forest.chunks != self.chunks
        ):
            raise StoreDamaged(folder, "its files do not belong together")
        if not searched:
            self.give_back()

    @cached_property
    def entities(self) -> EntityIndex:
        """Which abstracts each entity leads to."""
        return _parse(self._files["entities.bin"], EntityIndex.from_buffer)

    @cached_property
    def lexical(self) -> LexicalIndex:
        """Which chunks hold each term."""
        return _parse(self._files["lexical.bin"], LexicalIndex.from_buffer)

    @cached_property
    def names(self) -> NameIndex:
        """Where each name may stand, and which titles define it.

        Raises:
            StoreOutdated: an earlier release made the segment, without this index.
        """
        file = self._files.get(_NAMES)
        if file is None:
            store = self.folder.parent.parent
            raise StoreOutdated(store, self._format, _NAMES_SINCE, "an index of names")
        names = _parse(file, NameIndex.from_buffer)
        if (names.chunks, names.documents) != (self.chunks, self.documents):
            raise StoreDamaged(file.path, "it does not belong to the segment's other files")
        return names

    @property
    def names_if_any(self) -> NameIndex | None:
        """The same, or None where an earlier release made the segment."""
        return self.names if _NAMES in self._files else None

    def check_vectors(self, chunks: Ids | None = None) -> None:
        """Raise `StoreDamaged` unless the vectors of some chunks (None: all) are as written."""
        self._files["vectors.bin"].check_rows(chunks, self.vectors.shape[1] * 2)

    def check_vector_blocks(self, blocks: Iterable[int]) -> None:
        """Raise `StoreDamaged` unless some blocks of the vectors are as written."""
        self._files["vectors.bin"].check_blocks(blocks)

    def reachable(self, alive: NDArray[np.bool_] | None) -> ReachSegment:
        """Return what a search by entities needs of the segment.

        Args:
            alive: which documents count, shape ``(documents,)``; None when all do.
        """
        return ReachSegment(
            self.entities,
            self.forest,
            self.first_abstract,
            self.first_chunk,
            None if alive is None else alive.view(np.uint8),
            self.vectors,
            self._files["vectors.bin"].checked.view(np.uint8),
            BLOCK_BYTES,
        )

    def check(self) -> None:
        """Raise `StoreDamaged` unless all of its files are as written."""
        for file in self._files.values():
            file.check(keep=False)

    def give_back(self) -> None:
        """Let the system take back the memory of the files; what is used again is read again."""
        for file in self._files.values():
            file.give_back()

    @property
    def chunks(self) -> int:
        """How many chunks it has, those of removed documents included."""
        return int(self.first_chunk[-1])

    @property
    def documents(self) -> int:
        """How many documents it has, removed ones included."""
        return len(self.first_chunk) - 1


def segment_folder(store: Path, number: int) -> Path:
    """Return where a segment's files are."""
    return store / "segments" / f"{number:08d}"


def expected_files(folder: Path, format_: int) -> dict[str, bytes]:
    """Return the names and kinds of the files that a segment of a store has.

    Args:
        format_: the store's. In an early one, only segments made since have an index of names.
    """
    if format_ >= _NAMES_SINCE or (folder / _NAMES).exists():
        return FILES
    return {name: kind for name, kind in FILES.items() if name != _NAMES}


def numbered(folder: Path) -> int:
    """Return how many numbers a segment's names take, of `NameIndex.most_numbered`; 0 without.

    Reads the start of their file. Raises `StoreDamaged`.
    """
    path = folder / _NAMES
    if not path.exists():
        return 0
    file = map_file(path, FILES[_NAMES])
    file.check_blocks([0])
    try:
        return NameIndex.from_buffer(file.payload).numbered
    except ValueError as error:
        raise StoreDamaged(path, str(error)) from error


def verify_segment(folder: Path, format_: int) -> Iterable[StoreDamaged]:
    """Yield what is wrong with the files of a segment, read whole; ``format_`` is the store's."""
    for name, kind in expected_files(folder, format_).items():
        try:
            verify(folder / name, kind)
        except StoreDamaged as problem:
            yield problem


def _matrix(mapped: MappedFile) -> NDArray[np.float16]:
    if mapped.rows * mapped.width * 2 != len(mapped.payload):
        raise StoreDamaged(mapped.path, f"{mapped.rows} rows of {mapped.width} do not fill it")
    if not mapped.payload:  # no embeddings
        return np.zeros((mapped.rows, mapped.width), np.float16)
    return np.frombuffer(mapped.payload, "<f2").reshape(mapped.rows, mapped.width)


def _borders(mapped: MappedFile) -> NDArray[np.uint32]:
    mapped.check()
    if not mapped.payload or len(mapped.payload) % 8:
        raise StoreDamaged(mapped.path, f"{len(mapped.payload)} bytes are no two rows of numbers")
    borders = np.frombuffer(mapped.payload, "<u4").reshape(2, -1)
    if borders[:, 0].any() or (borders[:, 1:] < borders[:, :-1]).any():
        raise StoreDamaged(mapped.path, "its numbers do not ascend from 0")
    return borders


def _parse(mapped: MappedFile, parse: Callable[[memoryview], _Parsed]) -> _Parsed:
    mapped.check()
    try:
        return parse(mapped.payload)
    except ValueError as error:
        raise StoreDamaged(mapped.path, str(error)) from error
