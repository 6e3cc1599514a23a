"""Cut a document into chunks of whole sentences.

Sentences are packed until the next one would not fit (see native/include/bridge/pack.h). Page and
row borders always cut; a heading cuts unless the running chunk is still small. A sentence that is
too long for a chunk of its own is cut after a clause, else between words, else between characters
(see native/include/bridge/cut.h).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bridgerag import _native
from bridgerag.chunks import Chunks
from bridgerag.protocols import TokenCounter
from bridgerag.text import sentence_rows
from bridgerag.types import Document, Ids, Section

__all__ = ["SpanCounter", "chunk"]

Rows: TypeAlias = NDArray[np.uint32]  # shape (n, 2): spans (start, end)
Numbers: TypeAlias = NDArray[np.int64]

_CountSpans: TypeAlias = Callable[[str, Rows], NDArray[np.integer]]

# A tokenizer may count a very long word as one unknown token; no token is taken to be longer.
_CHARS_PER_TOKEN = 16
_ATOMS_AT_ONCE = 1 << 16  # so that a line of 200 MB is never held as words


class SpanCounter(Protocol):
    """A `TokenCounter` that can count many stretches of a text at once."""

    def of_spans(self, text: str, spans: Rows) -> NDArray[np.integer]:
        """Return the number of tokens in ``text[start:end]`` for each row (start, end)."""
        ...


class _Units(NamedTuple):
    """Sentences or parts of them, in order.

    Attributes:
        spans: shape (n, 2).
        tokens: shape (n,).
        sizes: shape (n,), what each counts against the target; see _CHARS_PER_TOKEN.
    """

    spans: Rows
    tokens: Ids
    sizes: Ids


def chunk(document: Document, count_tokens: TokenCounter, target: int = 128) -> Chunks:
    """Return the chunks of ``document``, in order.

    Every character that is not white space is in exactly one chunk. A chunk's ``tokens`` is the sum
    over its sentences, each counted once (where a word had to be cut, its parts); it is at most
    ``target``, save for a single character that alone counts more.

    Args:
        target: the most tokens a chunk may hold, 1 or more.

    Cost: linear in the text, beside one call of ``count_tokens`` a sentence, or one a section where
    it is a `SpanCounter`.
    """
    sections = document.sections
    units, borders = _Cutter(document.text, count_tokens, target).units(sections)
    if not len(units.spans):
        return Chunks.of([])
    first, tokens, homes = _native.pack(
        document.text,
        *units,
        borders,
        np.array([(section.start, section.end) for section in sections], np.uint32),
        _groups(sections),
        target,
    )
    return Chunks(units.spans, first, tokens, sections, homes)


def _groups(sections: Sequence[Section]) -> Ids:
    """Return a number a section; neighbours on one page and in one row have the same."""
    groups = groupby(sections, key=lambda section: (section.page, section.row))
    sizes = [len(list(group)) for _, group in groups]
    return np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)


class _Cutter:
    """Cuts a text into units that fit into a chunk."""

    def __init__(self, text: str, count_tokens: TokenCounter, target: int) -> None:
        self.text, self.target = text, target
        of_spans = getattr(count_tokens, "of_spans", None)
        self.count: _CountSpans = of_spans or _one_by_one(count_tokens)

    def units(self, sections: Sequence[Section]) -> tuple[_Units, Ids]:
        """Return the sentences, those that are too long in pieces, and where each section begins.

        The borders among the units have shape ``(sections + 1,)``.
        """
        rows = [sentence_rows(self.text, section.start, section.end) for section in sections]
        borders = np.array([*accumulate(map(len, rows), initial=0)], np.uint32)
        units, long = self.measure(rows[0] if len(rows) == 1 else np.concatenate(rows))
        if len(long):
            pieces, places = self.pieces(units.spans[long])
            counts = np.bincount(places)
            grown = np.zeros(len(units.spans) + 1, np.int64)  # by how many units before each
            grown[long + 1] = counts - 1
            borders = (borders + np.cumsum(grown)[borders]).astype(np.uint32)
            units = _Units(
                *(_replaced(c, long, counts, p) for c, p in zip(units, pieces, strict=True))
            )
        return units, borders

    def measure(self, spans: Rows) -> tuple[_Units, Ids]:
        """Return a unit a span, and the numbers of those that are too long for a chunk.

        One that is too long by its characters alone is not counted.
        """
        most = self.target * _CHARS_PER_TOKEN
        if len(self.text) <= most or np.diff(spans).max(initial=0) <= most:
            tokens = np.asarray(self.count(self.text, spans), np.uint32)
        else:
            fits = np.diff(spans)[:, 0] <= most
            tokens = np.zeros(len(spans), np.uint32)
            tokens[fits] = self.count(self.text, spans[fits])
        sizes, long = _native.unit_sizes(spans, tokens, _CHARS_PER_TOKEN, self.target)
        return _Units(spans, tokens, sizes), long

    def pieces(self, long: Rows) -> tuple[_Units, Ids]:
        """Return the pieces of some spans that are too long, and the number of the span of each."""
        found: list[_Units] = []
        places_found: list[Ids] = []
        (held, _), held_places = self.measure(long[:0]), np.empty(0, np.uint32)
        for atoms, places, last in self.atoms(long):
            held = _chained([held, atoms])
            held_places = np.concatenate([held_places, places])
            ends = _native.clauses(self.text, held_places, held.spans, held.sizes, self.target)
            if not last:
                ends = ends[:-1]  # more of that piece may follow
            first = np.concatenate([[0], ends]).astype(np.int64)
            done = first[-1]
            found.append(_joined(_part(held, slice(done)), first))
            places_found.append(held_places[first[:-1]])
            held, held_places = _part(held, slice(done, None)), held_places[done:]
        return _chained(found), np.concatenate(places_found)

    def atoms(self, spans: Rows) -> Iterator[tuple[_Units, Ids, bool]]:
        """Yield the words, CJK characters, and slices of words that are too long for a chunk.

        They come in blocks, each with the number of the span of each atom, and whether it is the
        last block.
        """
        before = 0
        last = False
        while not last:
            rows = _native.atoms(self.text, spans, _ATOMS_AT_ONCE)
            last = len(rows) < _ATOMS_AT_ONCE
            spans_found = np.ascontiguousarray(rows[:, 1:])
            yield *self.sliced(spans_found, rows[:, 0] + np.uint32(before)), last
            if not last:
                at = int(rows[-1, 0])
                before, spans = before + at, spans[at:].copy()
                spans[0, 0] = rows[-1, 2]

    def sliced(self, spans: Rows, places: Ids) -> tuple[_Units, Ids]:
        """Return atoms and their numbers with those that are too long in slices.

        The slices have ``target`` characters at first, and are then halved until they fit.
        """
        units, long = self.measure(spans)
        cut = self.cut_evenly
        while len(long):
            slices = [cut(*span) for span in spans[long].tolist()]
            counts = np.array([*map(len, slices)])
            spans = _replaced(spans, long, counts, np.concatenate(slices))
            places = _replaced(places, long, counts, np.repeat(places[long], counts))
            units, long = self.measure(spans)
            long = long[np.diff(spans[long])[:, 0] > 1]
            cut = _halves
        return units, places

    def cut_evenly(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return slices of ``target`` characters, the last one what is left."""
        return [(at, min(at + self.target, end)) for at in range(start, end, self.target)]


