"""Merge segments into one that holds only what is still alive; decide which are worth merging.

A merged segment is byte for byte what building one segment over the surviving documents gives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bridgerag._native import EntityIndex, Forest, LexicalIndex, NameIndex
from bridgerag.forest import Tree, join, separate
from bridgerag.store.segment import Rows, Segment, SegmentContent
from bridgerag.types import Ids

__all__ = ["Part", "Survivor", "document_tree", "merge", "worth_merging"]

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


def merge(parts: Sequence[Segment | Part], survivors: Sequence[Survivor]) -> SegmentContent:
    """Return the content of one segment over ``survivors``.

    Args:
        survivors: 1 or more, in ascending order of their documents' ids.

    Vectors are read when the content is written, a few thousand rows at a time. Memory: about twice
    the entity index, the postings and the names. There are no names where a part lacks them.
    """
    trees = [document_tree(parts[s.part], s.place) for s in survivors]
    forest, first_abstract, first_chunk = join(trees)
    abstract_maps = _maps(parts, survivors, first_abstract, "first_abstract")
    chunk_maps = _maps(parts, survivors, first_chunk, "first_chunk")
    return SegmentContent(
        dim=parts[0].vectors.shape[1],
        vectors=_rows(parts, survivors, "vectors", "first_chunk"),
        abstract_vectors=_rows(parts, survivors, "abstract_vectors", "first_abstract"),
        forest=forest.native(),
        entities=EntityIndex.merge([part.entities for part in parts], abstract_maps),
        lexical=LexicalIndex.merge([part.lexical for part in parts], chunk_maps),
        names=_names(parts, chunk_maps),
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


def document_tree(segment: Segment | SegmentContent | Part, place: int) -> Tree:
    """Return one document's tree, numbered from its own start."""
    return separate(segment.forest, segment.first_abstract, segment.first_chunk, place)


def _maps(
    parts: Sequence[Segment | Part], survivors: Sequence[Survivor], first: Ids, borders: str
) -> list[Ids]:
    """Return for each part where each of its chunks (or abstracts) goes."""
    maps = [np.full(int(getattr(part, borders)[-1]), _DROPPED, np.uint32) for part in parts]
    for new, survivor in enumerate(survivors):
        start, end = getattr(parts[survivor.part], borders)[
            survivor.place : survivor.place + 2
        ].tolist()
        maps[survivor.part][start:end] = np.arange(first[new], first[new + 1], dtype=np.uint32)
    return maps


def _names(parts: Sequence[Segment | Part], chunk_maps: list[Ids]) -> NameIndex | None:
    names = [part.names_if_any for part in parts]
    present = [index for index in names if index is not None]
    if len(present) < len(names):
        return None
    return NameIndex.merge(present, [part.first_chunk for part in parts], chunk_maps)


def _rows(
    parts: Sequence[Segment | Part], survivors: Sequence[Survivor], matrix: str, borders: str
) -> Iterator[Rows]:
    """Yield the survivors' rows in their new order, gathered into blocks."""
    block: list[Rows] = []
    size = 0
    for survivor in survivors:
        part = parts[survivor.part]
        start, end = getattr(part, borders)[survivor.place : survivor.place + 2].tolist()
        block.append(getattr(part, matrix)[start:end])
        size += end - start
        if size >= _BLOCK_ROWS:
            yield np.concatenate(block)
            block, size = [], 0
    if block:
        yield np.concatenate(block)
