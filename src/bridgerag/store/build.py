"""Turn documents into a batch that a writer can commit: chunks, trees, entities, vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bridgerag._native import DocumentNames, EntityIndex, LexicalIndex, NameIndex
from bridgerag.abstracts import aggregate, lift, summarize
from bridgerag.chunks import Chunks
from bridgerag.documents import chunk
from bridgerag.entities import (
    EntityMentions,
    Vocabulary,
    Words,
    extract,
    names_of,
    question_words,
    read_words,
)
from bridgerag.entities.lexical import lexical_terms, question_terms
from bridgerag.forest import Tree, content_windows, grow, grow_over, join
from bridgerag.protocols import Embedder
from bridgerag.settings import Settings
from bridgerag.store.catalog import dump_json
from bridgerag.store.segment import Rows, SegmentContent
from bridgerag.store.vectors import KnownVectors, embed_new, indexed_text
from bridgerag.store.writer import Batch
from bridgerag.types import Chunk, Document, Ids, Keys, Section

__all__ = ["Prepared", "SegmentBuilder", "content_hash"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """One document with everything but its vectors; numbers count from its own start."""

    document: Document
    digest: bytes
    chunks: Sequence[Chunk]
    tree: Tree
    summaries: list[str]
    mentions: EntityMentions
    terms: Keys
    term_chunks: Ids
    names: DocumentNames


class SegmentBuilder:
    """Collects documents and turns them into one `Batch`. Use it once.

    `prepare` depends on nothing that was added, and may run in several threads at once; all else
    belongs to one.
    """

    def __init__(self, settings: Settings, embedder: Embedder, vocabulary: Vocabulary) -> None:
        self.chunks = 0
        self._settings = settings
        self._embedder = embedder
        self._vocabulary = vocabulary
        self._prepared: dict[str, Prepared] = {}

    def __contains__(self, document_id: str) -> bool:
        return document_id in self._prepared

    def __len__(self) -> int:
        return len(self._prepared)

    def prepare(self, document: Document) -> Prepared | None:
        """Chunk and analyse a document; None when it has no text."""
        if not document.sections:
            document = replace(document, sections=(Section(0, len(document.text)),))
        count = self._embedder.count_tokens
        chunks = chunk(document, count, self._settings.chunk_tokens)
        return self._analyse(document, chunks) if chunks else None

    def add(self, prepared: Prepared) -> None:
        """Take in a document that a builder with the same settings and model has prepared."""
        self._prepared[prepared.document.id] = prepared
        self.chunks += len(prepared.chunks)

    def add_chunks(self, document: Document, chunks: Sequence[Chunk]) -> None:
        """Analyse a document that is cut into chunks, 1 or more, already; take it in."""
        self.add(self._analyse(document, chunks))

    def _analyse(self, document: Document, chunks: Sequence[Chunk]) -> Prepared:
        words = read_words(document.text, chunks, self._vocabulary)
        tree = _tree(chunks, words, self._settings)
        title_terms = question_terms(question_words(document.title))
        terms, term_chunks = lexical_terms(words, title_terms)
        return Prepared(
            document=document,
            digest=content_hash(document),
            chunks=chunks,
            tree=tree,
            summaries=summarize(document.text, chunks, words, tree),
            mentions=extract(document, chunks, words),
            terms=terms,
            term_chunks=term_chunks,
            names=names_of(document.id, document.title, words),
        )

    def finish(
        self,
        on_embedded: Callable[[int], None] | None = None,
        known: KnownVectors | None = None,
    ) -> Batch:
        """Embed all chunks and return the batch, its documents in ascending order of their ids.

        Args:
            on_embedded: told how many chunks were embedded since its last call.
            known: has the vectors of chunks that need not be embedded again.
        """
        prepared = [self._prepared[document_id] for document_id in sorted(self._prepared)]
        forest, first_abstract, first_chunk = join([part.tree for part in prepared])
        vectors = self._embed(prepared, on_embedded, known)
        abstract_vectors = aggregate(vectors.astype(np.float32), forest).astype(np.float16)
        return Batch(
            documents=[part.document for part in prepared],
            hashes=[part.digest for part in prepared],
            chunks=[part.chunks for part in prepared],
            summaries=[summary for part in prepared for summary in part.summaries],
            data=SegmentContent(
                dim=vectors.shape[1],
                vectors=[vectors],
                abstract_vectors=[abstract_vectors],
                forest=forest.native(),
                make_entities=partial(
                    self._entities, prepared, forest, first_abstract, first_chunk
                ),
                make_lexical=partial(_lexical, prepared, first_chunk),
                make_names=partial(NameIndex.build, [part.names for part in prepared]),
                first_abstract=first_abstract,
                first_chunk=first_chunk,
            ),
        )

    def _embed(
        self,
        prepared: list[Prepared],
        on_embedded: Callable[[int], None] | None,
        known: KnownVectors | None,
    ) -> Rows:
        if not self._embedder.dim:
            if on_embedded is not None:
                on_embedded(self.chunks)
            return np.empty((self.chunks, 0), np.float16)
        texts = [text for part in prepared for text in _indexed_texts(part)]
        held = known.of((part.document.id, part.digest) for part in prepared) if known else {}
        return embed_new(self._embedder, texts, held, on_embedded)

    def _entities(
        self, prepared: list[Prepared], forest: Tree, first_abstract: Ids, first_chunk: Ids
    ) -> EntityIndex:
        """Return the index of (entity, abstract) pairs: mentions lifted, titles at the roots."""
        chunks = _shifted([part.mentions.chunks for part in prepared], first_chunk)
        keys, abstracts = lift(
            np.concatenate([part.mentions.keys for part in prepared]),
            forest.leaf_of(chunks),
            forest,
            self._settings.lift,
        )
        whole = [part.mentions.document_keys for part in prepared]
        roots = np.repeat(first_abstract[1:] - 1, [len(part) for part in whole])
        return EntityIndex.build(
            np.concatenate([keys, *whole]),
            np.concatenate([abstracts, roots.astype(np.uint32)]),
        )


def _tree(chunks: Sequence[Chunk], words: Words, settings: Settings) -> Tree:
    if settings.windows == "fixed":
        return grow(len(chunks), settings.window, settings.branching)
    first = content_windows(chunks, words, settings.window)
    return grow_over(first, len(chunks), settings.branching)


def _lexical(prepared: list[Prepared], first_chunk: Ids) -> LexicalIndex:
    terms = np.concatenate([part.terms for part in prepared])
    chunks = _shifted([part.term_chunks for part in prepared], first_chunk)
    return LexicalIndex.build(terms, chunks, int(first_chunk[-1]))


def _indexed_texts(part: Prepared) -> Iterator[str]:
    title, text, chunks = part.document.title, part.document.text, Chunks.of(part.chunks)
    for start, end, headings in zip(chunks.starts, chunks.ends, chunks.headings, strict=True):
        yield indexed_text(title, headings, text[start:end])


def content_hash(document: Document) -> bytes:
    """Return the SHA-256 of all that is indexed of a document: title, text and metadata."""
    parts = (document.title, document.text, dump_json(dict(document.metadata)))
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def _shifted(numbers: list[Ids], first: Ids) -> Ids:
    """Return numbers that count from each document's start as numbers of the segment."""
    starts = np.repeat(first[:-1], [len(part) for part in numbers])
    return (np.concatenate(numbers) + starts).astype(np.uint32)
