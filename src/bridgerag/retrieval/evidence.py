"""What speaks for each chunk by itself: its cosine with the question and its BM25, as in `hybrid`.

A small store has all its chunks scored. In a large one that would cost a pass over all vectors, so
only candidates are: the best chunks by BM25 of the question's rare words, and those that its names
lead to. What they cost does not grow with the store. A question that has no name has all of them
scored there too, unless its caller is content with candidates; so has one that asks for more chunks
than there are candidates.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import dot_rows
from bridgerag.entities.lexical import BM25_B, BM25_K1
from bridgerag.retrieval.hybrid import LEXICAL_WEIGHT
from bridgerag.retrieval.method import Origin, Question
from bridgerag.retrieval.score import Scored, Weighed, lexical_scores, live_bytes, merge, top, weigh
from bridgerag.store import Snapshot
from bridgerag.store.snapshot import LiveSegment
from bridgerag.types import Ids, Vector

__all__ = ["Evidence"]

_EXACT = 65_536  # live chunks, up to which all are scored
_MOST = 100  # best chunks that candidates are enough for
_POSTINGS = 16_384  # of the rarest words, in all segments together
_REACHED = 100  # candidates by BM25


@dataclass(frozen=True, slots=True)
class _Part:
    """Chunks of one segment, ascending (None: all of them), and what speaks for each."""

    chunks: Ids | None
    lexical: NDArray[np.float32]
    dense: NDArray[np.float32] | None

    def place(self, chunk: int) -> int | None:
        """Return where a chunk of the segment stands in the part."""
        if self.chunks is None:
            return chunk
        place = int(self.chunks.searchsorted(np.uint32(chunk)))
        return place if place < len(self.chunks) and self.chunks[place] == chunk else None


@dataclass(frozen=True, slots=True)
class _Parts:
    """A part of each segment, and what speaks for a chunk all in all."""

    parts: list[_Part]
    scores: list[NDArray[np.float32]]

    def __len__(self) -> int:
        return sum(map(len, self.scores))


def _scored(parts: list[_Part]) -> _Parts:
    most = max((float(part.lexical.max(initial=0.0)) for part in parts), default=0.0)
    weight = np.float32(LEXICAL_WEIGHT / most if most > 0 else 0.0)
    scores = []
    for part in parts:
        shares = part.lexical * weight
        scores.append(shares if part.dense is None else np.add(shares, part.dense, out=shares))
    return _Parts(parts, scores)


class Evidence:
    """Scores of live chunks, which are numbered through the segments of a snapshot."""

    def __init__(
        self,
        snapshot: Snapshot,
        question: Question,
        leads: NDArray[np.integer] | None = None,
        bounded: bool = False,
    ) -> None:
        """Gather the candidates, where they are enough.

        Args:
            leads: live chunks that the names of the question lead to, a bounded number, in any
                order; None or none of them: the question has no name.
            bounded: gather candidates also where it has none.
        """
        self._snapshot, self._question = snapshot, question
        self._first = snapshot.first_chunks
        self._candidates: _Parts | None = None
        if leads is None:
            leads = np.empty(0, np.int64)
        if snapshot.chunks > _EXACT and (bounded or len(leads)):
            self._candidates = self._gather(leads)

    def best(self, count: int) -> list[tuple[int, float]]:
        """Return the ``count`` best chunks, best first."""
        among = self._candidates if count <= _MOST else None
        if among is None or len(among) < count:
            among = self._all
        scored: list[Scored] = []
        for i, (part, scores) in enumerate(zip(among.parts, among.scores, strict=True)):
            places, values = top(scores, None, count)
            chunks = (places if part.chunks is None else part.chunks[places]).tolist()
            scored += zip([i] * len(chunks), chunks, values.tolist(), strict=True)
        merged = merge(self._snapshot, scored, count)
        return [(self._first[i] + chunk, score) for i, chunk, score in merged]

    def cosines(self, vector: Vector, chunks: Ids) -> NDArray[np.float64]:
        """Return the cosines of some chunks with another vector."""
        found = np.zeros(len(chunks))
        segments = np.searchsorted(self._first, chunks, side="right") - 1
        for i, live in enumerate(self._snapshot.segments):
            here = np.flatnonzero(segments == i)
            if len(here):
                found[here] = _dot(vector, live, (chunks[here] - self._first[i]).astype(np.uint32))
        return found

    def origins(self, number: int) -> tuple[Origin, ...]:
        """Return the plain reasons for a chunk."""
        i = bisect_right(self._first, number) - 1
        chunk = number - self._first[i]
        part = (self._all if self._candidates is None else self._candidates).parts[i]
        place = part.place(chunk)
        if place is None:
            alone = np.array([chunk], np.uint32)
            part, place = self._part(self._snapshot.segments[i], alone), 0
        lexical = Origin("lexical", float(part.lexical[place]))
        if part.dense is None:
            return (lexical,)
        dense = Origin("dense", float(part.dense[place]))
        return (dense, lexical) if lexical.score > 0 else (dense,)

    # ---- which chunks are scored

    @cached_property
    def _all(self) -> _Parts:
        lexical = lexical_scores(self._snapshot, self._question)
        parts = []
        for live, scores in zip(self._snapshot.segments, lexical, strict=True):
            chunks = live.live_chunks()
            held = scores if chunks is None else scores[chunks]
            parts.append(_Part(chunks, held, self._dense(live, chunks)))
        return _scored(parts)

    def _gather(self, leads: NDArray[np.integer]) -> _Parts:
        reached = [self._first[i] + chunk for i, chunk, _ in self._reach()]
        numbers = np.union1d(leads, np.array(reached, np.int64))
        borders = np.searchsorted(numbers, self._first)
        parts = [
            self._part(live, (numbers[first:last] - start).astype(np.uint32))
            for live, first, last, start in zip(
                self._snapshot.segments, borders[:-1], borders[1:], self._first, strict=False
            )
        ]
        return _scored(parts)

    def _reach(self) -> list[Scored]:
        """Return the best chunks by BM25 of the rare words alone, in no order."""
        weighed = self._weighed
        rare = int(np.searchsorted(np.cumsum(weighed.frequency), _POSTINGS, side="right"))
        if not weighed.frequency[:rare].any():
            return []
        found: list[Scored] = []
        for i, live in enumerate(self._snapshot.segments):
            chunks, scores = live.segment.lexical.top(
                weighed.terms[:rare], weighed.idf[:rare], weighed.average, _REACHED,
                BM25_K1, BM25_B, live_bytes(live),
            )  # fmt: skip
            found += zip([i] * len(chunks), chunks.tolist(), scores.tolist(), strict=True)
        if len(found) <= _REACHED:
            return found
        least = sorted((score for _, _, score in found), reverse=True)[_REACHED - 1]
        above = [one for one in found if one[2] > least]
        tied = [one for one in found if one[2] == least]
        return above + merge(self._snapshot, tied, _REACHED - len(above))

    # ---- what speaks for some of a segment

    @cached_property
    def _weighed(self) -> Weighed:
        return weigh(self._snapshot, self._question)

    def _part(self, live: LiveSegment, chunks: Ids) -> _Part:
        weighed = self._weighed
        lexical = live.segment.lexical.score_of(
            weighed.terms, weighed.idf, weighed.average, chunks, BM25_K1, BM25_B
        )
        return _Part(chunks, lexical / np.float32(weighed.most), self._dense(live, chunks))

    def _dense(self, live: LiveSegment, chunks: Ids | None) -> NDArray[np.float32] | None:
        vector = self._question.vector
        return None if vector is None else _dot(vector, live, chunks)


def _dot(vector: Vector, live: LiveSegment, chunks: Ids | None) -> NDArray[np.float32]:
    live.segment.check_vectors(chunks)
    return dot_rows(vector, live.segment.vectors, chunks)
