"""Find the rows nearest to a vector without looking at all of them: faiss's HNSW index.

Source: Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using
Hierarchical Navigable Small World graphs" (2018).
"""

from __future__ import annotations

from bridgerag.errors import MissingExtra
from bridgerag.types import Vector, Vectors

__all__ = ["Hnsw"]

_NEIGHBOURS = 32  # links of a node, faiss's default
_EF_BUILD, _EF_SEARCH = 100, 64


class Hnsw:
    """An index over unit vectors, by cosine. The same rows give the same index.

    Args:
        rows: shape ``(n, dim)``.
        purpose: what needs it, for the message when faiss is missing.

    Raises:
        MissingExtra: faiss is not installed.
    """

    def __init__(self, rows: Vectors, purpose: str) -> None:
        try:
            import faiss  # noqa: PLC0415 - an extra, and heavy
        except ImportError as error:
            raise MissingExtra(purpose, "eval") from error
        self.size_bytes = rows.nbytes + len(rows) * 4 * 2 * _NEIGHBOURS
        """Memory for vectors and links."""
        if not len(rows):
            self._index = None
            return
        self._index = faiss.IndexHNSWFlat(rows.shape[1], _NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        self._index.hnsw.efConstruction = _EF_BUILD
        self._index.hnsw.efSearch = _EF_SEARCH
        threads = faiss.omp_get_max_threads()
        faiss.omp_set_num_threads(1)  # several threads would link the graph in a random order
        try:
            self._index.add(rows)
        finally:
            faiss.omp_set_num_threads(threads)

    def search(self, vector: Vector, count: int) -> tuple[list[int], list[float]]:
        """Return about the ``count`` nearest rows, 64 at most, and their cosines, best first."""
        if self._index is None or not count:
            return [], []
        scores, rows = self._index.search(
            vector[None, :], min(count, _EF_SEARCH, self._index.ntotal)
        )
        found = [
            (row, score)
            for row, score in zip(rows[0].tolist(), scores[0].tolist(), strict=True)
            if row >= 0
        ]
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        return [row for row, _ in found], [score for _, score in found]
