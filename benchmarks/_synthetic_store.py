"""Make a store of a synthetic corpus through the store's own writer, from arrays.

What `Bridge.add` would read out of the texts is known beforehand, so a million chunks take minutes.
Vectors, trees, entities, postings, names, titles and texts are there; summaries are empty, and a
chunk's tokens are its words.
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._synthetic import SETTINGS, Synthetic
from benchmarks._synthetic_index import Indexes
from benchmarks._synthetic_vectors import vectors
from bridgerag.embedding import open_embedder
from bridgerag.forest import Tree
from bridgerag.settings import Settings
from bridgerag.store import Store
from bridgerag.store.segment import SegmentContent
from bridgerag.store.writer import Batch
from bridgerag.text import sentence_spans
from bridgerag.types import Chunk, Document, Ids, Vectors

__all__ = ["Model", "kept", "make"]

Rows = NDArray[np.float16]

_ROOT = 0xFFFFFFFF
_CHUNKS_A_COMMIT = 1_000_000


class Model:
    """Stands for the model of the synthetic vectors; a text's vector follows from its checksum."""

    name, fingerprint = "synthetic", "synthetic-1"

    def __init__(self, dim: int) -> None:
        self.dim = dim

    def embed(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        """Return a unit vector a text, near to no passage."""
        seeds = [zlib.crc32(text.encode()) for text in texts]
        rows = [np.random.default_rng(seed).standard_normal(self.dim) for seed in seeds]
        if on_done:
            on_done(len(texts))
        unit = np.stack(rows) / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit.astype(np.float32)

    def count_tokens(self, text: str) -> int:
        """Return how many words there are."""
        return text.count(" ") + 1


def kept(folder: Path, chunks: int, dim: int = 384, segments: int | None = None) -> Path:
    """Return the store of so many chunks in ``folder``, made if it is not there.

    With ``segments`` it is one of its own; see `make`.
    """
    path = folder / f"synthetic-{chunks}-{dim}{f'-in-{segments}' if segments else ''}"
    if not path.exists():
        draft = path.with_name(f"{path.name}.part")
        shutil.rmtree(draft, ignore_errors=True)
        draft.parent.mkdir(parents=True, exist_ok=True)
        make(draft, Synthetic(chunks), dim, segments)
        draft.rename(path)
    return path


def make(path: Path, made: Synthetic, dim: int, segments: int | None = None) -> None:
    """Write the store at ``path``; ``dim`` 0 leaves vectors out.

    Args:
        segments: how many, of about one size, one commit each; fewer in a small corpus, as no
            document is divided. None for one: a large corpus is then written in parts of a million
            chunks, which are merged, as `add` does.

    Cost: about 150 microseconds a chunk; memory: the corpus, and 3 KB a chunk of one commit; a
    merge takes about 750 bytes a chunk.
    """
    model = Model(dim) if dim else open_embedder("none")
    store = Store.create(path, Settings(**SETTINGS), model)
    indexes = Indexes(made)
    with store.writing() as (writer, _):
        for documents in made.parts(segments or -(-made.chunks // _CHUNKS_A_COMMIT)):
            writer.commit(_batch(indexes, documents, dim))
        if segments is None:
            writer.merge(everything=True)
    store.close()


def _batch(indexes: Indexes, part: range, dim: int) -> Batch:
    content = _content(indexes, part, dim)
    documents = list(indexes.made.stream(part))
    return Batch(
        documents=documents,
        hashes=[number.to_bytes(32, "big") for number in part],
        chunks=[_chunks(document) for document in documents],
        summaries=[""] * len(part),
        data=content,
    )


def _chunks(document: Document) -> list[Chunk]:
    found = []
    for section in document.sections:
        spans = tuple(sentence_spans(document.text, section.start, section.end))
        start, end = spans[0][0], spans[-1][1]
        words = document.text.count(" ", start, end) + 1
        found.append(Chunk(start, end, words, spans, page=section.page))
    return found


def _content(indexes: Indexes, documents: range, dim: int) -> SegmentContent:
    made = indexes.made
    first_chunk = made.first[documents.start : documents.stop + 1]
    first_chunk = (first_chunk - first_chunk[0]).astype(np.uint32)
    of_chunks, of_documents = _vectors(made, dim, documents)
    return SegmentContent(
        dim=dim,
        vectors=of_chunks,
        abstract_vectors=of_documents,
        forest=_forest(first_chunk).native(),
        make_entities=lambda: indexes.entities(documents),
        make_lexical=lambda: indexes.lexical(documents),
        make_names=lambda: indexes.names(documents),
        first_abstract=np.arange(len(documents) + 1, dtype=np.uint32),
        first_chunk=first_chunk,
    )


def _forest(first_chunk: Ids) -> Tree:
    """Return one abstract a document: none has more chunks than a window."""
    none = np.zeros(len(first_chunk) - 1, np.uint32)
    return Tree(
        parent=np.full(len(none), _ROOT, np.uint32),
        first_child=none,
        child_count=none,
        level=none.astype(np.uint8),
        first_chunk=first_chunk[:-1],
        chunk_count=np.diff(first_chunk),
    )


def _vectors(made: Synthetic, dim: int, documents: range) -> tuple[Iterable[Rows], list[Rows]]:
    """Return the vectors of a part's chunks, and those of its documents.

    They are made once: the second are there when the first have been gone through.
    """
    if not dim:
        chunks = int(made.first[documents.stop] - made.first[documents.start])
        return [np.empty((chunks, 0), np.float16)], [np.empty((len(documents), 0), np.float16)]
    of_documents: list[Rows] = []

    def of_chunks() -> Iterator[Rows]:
        document = documents.start
        for rows in vectors(made, dim, documents):
            start = made.first[document]
            stop = int(np.searchsorted(made.first, start + len(rows)))
            sums = np.add.reduceat(rows.astype(np.float32), made.first[document:stop] - start)
            sums /= np.linalg.norm(sums, axis=1, keepdims=True)
            of_documents.append(sums.astype(np.float16))
            yield rows
            document = stop

    return of_chunks(), of_documents