def _halves(start: int, end: int) -> list[tuple[int, int]]:
    middle = (start + end) // 2
    return [(start, middle), (middle, end)]


def _replaced(column: Ids, at: Ids, counts: Numbers, rows: NDArray[np.integer]) -> Ids:
    """Return a column in which so many of ``rows`` stand for each of those numbered ``at``."""
    becomes, is_old = np.ones(len(column), np.int64), np.zeros(len(column), bool)
    becomes[at], is_old[at] = counts, True
    grown: Ids = np.repeat(column, becomes, axis=0)
    grown[np.repeat(is_old, becomes)] = rows
    return grown


def _part(units: _Units, rows: slice) -> _Units:
    return _Units(*(column[rows] for column in units))


def _chained(parts: Sequence[_Units]) -> _Units:
    return _Units(*map(np.concatenate, zip(*parts, strict=True)))


def _joined(units: _Units, borders: Numbers) -> _Units:
    """Return one unit for those from each border up to the next."""
    first = borders[:-1]
    if not len(first):
        return units
    spans = np.stack([units.spans[first, 0], units.spans[borders[1:] - 1, 1]], axis=1)
    return _Units(spans, *(np.add.reduceat(column, first) for column in units[1:]))


def _one_by_one(count_tokens: TokenCounter) -> _CountSpans:
    def count(text: str, spans: Rows) -> NDArray[np.integer]:
        return np.array([count_tokens(text[a:b]) for a, b in spans.tolist()], np.int64)

    return count
