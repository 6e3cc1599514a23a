"""How long it takes to find the eight nearest of a pool of chunks among a million, and of all.

Vectors are made up, of 384 numbers, as float32, float16 and int8; a pool's rows are drawn at random
and ascend, as those of a search do. Beside ours: NumPy (rows gathered, widened to float32, one
product, the best sorted) and faiss flat on one thread, float32 only, which takes a pool as a
selection. All find the same rows, or rows of the same cosine, which is checked first. GB/s counts
the bytes of the rows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed._dense import faiss_or_none
from benchmarks.speed._rows import Row, against, row
from bridgerag._native import dot_kernel, rank

__all__ = ["add_options", "measure"]

_K = 8
_POOLS = (100, 1_000, 10_000)
_BLOCK = 100_000
_SCANS = 5

Rows = NDArray[Any]
Pool = NDArray[np.uint32] | None
Best = tuple[NDArray[Any], NDArray[Any]]  # rows, cosines
Way = Callable[[NDArray[np.float32], Pool], Best]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000_000], help="rows")
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--questions", type=int, default=100)


def measure(options: argparse.Namespace) -> Iterator[Row]:
    faiss = faiss_or_none()
    for count in [2_000] if options.quick else options.sizes:
        for kind in (np.float32, np.float16, np.int8):
            rows = _made(count, options.dim, kind)
            ways: dict[str, Way] = {"NumPy": _numpy(rows), f"ours, {dot_kernel()}": _ours(rows)}
            if faiss is not None and kind is np.float32:
                ways["faiss flat"] = _faiss(faiss, rows)
            for pool in (*(size for size in _POOLS if size < count), None):
                yield from _rows(rows, ways, pool, options.questions)


def _made(count: int, dim: int, kind: type) -> Rows:
    """Return unit rows, or their directions in int8."""
    rows = np.empty((count, dim), kind)
    for first in range(0, count, _BLOCK):
        size = min(_BLOCK, count - first)
        block = np.random.default_rng([first, dim]).standard_normal((size, dim), np.float32)
        if kind is np.int8:
            block *= 127 / np.abs(block).max(axis=1, keepdims=True)
            rows[first : first + size] = np.rint(block)
        else:
            rows[first : first + size] = block / np.linalg.norm(block, axis=1, keepdims=True)
    return rows


def _numpy(rows: Rows) -> Way:
    def search(query: NDArray[np.float32], pool: Pool) -> Best:
        if pool is None:
            scores = np.concatenate([_scores(block, query) for block in _blocks(rows)])
        else:
            scores = _scores(rows[pool], query)
        best = np.argpartition(-scores, _K)[:_K]
        best = best[np.lexsort((best, -scores[best]))]
        return best if pool is None else pool[best], scores[best]

    return search


def _scores(rows: Rows, query: NDArray[np.float32]) -> NDArray[np.float32]:
    wide = rows.astype(np.float32, copy=False)
    dots: NDArray[np.float32] = wide @ query
    return dots / np.linalg.norm(wide, axis=1) if rows.dtype == np.int8 else dots


def _blocks(rows: Rows) -> Iterator[Rows]:
    step = len(rows) if rows.dtype == np.float32 else _BLOCK
    for first in range(0, len(rows), step):
        yield rows[first : first + step]


def _ours(rows: Rows) -> Way:
    return lambda query, pool: rank(query, rows, pool, _K)


def _faiss(faiss: Any, rows: Rows) -> Way:
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)

    def search(query: NDArray[np.float32], pool: Pool) -> Best:
        if pool is None:
            scores, ids = index.search(query[None], _K)
        else:
            chosen = faiss.SearchParameters(sel=faiss.IDSelectorBatch(pool))
            scores, ids = index.search(query[None], _K, params=chosen)
        return ids[0], scores[0]

    return search


def _rows(rows: Rows, ways: Mapping[str, Way], size: int | None, count: int) -> Iterator[Row]:
    chance = np.random.default_rng(11)
    given = []
    for _ in range(_SCANS if size is None else count):
        query = chance.standard_normal(rows.shape[1], np.float32)
        pool = None if size is None else chance.choice(len(rows), size, replace=False)
        ids = None if pool is None else np.sort(pool).astype(np.uint32)
        given.append((query / np.linalg.norm(query), ids))
    for query, pool in given[:3]:
        _, expected = ways["NumPy"](query, pool)
        for way, search in ways.items():
            if not np.allclose(search(query, pool)[1], expected, atol=1e-4):
                raise SystemExit(f"{way} finds other rows than NumPy")
    title = f"{'all' if size is None else f'pool of {size:,}'} of {len(rows):,} {rows.dtype} rows"
    used = (len(rows) if size is None else size) * rows.shape[1] * rows.itemsize
    found = []
    for way, search in ways.items():
        some = given[: max(3, count // 10)] if way == "faiss flat" and size else given
        times = []
        for query, pool in some:
            start = time.perf_counter()
            search(query, pool)
            times.append(time.perf_counter() - start)
        speed = used / float(np.median(times)) / 1e9
        found.append(row(title, way, "us a question", 1e6 * np.array(times), GB_s=speed))
    yield from against(found, "NumPy")
