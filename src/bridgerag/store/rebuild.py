"""Make a segment anew from the catalog's rows, byte for byte as it was, or with other vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from bridgerag.abstracts import aggregate
from bridgerag.embedding.none import NoEmbedder
from bridgerag.entities import Vocabulary
from bridgerag.forest import join
from bridgerag.protocols import Embedder
from bridgerag.settings import Settings
from bridgerag.store.build import SegmentBuilder, content_hash
from bridgerag.store.merge import Part, Survivor, document_tree, merge
from bridgerag.store.rows import read_document
from bridgerag.store.segment import Rows, SegmentContent
from bridgerag.store.vectors import indexed_text
from bridgerag.types import Chunk, Document

__all__ = ["analyse", "with_vectors"]

_GROUP_CHUNKS = 4096  # what is held in memory of the texts


def analyse(
    connection: sqlite3.Connection, numbers: Sequence[int], settings: Settings
) -> tuple[SegmentContent, list[str]]:
    """Return the segment over some documents, without vectors, and its abstracts' summaries.

    Args:
        numbers: documents in ascending order of their ids, 1 or more.

    Raises:
        sqlite3.DatabaseError: rows are missing or altered.

    Cost: what adding the documents costs without reading and embedding.
    """
    vocabulary = Vocabulary()
    parts: list[Part] = []
    survivors: list[Survivor] = []
    summaries: list[str] = []
    for group in _groups(connection, numbers):
        builder = SegmentBuilder(settings, NoEmbedder(), vocabulary)
        for document, chunks in group:
            builder.add_chunks(document, chunks)
        batch = builder.finish()
        data = batch.data
        survivors += (Survivor(len(parts), place) for place in range(len(group)))
        summaries += batch.summaries
        parts.append(
            Part(
                vectors=np.empty((int(data.first_chunk[-1]), 0), np.float16),
                abstract_vectors=np.empty((len(data.forest), 0), np.float16),
                forest=data.forest,
                entities=data.entities,
                lexical=data.lexical,
                names_if_any=data.names,
                first_abstract=data.first_abstract,
                first_chunk=data.first_chunk,
            )
        )
    return merge(parts, survivors), summaries


def with_vectors(
    content: SegmentContent, connection: sqlite3.Connection, numbers: Sequence[int],
    embedder: Embedder, on_embedded: Callable[[int], None] | None = None,
) -> SegmentContent:  # fmt: skip
    """Return ``content`` with vectors of another model, embedded while it is written.

    Args:
        numbers: its documents, by place.
        on_embedded: told how many chunks were embedded since its last call.

    Memory: the abstracts' vectors, which are known when those of the chunks have been written.
    """
    abstract_vectors: list[Rows] = []

    def blocks() -> Iterator[Rows]:
        place = 0
        for group in _groups(connection, numbers):
            texts = [
                indexed_text(document.title, chunk.headings, document.text[chunk.start : chunk.end])
                for document, chunks in group
                for chunk in chunks
            ]
            rows = embedder.embed(texts, on_embedded).astype(np.float16)
            trees = [document_tree(content, place + i) for i in range(len(group))]
            place += len(group)
            above = aggregate(rows.astype(np.float32), join(trees)[0])
            abstract_vectors.append(above.astype(np.float16))
            yield rows

    return replace(content, dim=embedder.dim, vectors=blocks(), abstract_vectors=abstract_vectors)


def _groups(
    connection: sqlite3.Connection, numbers: Sequence[int]
) -> Iterator[list[tuple[Document, list[Chunk]]]]:
    """Yield the documents with their chunks, a few thousand chunks at a time."""
    group: list[tuple[Document, list[Chunk]]] = []
    size = 0
    for number in numbers:
        document, chunks, digest = read_document(connection, number)
        if content_hash(document) != digest:
            raise sqlite3.DatabaseError(f"{document.id!r} does not match its content hash")
        group.append((document, chunks))
        size += len(chunks)
        if size >= _GROUP_CHUNKS:
            yield group
            group, size = [], 0
    if group:
        yield group
