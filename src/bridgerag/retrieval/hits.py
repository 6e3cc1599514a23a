"""Turn what a method found into a `Context`: texts, documents, summaries, reasons in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from bridgerag.retrieval.method import Found, Origin, Question, Seeds, Selected, Timings
from bridgerag.store import ChunkRow, Snapshot, address
from bridgerag.store.snapshot import LiveSegment
from bridgerag.types import AbstractNote, Context, DocumentRef, EntityMatch, Hit, Reason

__all__ = ["assemble"]


def assemble(
    snapshot: Snapshot, question: Question, method: str, depth: int, found: Found, timings: Timings
) -> Context:
    """Return the context of a search; reads the catalog only for the chunks that were selected."""
    known: _Known = {}
    places = [_Place.of(chosen, known) for chosen in found.selected]
    rows: dict[_Place, ChunkRow] = {}
    notes: dict[int, AbstractNote] = {}
    for records in snapshot.catalogs:
        here = [place for place in places if place.chosen.live.records is records]
        texts = records.chunk_rows([place.chunk_address for place in here])
        rows |= {place: texts[place.chunk_address] for place in here}
        addresses = sorted({a for place in here for a in place.abstract_addresses})
        summaries = records.summaries(addresses)
        notes |= {note.id: note for place in here for note in place.notes(summaries)}
    measure = "lexical match" if question.vector is None else "cosine"
    return Context(
        question=question.text,
        method=method,
        depth=depth,
        entities=tuple(_entity(snapshot, seeds) for seeds in found.seeds),
        hits=tuple(_hit(rank, place, rows[place], measure) for rank, place in enumerate(places, 1)),
        abstracts=tuple(notes.values()),
        fallback=found.fallback,
        timings_ms=timings.ms,
        background=found.notes,
    )


_Known = dict[tuple[int, int], tuple[int, DocumentRef]]


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a selected chunk stands in its document and in the catalog."""

    chosen: Selected
    document: DocumentRef
    chunk: int
    chunk_address: int
    abstract_addresses: tuple[int, ...]

    @classmethod
    def of(cls, chosen: Selected, known: _Known) -> _Place:
        """Place a chunk; ``known`` remembers the documents of the chunks before it."""
        live, segment = chosen.live, chosen.live.segment
        place = live.document_of_chunk(chosen.chunk)
        key = id(live), place
        if key not in known:
            known[key] = live.document(place)
        number, document = known[key]
        chunk = chosen.chunk - int(segment.first_chunk[place])
        first = int(segment.first_abstract[place])
        abstracts = tuple(address(number, abstract - first) for abstract in chosen.abstracts)
        return cls(chosen, document, chunk, address(number, chunk), abstracts)

    def notes(self, summaries: Mapping[int, str]) -> Iterator[AbstractNote]:
        live = self.chosen.live
        for number, where in zip(self.chosen.abstracts, self.abstract_addresses, strict=True):
            level = int(live.segment.forest.level[number])
            yield AbstractNote(live.first_abstract_id + number, level, summaries[where])


def _hit(rank: int, place: _Place, row: ChunkRow, measure: str) -> Hit:
    chosen, first = place.chosen, place.chosen.live.first_abstract_id
    return Hit(
        rank=rank,
        score=chosen.score,
        text=row.text,
        document=place.document,
        chunk=place.chunk,
        start=row.start,
        end=row.start + len(row.text),
        abstracts=tuple(first + number for number in chosen.abstracts),
        why=tuple(_reason(chosen.live, origin, measure) for origin in chosen.origins),
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
        ids += (abstracts.astype(np.int64) + live.first_abstract_id).tolist()
    return EntityMatch(seeds.text, tuple(ids), seeds.ignored)
