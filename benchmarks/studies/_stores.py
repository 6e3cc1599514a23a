"""Stores of one data set built with different settings; its chunks are embedded once for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import numpy as np

import bridgerag
from benchmarks._data import corpus_path, data_folder
from bridgerag.protocols import Embedder
from bridgerag.store import KnownVectors, Store
from bridgerag.store.segment import Rows
from bridgerag.store.vectors import embed_new
from bridgerag.types import Vectors

__all__ = ["open_store"]


@contextmanager
def open_store(
    name: str, stores: Path, embedder: Embedder, choice: Mapping[str, float | str]
) -> Iterator[bridgerag.Bridge]:
    """Give the store of a data set, built now or by an earlier call.

    Args:
        choice: settings that differ from the usual ones. They must not change how documents are
            cut, so that the vectors of the usual store, which is built first, serve here too.
    """
    embedding = embedder.name if embedder.name == "none" else "minilm"
    settings = bridgerag.Settings(embedding, **choice)
    usual = stores / f"{name}-{embedding}"
    place, model = usual, embedder
    if settings != bridgerag.Settings(embedding):
        with open_store(name, stores, embedder, {}):
            pass
        parts = (f"-{setting}-{value}" for setting, value in choice.items())
        place, model = Path(f"{usual}{''.join(parts)}"), _FromStore(usual, embedder)
    with bridgerag.open(place, settings=settings, embedder=model) as bridge:
        bridge.add(corpus_path(data_folder(name)))
        yield bridge


class _FromStore:
    """Takes the vectors of chunks out of a store where they are, and embeds what is not there."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self.name, self.fingerprint, self.dim = embedder.name, embedder.fingerprint, embedder.dim
        self.count_tokens = embedder.count_tokens
        self._path, self._embedder = path, embedder

    def embed(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        if len(texts) == 1:  # a question
            return self._embedder.embed(texts, on_done)
        return embed_new(self._embedder, texts, self._known, on_done).astype(np.float32)

    @cached_property
    def _known(self) -> dict[str, Rows]:
        store = Store(self._path)
        with store.reading() as snapshot:
            documents = [(ref.id, b"") for ref in snapshot.all_documents()]
        with store.writing() as (writer, _):
            known = KnownVectors(self._path, writer.connection).of(documents)
        store.close()
        return known
