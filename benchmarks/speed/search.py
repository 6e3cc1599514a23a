"""How long a search takes as a corpus grows, beside searches of all its vectors.

The corpus is synthetic; questions go over two hops, their vectors lie near the first passage that
answers. "bridge, all of it" is `Bridge.search` from the question's text to hits with texts and
reasons, embedding aside; "retrieval" stops at the numbers of the chunks. The twin does the same
in Python with a dict and NumPy, without bounds, texts and reasons; it finds the same chunks,
which is checked first. The others look at all vectors (NumPy, faiss flat, faiss HNSW) or words
(BM25). NumPy takes as many threads as it likes, which its "CPU" leaves out; the others take one.
"of exact" is how many of the eight that the exact scan finds a way finds, "gold" how many of the
three passages that answer are among its eight. At last: many questions at once, on one core and
on two, with ready vectors and with questions embedded by the default model on as many cores.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import bridgerag
from benchmarks._synthetic import Synthetic
from benchmarks._synthetic_questions import Asked, questions
from benchmarks._synthetic_store import Model, kept
from benchmarks._walk_starts import question
from benchmarks.speed import _dense
from benchmarks.speed._reach_twin import Twin
from benchmarks.speed._rows import Row, against, clocked, race, row
from bridgerag.embedding.minilm import MiniLM
from bridgerag.retrieval import Question, Timings
from bridgerag.retrieval.bridge import bridge as find
from bridgerag.retrieval.seeds import recognized
from bridgerag.store import Snapshot, Store
from bridgerag.types import Context, Vectors

__all__ = ["add_options", "measure"]

_BASE = "exact scan, NumPy"
_K, _DEPTH = 8, 2
_SCANNED = 20  # questions of a way that looks at everything
_IN_MEMORY = 1_000_000  # chunks, up to which all vectors are held as float32
_ROUNDS = 3
_MANY_ROUNDS = 9


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--dim", type=int, default=384, help="of the vectors")


def measure(options: argparse.Namespace) -> Iterator[Row]:
    smallest: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for chunks in [1_000] if options.quick else options.sizes:
            path = kept(options.stores or Path(folder), chunks, options.dim)
            with _Corpus.opened(path, chunks, options.dim, options.questions) as corpus:
                for one in _rows(corpus, options.quick):
                    first = smallest.setdefault(one.way, one.median)
                    one.facts["times the smallest"] = one.median / first
                    yield one


class Ready(Model):
    """Gives vectors that are made beforehand; another text, as a walk asks, gets one by itself."""

    def __init__(self, dim: int, vectors: Mapping[str, Any]) -> None:
        super().__init__(dim)
        self._vectors = vectors

    def embed(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        known = [self._vectors.get(text) for text in texts]
        if any(vector is None for vector in known):
            known = [
                super(Ready, self).embed([text])[0] if vector is None else vector
                for text, vector in zip(texts, known, strict=True)
            ]
        return np.stack(known)


class Embedded(Model):
    """Embeds by the default model, on so many cores, under the name of the store's."""

    def __init__(self, dim: int, cores: int) -> None:
        super().__init__(dim)
        inner = MiniLM(cores)
        self.embed, self.parts = inner.embed, inner.parts  # type: ignore[method-assign]


@dataclass(frozen=True, slots=True)
class _Corpus:
    made: Synthetic
    path: Path
    dim: int
    posed: list[Asked]
    asked: list[Question]
    snapshot: Snapshot

    @classmethod
    @contextmanager
    def opened(cls, path: Path, chunks: int, dim: int, count: int) -> Iterator[_Corpus]:
        made, store = Synthetic(chunks), Store(path)
        posed = questions(made, count)
        with store.reading() as snapshot:
            asked = [question(snapshot, one, dim) for one in posed]
            yield cls(made, path, dim, posed, asked, snapshot)
        store.close()

    @property
    def size(self) -> str:
        return f"{self.made.chunks:,} chunks, segments: {len(self.snapshot.segments)}"

    def ready(self) -> Ready:
        return Ready(self.dim, {one.text: one.vector for one in self.asked})

    def number(self, document: str, chunk: int) -> int:
        """Return a chunk's number in the corpus; a document's id ends in its own."""
        return int(self.made.first[int(document.removeprefix("d"))]) + chunk

    def gold(self, found: Sequence[Sequence[int]]) -> float:
        pairs = zip(self.posed, found, strict=False)
        return 100 * float(np.mean([len(set(p.gold) & set(f)) / 3 for p, f in pairs]))


