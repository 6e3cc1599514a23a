"""Merge segments into one that holds only what is still alive; decide which are worth merging.

A merged segment is byte for byte what building one segment over the surviving documents gives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import EntityIndex, Forest, LexicalIndex, NameIndex, trim_heap
from bridgerag.forest import ROOT, Tree, separate
from bridgerag.store.files import Sink
from bridgerag.store.segment import Rows, Segment, SegmentContent
from bridgerag.store.write_segment import InPieces
from bridgerag.types import Ids

__all__ = ["Part", "Survivor", "document_tree", "merge", "within", "worth_merging"]

Places = NDArray[np.int64]

_DROPPED = 0xFFFFFFFF
_BLOCK_ROWS = 4096

_FAN_IN = 8  # so many segments of about one size become one
_MOST_DEAD = 0.5  # a segment with a larger share of dead chunks is written anew


@dataclass(frozen=True, slots=True)
class Part:
    """What is merged of a segment, for one that is not on the disk; see `SegmentContent`."""

    vectors: Rows
    abstract_vectors: Rows
    forest: Forest
    entities: EntityIndex
    lexical: LexicalIndex
    names_if_any: NameIndex | None
    first_abstract: Ids
    first_chunk: Ids


@dataclass(frozen=True, slots=True)
class Survivor:
    """A live document of a segment to be merged: which segment of those given, and its place."""

    part: int
    place: int


def merge(parts: Sequence[Segment | Part], survivors: Iterable[Survivor]) -> SegmentContent:
    """Return the content of one segment over ``survivors``.

    Args:
        survivors: 1 or more, in ascending order of their documents' ids.

    Vectors are read when the content is written, a few thousand rows at a time; indexes go to
    their files in pieces. Memory: a few numbers a document, chunk and name, 20 bytes an entity.
    What others have let go of is given back to the system first. There are no names where a part
    lacks them.
    """
    trim_heap()
    pairs = np.fromiter(((s.part, s.place) for s in survivors), np.dtype((np.int64, 2)))
    part, place = pairs.T
    abstract_maps, first_abstract = _maps(parts, part, place, "first_abstract")
    chunk_maps, first_chunk = _maps(parts, part, place, "first_chunk")
    dim = parts[0].vectors.shape[1]
    return SegmentContent(
        dim=dim,
        vectors=_rows(parts, chunk_maps, "vectors", dim),
        abstract_vectors=_rows(parts, abstract_maps, "abstract_vectors", dim),
        forest=_forest(parts, abstract_maps, chunk_maps, int(first_abstract[-1])).native(),
        make_entities=_entities(parts, abstract_maps),
        make_lexical=_lexical(parts, chunk_maps),
        make_names=_names(parts, chunk_maps),
        first_abstract=first_abstract,
        first_chunk=first_chunk,
    )


def worth_merging(sizes: Sequence[tuple[int, int]]) -> list[int]:
    """Return which segments to merge now, by position; empty when it would not pay.

    Args:
        sizes: live and all chunks of each segment.

    Segments fall into tiers by live size, each eight times the one below; a full tier is merged, so
    that a chunk is rewritten about once a tier: log8 of the store's size in all. Segments that are
    mostly dead are merged too.
    """
    tiers: dict[int, list[int]] = defaultdict(list)
    for position, (live, _) in enumerate(sizes):
        tiers[int(np.log2(max(live, 1)) // 3)].append(position)
    chosen = {position for tier in tiers.values() if len(tier) >= _FAN_IN for position in tier}
    chosen |= {
        position for position, (live, all_) in enumerate(sizes) if all_ - live > _MOST_DEAD * all_
    }
    return sorted(chosen)


def within(most: int, sizes: Sequence[int]) -> list[list[int]]:
    """Return positions in groups, in their order, each of sizes that are ``most`` together.

    A size that is more stands alone.
    """
    groups: list[list[int]] = []
    room = 0
    for position, size in enumerate(sizes):
        if not groups or size > room:
            groups.append([])
            room = most
        groups[-1].append(position)
        room -= size
    return groups


def document_tree(segment: Segment | SegmentContent | Part, place: int) -> Tree:
    """Return one document's tree, numbered from its own start."""
    return separate(segment.forest, segment.first_abstract, segment.first_chunk, place)


def _maps(
    parts: Sequence[Segment | Part], part: Places, place: Places, borders: str
) -> tuple[list[Ids], Ids]:
    """Return for each part where each of its chunks (or abstracts) goes, and the new borders.

    Args:
        part, place: of each survivor, in the new order.
    """
    starts, sizes = np.empty(len(part), np.int64), np.empty(len(part), np.int64)
    for number, held in enumerate(parts):
        here, first = part == number, getattr(held, borders).astype(np.int64)
        starts[here] = first[place[here]]
        sizes[here] = first[place[here] + 1] - starts[here]
    new = np.concatenate([[0], np.cumsum(sizes)])
    maps = []
    for number, held in enumerate(parts):
        here = part == number
        goes = np.full(int(getattr(held, borders)[-1]), _DROPPED, np.uint32)
        goes[_ranges(starts[here], sizes[here])] = _ranges(new[:-1][here], sizes[here])
        maps.append(goes)
    return maps, new.astype(np.uint32)


