"""Turn what a method found into a `Context`: texts, documents, summaries, reasons in words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from bridgerag.retrieval.method import Found, Origin, Question, Seeds, Selected, Timings
from bridgerag.store import ChunkRow, LiveSegment, Snapshot, address
from bridgerag.store.records import Records
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
    measure = "lexical match" if question.vector is None else "cosine"
    ranked = list(enumerate(found.selected, 1))
    hits: list[Hit] = []
    notes: list[AbstractNote] = []
    for records in snapshot.catalogs:
        places = _places([one for one in ranked if one[1].live.records is records])
        rows = records.chunk_rows([place.address for place in places])
        hits += [_hit(place, rows[place.address], measure) for place in places]
        notes += _notes(records, places)
    if len(snapshot.catalogs) > 1:
        hits.sort(key=lambda hit: hit.rank)
    return Context(
        question=question.text,
        method=method,
        depth=depth,
        entities=tuple([_entity(snapshot, seeds) for seeds in found.seeds]),
        hits=tuple(hits),
        abstracts=tuple(notes),
        fallback=found.fallback,
        timings_ms=timings.ms,
        background=found.notes,
        depth_why=depth_why,
    )


class _Place(NamedTuple):
    """Where a selected chunk stands in its document and in the catalog.

    Attributes:
        chunk: its number in the document.
        address: of the chunk.
        above: level and address of the abstracts that own it, by their ids.
    """

    rank: int
    chosen: Selected
    document: DocumentRef
    chunk: int
    address: int
    above: dict[int, tuple[int, int]]


def _places(ranked: Sequence[tuple[int, Selected]]) -> list[_Place]:
    """Place chunks of one catalog, by rank; one query for the documents of a segment."""
    of_segment: dict[int, list[tuple[int, Selected]]] = {}
    for one in ranked:
        of_segment.setdefault(one[1].live.segment.number, []).append(one)
    places: list[_Place] = []
    for here in of_segment.values():
        live = here[0][1].live
        places += _places_in(live, here)
    if len(of_segment) > 1:
        places.sort(key=lambda place: place.rank)
    return places


def _places_in(live: LiveSegment, ranked: Sequence[tuple[int, Selected]]) -> list[_Place]:
    segment, base = live.segment, live.first_abstract_id
    first_chunks = memoryview(segment.first_chunk)
    first_abstracts = memoryview(segment.first_abstract)
    levels = segment.forest.level
    documents = [bisect_right(first_chunks, chosen.chunk) - 1 for _, chosen in ranked]
    found = live.records.documents(segment.number, documents)
    places = []
    for (rank, chosen), document in zip(ranked, documents, strict=True):
        number, reference = found[document]
        chunk, first = chosen.chunk - first_chunks[document], first_abstracts[document]
        above = {base + a: (levels.item(a), address(number, a - first)) for a in chosen.abstracts}
        places.append(_Place(rank, chosen, reference, chunk, address(number, chunk), above))
    return places


def _notes(records: Records, places: Sequence[_Place]) -> list[AbstractNote]:
    """Return the abstracts that own hits, each once."""
    owners: dict[int, tuple[int, int]] = {}
    for place in places:
        owners |= place.above
    summaries = records.summaries([where for _, where in owners.values()])
    return [AbstractNote(a, level, summaries[where]) for a, (level, where) in owners.items()]


def _hit(place: _Place, row: ChunkRow, measure: str) -> Hit:
    rank, chosen, document, chunk, _, above = place
    text, start, _, headings, page, line, _ = row
    base = chosen.live.first_abstract_id
    why = [_reason(origin, base, measure) for origin in chosen.origins]
    return Hit(
        rank, chosen.score, text, document, chunk, start, start + len(text), tuple(above),
        tuple(why), headings, page, line,
    )  # fmt: skip


def _reason(origin: Origin, base: int, measure: str) -> Reason:
    kind, score, entity, seed, abstract, steps, path = origin
    if path is not None:
        return Reason(kind, path, score, entity)
    if seed is None or abstract is None:
        measure = "cosine" if kind == "dense" else "lexical match"
        return Reason(kind, f"{measure} {score:.3f}", score)
    seed, abstract = base + seed, base + abstract
    way = f"'{entity}' is in abstract {seed}"
    if steps:
        levels = f"{abs(steps)} level{'s' if abs(steps) > 1 else ''}"
        way += f", {'up' if steps > 0 else 'down'} {levels} to abstract {abstract}"
    text = f"{way}; {measure} {score:.3f}"
    return Reason(kind, text, score, entity, seed, abstract, steps or 0)


def _entity(snapshot: Snapshot, seeds: Seeds) -> EntityMatch:
    ids: list[int] = []
    for live, abstracts in zip(snapshot.segments, seeds.abstracts, strict=True):
        ids += [live.first_abstract_id + abstract for abstract in abstracts.tolist()]
    return EntityMatch(seeds.text, tuple(ids), seeds.ignored)
