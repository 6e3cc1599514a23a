"""Turn what a method found into a `Context`: texts, documents, summaries, reasons in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from bridgerag.retrieval.method import Found, Origin, Question, Seeds, Selected, Timings
from bridgerag.store import ChunkRow, LiveSegment, Snapshot, address
from bridgerag.types import AbstractNote, Context, DocumentRef, EntityMatch, Hit, Reason

__all__ = ["assemble"]


def assemble(
    snapshot: Snapshot,
    question: Question,
    method: str,
    depth: int,
    found: Found,
    timings: Timings,
    depth_why: str = "",
) -> Context:
    """Return the context of a search; reads the catalog only for the chunks that were selected.

    `Context.timings_ms` is the mapping of ``timings``, which may still be added to.
    """
    hits: list[Hit] = []
    notes: dict[int, AbstractNote] = {}
    measure = "lexical match" if question.vector is None else "cosine"
    for records in snapshot.catalogs:
        places = _places(
            [(r, one) for r, one in enumerate(found.selected, 1) if one.live.records is records]
        )
        rows = records.chunk_rows([place.chunk_address for place in places])
        summaries = records.summaries(sorted({a for p in places for a in p.abstract_addresses}))
        for place in places:
            hits.append(_hit(place, rows[place.chunk_address], measure))
            _add_notes(place, summaries, notes)
    if len(snapshot.catalogs) > 1:
        hits.sort(key=lambda hit: hit.rank)
    return Context(
        question=question.text,
        method=method,
        depth=depth,
        entities=tuple([_entity(snapshot, seeds) for seeds in found.seeds]),
        hits=tuple(hits),
        abstracts=tuple(notes.values()),
        fallback=found.fallback,
        timings_ms=timings.ms,
        background=found.notes,
        depth_why=depth_why,
    )


class _Place(NamedTuple):
    """Where a selected chunk stands in its document and in the catalog."""

    rank: int
    chosen: Selected
    document: DocumentRef
    chunk: int
    chunk_address: int
    abstract_addresses: list[int]


def _places(ranked: Sequence[tuple[int, Selected]]) -> list[_Place]:
    """Place chunks of one catalog, by rank; one query for the documents of a segment."""
    of_segment: dict[int, list[tuple[int, Selected]]] = {}
    for rank, chosen in ranked:
        of_segment.setdefault(chosen.live.segment.number, []).append((rank, chosen))
    places = []
    for number, here in of_segment.items():
        live = here[0][1].live
        at = live.segment.documents_of_chunks(np.array([one.chunk for _, one in here], np.uint32))
        first_chunks = live.segment.first_chunk[at].tolist()
        first_abstracts = live.segment.first_abstract[at].tolist()
        found = live.records.documents(number, at.tolist())
        for (rank, chosen), place, first_chunk, first_abstract in zip(
            here, at.tolist(), first_chunks, first_abstracts, strict=True
        ):
            document, reference = found[place]
            chunk = chosen.chunk - first_chunk
            above = [address(document, abstract - first_abstract) for abstract in chosen.abstracts]
            where = address(document, chunk)
            places.append(_Place(rank, chosen, reference, chunk, where, above))
    if len(of_segment) > 1:
        places.sort(key=lambda place: place.rank)
    return places


def _add_notes(place: _Place, summaries: Mapping[int, str], notes: dict[int, AbstractNote]) -> None:
    """Add the abstracts that own a hit to ``notes``, unless they are there."""
    live = place.chosen.live
    for number, where in zip(place.chosen.abstracts, place.abstract_addresses, strict=True):
        identity = live.first_abstract_id + number
        if identity not in notes:
            level = int(live.segment.forest.level[number])
            notes[identity] = AbstractNote(identity, level, summaries[where])


def _hit(place: _Place, row: ChunkRow, measure: str) -> Hit:
    chosen, first = place.chosen, place.chosen.live.first_abstract_id
    return Hit(
        rank=place.rank,
        score=chosen.score,
        text=row.text,
        document=place.document,
        chunk=place.chunk,
        start=row.start,
        end=row.start + len(row.text),
        abstracts=tuple([first + number for number in chosen.abstracts]),
        why=tuple([_reason(chosen.live, origin, measure) for origin in chosen.origins]),
        headings=row.headings,
        page=row.page,
        row=row.row,
    )


def _reason(live: LiveSegment, origin: Origin, measure: str) -> Reason:
    first = live.first_abstract_id
    if origin.path is not None:
        return Reason(origin.kind, origin.path, origin.score, origin.entity)
    if origin.seed is None or origin.abstract is None:
        measure = "cosine" if origin.kind == "dense" else "lexical match"
        return Reason(origin.kind, f"{measure} {origin.score:.3f}", origin.score)
    steps = origin.steps or 0
    way = f"'{origin.entity}' is in abstract {first + origin.seed}"
    if steps:
        levels = f"{abs(steps)} level{'s' if abs(steps) > 1 else ''}"
        way += f", {'up' if steps > 0 else 'down'} {levels} to abstract {first + origin.abstract}"
    return Reason(
        kind=origin.kind,
        text=f"{way}; {measure} {origin.score:.3f}",
        score=origin.score,
        entity=origin.entity,
        seed=first + origin.seed,
        abstract=first + origin.abstract,
        steps=steps,
    )


def _entity(snapshot: Snapshot, seeds: Seeds) -> EntityMatch:
    ids: list[int] = []
    for live, abstracts in zip(snapshot.segments, seeds.abstracts, strict=True):
        if len(abstracts):
            ids += (abstracts.astype(np.int64) + live.first_abstract_id).tolist()
    return EntityMatch(seeds.text, tuple(ids), seeds.ignored)