def _ranges(starts: Places, sizes: Places) -> Places:
    """Return the numbers of each range ``[start, start + size)``, one range after another."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(sizes.sum())


def _forest(
    parts: Sequence[Segment | Part], abstract_maps: list[Ids], chunk_maps: list[Ids], size: int
) -> Tree:
    """Return the trees of the survivors side by side, renumbered."""
    parent, first_child, child_count, first_chunk, chunk_count = np.zeros((5, size), np.uint32)
    level = np.zeros(size, np.uint8)
    for part, abstracts, chunks in zip(parts, abstract_maps, chunk_maps, strict=True):
        kept = np.flatnonzero(abstracts != _DROPPED)
        to, old = abstracts[kept], part.forest
        above, below = old.parent[kept], old.child_count[kept]
        is_root = above == ROOT
        parent[to] = np.where(is_root, ROOT, abstracts[np.where(is_root, 0, above)])
        first_child[to] = np.where(below > 0, abstracts[old.first_child[kept]], 0)
        child_count[to] = below
        level[to] = old.level[kept]
        first_chunk[to] = chunks[old.first_chunk[kept]]
        chunk_count[to] = old.chunk_count[kept]
    return Tree(parent, first_child, child_count, level, first_chunk, chunk_count)


def _entities(parts: Sequence[Segment | Part], maps: list[Ids]) -> InPieces[EntityIndex]:
    def write(sink: Sink) -> None:
        sparing = _Sparing(sink, parts)
        EntityIndex.merge_into(sparing, [part.entities for part in parts], maps)
        sparing.rest()

    def make() -> EntityIndex:
        with _given_back(parts):
            return EntityIndex.merge([part.entities for part in parts], maps)

    return InPieces(make, write)


def _lexical(parts: Sequence[Segment | Part], maps: list[Ids]) -> InPieces[LexicalIndex]:
    def write(sink: Sink) -> None:
        sparing = _Sparing(sink, parts)
        LexicalIndex.merge_into(sparing, [part.lexical for part in parts], maps)
        sparing.rest()

    def make() -> LexicalIndex:
        with _given_back(parts):
            return LexicalIndex.merge([part.lexical for part in parts], maps)

    return InPieces(make, write)


def _names(
    parts: Sequence[Segment | Part], maps: list[Ids]
) -> InPieces[NameIndex] | Callable[[], None]:
    names = [part.names_if_any for part in parts]
    present = [index for index in names if index is not None]
    first_chunks = [part.first_chunk for part in parts]
    if len(present) < len(names):
        return lambda: None

    def write(sink: Sink) -> None:
        sparing = _Sparing(sink, parts)
        NameIndex.merge_into(sparing, present, first_chunks, maps)
        sparing.rest()

    def make() -> NameIndex:
        with _given_back(parts):
            return NameIndex.merge(present, first_chunks, maps)

    return InPieces(make, write)


@dataclass(frozen=True, slots=True)
class _Sparing:
    """A sink that gives the memory of what was read of some parts back whenever it rests."""

    sink: Sink
    parts: Sequence[Segment | Part]

    def start(self, size: int) -> None:
        self.sink.start(size)

    def write(self, offset: int, piece: memoryview) -> None:
        self.sink.write(offset, piece)

    def rest(self) -> None:
        self.sink.rest()
        _give_back(self.parts)


@contextmanager
def _given_back(parts: Sequence[Segment | Part]) -> Iterator[None]:
    """Give the memory of what was read of the parts back to the system after a block."""
    yield
    _give_back(parts)


def _give_back(parts: Sequence[Segment | Part]) -> None:
    for part in parts:
        if isinstance(part, Segment):
            part.give_back()


def _rows(
    parts: Sequence[Segment | Part], maps: list[Ids], matrix: str, dim: int
) -> Iterator[Rows]:
    """Yield the survivors' rows in their new order, gathered into blocks."""
    if not dim:
        return
    size = sum(int((goes != _DROPPED).sum()) for goes in maps)
    source, row = np.empty(size, np.uint32), np.empty(size, np.uint32)
    for number, goes in enumerate(maps):
        kept = np.flatnonzero(goes != _DROPPED)
        source[goes[kept]], row[goes[kept]] = number, kept
    for first in range(0, size, _BLOCK_ROWS):
        block = slice(first, first + _BLOCK_ROWS)
        rows = np.empty((len(row[block]), dim), np.float16)
        for number in np.unique(source[block]).tolist():
            here = source[block] == number
            rows[here] = getattr(parts[number], matrix)[row[block][here]]
        with _given_back(parts):
            yield rows
