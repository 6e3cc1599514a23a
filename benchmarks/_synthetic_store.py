"""Make a store of a synthetic corpus through the store's own writer, from arrays.

What `Bridge.add` would read out of the texts is known beforehand, so a million chunks take minutes.
Vectors, trees, entities, postings, names, titles and texts are there; summaries are empty, and a
chunk's tokens are its words.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._synthetic import SETTINGS, Synthetic
from benchmarks._synthetic_index import entities, lexical, names
from benchmarks._synthetic_vectors import vectors
from bridgerag.embedding import open_embedder
from bridgerag.forest import Tree
from bridgerag.settings import Settings
from bridgerag.store import Store
from bridgerag.store.segment import SegmentContent
from bridgerag.store.writer import Batch
from bridgerag.text import sentence_spans
from bridgerag.types import Chunk, Document

__all__ = ["Model", "make"]

_ROOT = 0xFFFFFFFF


class Model:
    """Stands for the model of the synthetic vectors."""

    name, fingerprint = "synthetic", "synthetic-1"

    def __init__(self, dim: int) -> None:
        self.dim = dim


def make(path: Path, made: Synthetic, dim: int) -> None:
    """Write the store at ``path``; ``dim`` 0 leaves vectors out.

    Cost: about 150 microseconds a chunk; memory: about 3 KB a chunk.
    """
    model = Model(dim) if dim else open_embedder("none")
    store = Store.create(path, Settings(**SETTINGS), model)
    documents = list(made.stream())
    chunks = [_chunks(document) for document in documents]
    with store.writing() as (writer, _):
        writer.commit(
            Batch(
                documents=documents,
                hashes=[number.to_bytes(32, "little") for number in range(made.documents)],
                chunks=chunks,
                summaries=[""] * made.documents,
                data=_content(made, dim),
            )
        )
    store.close()


def _chunks(document: Document) -> list[Chunk]:
    found = []
    for section in document.sections:
        spans = tuple(sentence_spans(document.text, section.start, section.end))
        start, end = spans[0][0], spans[-1][1]
        words = document.text.count(" ", start, end) + 1
        found.append(Chunk(start, end, words, spans, page=section.page))
    return found


def _content(made: Synthetic, dim: int) -> SegmentContent:
    return SegmentContent(
        dim=dim,
        vectors=vectors(made, dim) if dim else [np.empty((made.chunks, 0), np.float16)],
        abstract_vectors=_abstract_vectors(made, dim),
        forest=_forest(made).native(),
        entities=entities(made),
        lexical=lexical(made),
        names=names(made),
        first_abstract=np.arange(made.documents + 1, dtype=np.uint32),
        first_chunk=made.first.astype(np.uint32),
    )


def _forest(made: Synthetic) -> Tree:
    """Return one abstract a document: none has more chunks than a window."""
    none = np.zeros(made.documents, np.uint32)
    return Tree(
        parent=np.full(made.documents, _ROOT, np.uint32),
        first_child=none,
        child_count=none,
        level=none.astype(np.uint8),
        first_chunk=made.first[:-1].astype(np.uint32),
        chunk_count=np.diff(made.first).astype(np.uint32),
    )


def _abstract_vectors(made: Synthetic, dim: int) -> Iterator[NDArray[np.float16]]:
    if not dim:
        yield np.empty((made.documents, 0), np.float16)
        return
    document = 0
    for rows in vectors(made, dim):
        start = made.first[document]
        count = int(np.searchsorted(made.first, start + len(rows))) - document
        borders = made.first[document : document + count] - start
        sums = np.add.reduceat(rows.astype(np.float32), borders)
        yield (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float16)
        document += count