def _rows(corpus: _Corpus, quick: bool) -> list[Row]:
    rows: list[Row] = []
    exact: list[list[int]] = []
    if corpus.made.chunks <= _IN_MEMORY:
        _check(corpus)
        rows, exact = _of_all_vectors(corpus)
        rows.append(_twin(corpus, exact))
    with bridgerag.open(corpus.path, embedder=corpus.ready()) as engine:
        for method in ("bridge", "walk", "bm25"):
            if method == "bm25" and corpus.made.chunks > _IN_MEMORY:
                continue
            search = partial(engine.search, k=_K, depth=_DEPTH, method=method)
            way = f"{method}, all of it"
            asked = corpus.asked[: _SCANNED if method == "bm25" else None]
            rows.append(
                _clocked(corpus, way, lambda q, s=search: _numbers(corpus, s(q.text)), asked, exact)
            )
        retrieve = partial(_retrieved, corpus.snapshot)
        rows.append(_clocked(corpus, "bridge, retrieval", retrieve, corpus.asked, exact))
        if exact:
            rows = against(rows, _BASE)
        rows += _many(corpus, engine, engine, "ready vectors")
    if not quick:
        models = (Embedded(corpus.dim, cores) for cores in (1, 2))
        one, two = (bridgerag.open(corpus.path, embedder=model) for model in models)
        with one, two:
            rows += _many(corpus, one, two, "embedded by the default model")
    return rows


def _of_all_vectors(corpus: _Corpus) -> tuple[list[Row], list[list[int]]]:
    """Return the rows of the ways that look at all vectors, and what is nearest."""
    parts = [live.segment.vectors for live in corpus.snapshot.segments]
    matrix = np.concatenate(parts).astype(np.float32)
    some = corpus.asked[:_SCANNED]
    near = {_BASE: _dense.scan(matrix)}
    exact = [near[_BASE](one.vector, _K) for one in corpus.asked]
    faiss = _dense.faiss_or_none()
    rows = []
    facts: dict[str, float | str] = {}
    if faiss is not None:
        near["exact scan, faiss flat"] = _dense.flat(faiss, matrix)
    for way, search in near.items():
        rows.append(_clocked(corpus, way, lambda q, s=search: s(q.vector, _K), some, exact))
    if faiss is not None:
        del near
        name = f"hnsw-{corpus.made.chunks}-{corpus.dim}.faiss"
        search, facts = _dense.graph(faiss, matrix, corpus.path.parent / name)
        call = lambda q: search(q.vector, _K)  # noqa: E731
        rows.append(_clocked(corpus, "faiss HNSW", call, corpus.asked, exact, facts))
    return rows, exact


def _twin(corpus: _Corpus, exact: Sequence[Sequence[int]]) -> Row:
    (live,) = corpus.snapshot.segments
    twin = Twin(live.segment)

    def search(one: Question) -> list[int]:
        keys = [mention.key for mention in recognized(corpus.snapshot, one)]
        chunks, _ = twin.best(keys, one.vector, _DEPTH, _K)
        if len(chunks) < _K:
            keys = [mention.key for mention in recognized(corpus.snapshot, one, nested=True)]
            chunks, _ = twin.best(keys, one.vector, _DEPTH, _K)
        return chunks.tolist()

    return _clocked(corpus, "bridge as dict + NumPy", search, corpus.asked, exact)


