"""Turn what a method found into a `Context`: texts, documents, summaries, reasons in words."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from bridgerag.retrieval.method import Found, Origin, Question, Seeds, Selected, Timings
from bridgerag.store import ChunkRow, Snapshot
from bridgerag.store.snapshot import LiveSegment
from bridgerag.types import AbstractNote, Context, DocumentRef, EntityMatch, Hit, Reason

__all__ = ["assemble"]


def assemble(
    snapshot: Snapshot, question: Question, method: str, depth: int, found: Found, timings: Timings
) -> Context:
    """Return the context of a search; reads the catalog only for the chunks that were selected."""
    rows, summaries = _fetch(snapshot, found.selected)
    documents: dict[tuple[int, int], DocumentRef] = {}
    hits, notes = [], {}
    for order, chosen in enumerate(found.selected, 1):
        segment = chosen.live.segment
        where = segment.number, int(segment.documents_of_chunks(_one(chosen.chunk))[0])
        if where not in documents:
            documents[where] = snapshot.document(*where)
        row = rows[segment.number][chosen.chunk]
        first = int(segment.first_chunk[where[1]])
        hits.append(_hit(order, chosen, documents[where], chosen.chunk - first, row))
        for number in chosen.abstracts:
            note = AbstractNote(
                chosen.live.first_abstract_id + number,
                int(segment.forest.level[number]),
                summaries[segment.number][number],
            )
            notes[note.id] = note
    return Context(
        question=question.text,
        method=method,
        depth=depth,
        entities=tuple(_entity(snapshot, seeds) for seeds in found.seeds),
        hits=tuple(hits),
        abstracts=tuple(notes.values()),
        fallback=found.fallback,
        timings_ms=timings.ms,
    )


def _fetch(
    snapshot: Snapshot, selected: list[Selected]
) -> tuple[dict[int, dict[int, ChunkRow]], dict[int, dict[int, str]]]:
    """Read chunk rows and summaries with one query a segment each."""
    chunks: dict[int, list[int]] = defaultdict(list)
    abstracts: dict[int, set[int]] = defaultdict(set)
    for chosen in selected:
        chunks[chosen.live.segment.number].append(chosen.chunk)
        abstracts[chosen.live.segment.number].update(chosen.abstracts)
    return (
        {number: snapshot.chunk_rows(number, wanted) for number, wanted in chunks.items()},
        {number: snapshot.summaries(number, sorted(w)) for number, w in abstracts.items()},
    )


def _hit(rank: int, chosen: Selected, document: DocumentRef, chunk: int, row: ChunkRow) -> Hit:
    first = chosen.live.first_abstract_id
    return Hit(
        rank=rank,
        score=chosen.score,
        text=row.text,
        document=document,
        chunk=chunk,
        start=row.start,
        end=row.start + len(row.text),
        abstracts=tuple(first + number for number in chosen.abstracts),
        why=tuple(_reason(chosen.live, origin) for origin in chosen.origins),
        headings=row.headings,
        page=row.page,
        row=row.row,
    )


def _reason(live: LiveSegment, origin: Origin) -> Reason:
    first = live.first_abstract_id
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
        text=f"{way}; cosine {origin.score:.3f}",
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


def _one(number: int) -> np.ndarray:
    return np.array([number], np.uint32)
