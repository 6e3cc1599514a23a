"""Dense search over a whole matrix: NumPy, faiss flat, faiss HNSW. One thread each."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Near", "faiss_or_none", "flat", "graph", "scan"]

Matrix = NDArray[np.float32]
Near = Callable[[NDArray[np.float32], int], list[int]]  # a vector's k nearest rows, best first

_NEIGHBOURS, _BUILD, _SEARCH = 32, 40, 64  # M, efConstruction, efSearch


def scan(matrix: Matrix) -> Near:
    """Return an exact search in NumPy: a product, the k best, in order."""

    def near(vector: NDArray[np.float32], k: int) -> list[int]:
        scores = matrix @ vector
        k = min(k, len(scores))
        best = np.argpartition(-scores, k - 1)[:k]
        return best[np.lexsort((best, -scores[best]))].tolist()

    return near


def faiss_or_none() -> Any:
    """Return faiss set to one thread, or None, said in a line."""
    try:
        import faiss
    except ImportError:
        print("  faiss skipped: pip install faiss-cpu")
        return None
    faiss.omp_set_num_threads(1)
    return faiss


def flat(faiss: Any, matrix: Matrix) -> Near:
    """Return faiss' exact search."""
    index = faiss.IndexFlatIP(matrix.shape[1])
    index.add(matrix)
    return _search(index)


def graph(faiss: Any, matrix: Matrix, kept: Path) -> tuple[Near, dict[str, float | str]]:
    """Return faiss' HNSW, built on all cores or read from the file ``kept``, and facts of it."""
    facts: dict[str, float | str] = {"M": _NEIGHBOURS, "efSearch": _SEARCH}
    if kept.exists():
        index = faiss.read_index(str(kept))
    else:
        index = faiss.IndexHNSWFlat(matrix.shape[1], _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = _BUILD
        start = time.perf_counter()
        faiss.omp_set_num_threads(os.cpu_count() or 1)
        index.add(matrix)
        faiss.omp_set_num_threads(1)
        facts["build s"] = time.perf_counter() - start
        faiss.write_index(index, str(kept))
    index.hnsw.efSearch = _SEARCH
    return _search(index), facts


def _search(index: Any) -> Near:
    def near(vector: NDArray[np.float32], k: int) -> list[int]:
        return index.search(vector[None], k)[1][0].tolist()

    return near