def _check(corpus: _Corpus) -> None:
    """Leave the program unless the engine and the twin find chunks of the same cosines."""
    (live,) = corpus.snapshot.segments
    twin = Twin(live.segment)
    compared = 0
    for one in corpus.asked[:50]:
        found = find(corpus.snapshot, one, _K, _DEPTH, Timings())
        if found.fallback or any(entity.ignored for entity in found.seeds):
            continue  # the twin follows every entity
        for nested in (False, True):
            keys = [mention.key for mention in recognized(corpus.snapshot, one, nested)]
            chunks, scores = twin.best(keys, one.vector, _DEPTH, _K)
            if len(chunks) == _K:
                break
        ours = [chosen.score for chosen in found.selected]
        if len(ours) != len(chunks) or not np.allclose(ours, scores, atol=1e-4):
            raise SystemExit(f"bridge and its twin differ on {one.text!r}")
        compared += 1
    if not compared:
        raise SystemExit("no question to compare bridge and its twin by")


def _retrieved(snapshot: Snapshot, one: Question) -> list[int]:
    found = find(snapshot, one, _K, _DEPTH, Timings())
    first = 0
    starts = {}
    for live in snapshot.segments:
        starts[live.segment.number] = first
        first += live.segment.chunks
    return [starts[chosen.live.segment.number] + chosen.chunk for chosen in found.selected]


def _numbers(corpus: _Corpus, context: Context) -> Callable[[], list[int]]:
    """Return what gives the hits' numbers, outside of the clock."""
    return lambda: [corpus.number(hit.document.id, hit.chunk) for hit in context.hits]


def _clocked(
    corpus: _Corpus,
    way: str,
    call: Callable[[Question], Any],
    asked: list[Question],
    exact: Sequence[Sequence[int]],
    facts: Mapping[str, float | str] | None = None,
) -> Row:
    """Return the row of one call a question, after each was asked once; the others are clocked."""
    found = [call(one) for one in asked]
    numbers = [one() if callable(one) else one for one in found]
    shared = [len(set(f) & set(e)) / _K for f, e in zip(numbers, exact, strict=False)]
    known: dict[str, float | str] = {"gold %": corpus.gold(numbers)}
    if shared:
        known["of exact %"] = 100 * float(np.mean(shared))
    return clocked(corpus.size, way, call, asked * _ROUNDS, {**known, **(facts or {})})


def _many(corpus: _Corpus, one: bridgerag.Bridge, two: bridgerag.Bridge, kind: str) -> list[Row]:
    """Return the rows of many questions at once, on one core and on two where there are two."""
    texts = [asked.text for asked in corpus.asked]
    if not hasattr(os, "sched_setaffinity"):
        return []
    cores = sorted(os.sched_getaffinity(0))
    some = two.search_many(texts[:8], k=_K, depth=_DEPTH, method="bridge")
    if [context.hits for context in some] != [
        one.search(text, k=_K, depth=_DEPTH, method="bridge").hits for text in texts[:8]
    ]:
        raise SystemExit("search_many and search differ")

    def on(engine: bridgerag.Bridge, count: int) -> None:
        os.sched_setaffinity(0, cores[:count])  # threads that are started inherit it
        try:
            engine.search_many(texts, k=_K, depth=_DEPTH, method="bridge", workers=count)
        finally:
            os.sched_setaffinity(0, cores)

    name = f"search_many, {kind}, cores: "
    calls = {f"{name}1": partial(on, one, 1)}
    if len(cores) > 1:
        calls[f"{name}2"] = partial(on, two, 2)
    for call in calls.values():  # every question once, before they are clocked
        call()
    rows = [
        row(corpus.size, way, "ms a question", 1e3 * np.array(seconds) / len(texts))
        for way, seconds in race(calls, _MANY_ROUNDS).items()
    ]
    return against(rows, f"{name}1")
