"""Cut a document into chunks of whole sentences.

Sentences are packed until the next one would not fit (see native/include/bridge/pack.h). Page and
row borders always cut; a heading cuts unless the running chunk is still small. A sentence that is
too long for a chunk of its own is cut after a clause, else between words, else between characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import pack
from bridgerag.protocols import TokenCounter
from bridgerag.text import sentence_rows
from bridgerag.types import Chunk, Document, Ids, Section

__all__ = ["SpanCounter", "chunk"]

Rows: TypeAlias = NDArray[np.uint32]  # shape (n, 2): spans (start, end)
Units: TypeAlias = NDArray[np.int64]  # shape (n, 4): a `Unit` each

# A sentence or a piece of one. Its size counts against the target: see _CHARS_PER_TOKEN.
Unit: TypeAlias = tuple[int, int, int, int]
START, END, TOKENS, SIZE = range(4)

_CountSpans: TypeAlias = Callable[[str, Rows], NDArray[np.integer]]

# A tokenizer may count a very long word as one unknown token; no token is taken to be longer.
_CHARS_PER_TOKEN = 16

_CJK = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_ATOM = re.compile(rf"[{_CJK}][\u3001\u3002\uff0c\uff0e\uff1a-\uff1f]*+|[^\s{_CJK}]+")
_ATOMS_AT_ONCE = 4096  # so that a line of 200 MB is never held as words
_CLAUSE_END = tuple(",;:|—–，、：；」』。،؛")


class SpanCounter(Protocol):
    """A `TokenCounter` that can count many stretches of a text at once."""

    def of_spans(self, text: str, spans: Rows) -> NDArray[np.integer]:
        """Return the number of tokens in ``text[start:end]`` for each row (start, end)."""
        ...


def chunk(document: Document, count_tokens: TokenCounter, target: int = 128) -> list[Chunk]:
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
    if not len(units):
        return []
    spans = np.ascontiguousarray(units[:, :TOKENS], np.uint32)
    first, homes = pack(
        document.text,
        spans,
        units[:, SIZE].astype(np.uint32),
        borders,
        np.array([(section.start, section.end) for section in sections], np.uint32),
        _groups(sections),
        target,
    )
    tokens = np.add.reduceat(units[:, TOKENS], first)
    sentences = list(zip(*spans.T.tolist(), strict=True))
    ends = [*first[1:].tolist(), len(sentences)]
    return [
        _chunk(tuple(sentences[start:end]), size, sections[home])
        for start, end, size, home in zip(
            first.tolist(), ends, tokens.tolist(), homes.tolist(), strict=True
        )
    ]


def _groups(sections: Sequence[Section]) -> Ids:
    """Return a number a section; neighbours on one page and in one row have the same."""
    groups = groupby(sections, key=lambda section: (section.page, section.row))
    sizes = [len(list(group)) for _, group in groups]
    return np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)


def _chunk(sentences: tuple[tuple[int, int], ...], tokens: int, home: Section) -> Chunk:
    start, end = sentences[0][0], sentences[-1][1]
    return Chunk(start, end, tokens, sentences, home.headings, home.page, home.row)


class _Cutter:
    """Cuts a text into units that fit into a chunk."""

    def __init__(self, text: str, count_tokens: TokenCounter, target: int) -> None:
        self.text, self.target = text, target
        of_spans = getattr(count_tokens, "of_spans", None)
        self.count: _CountSpans = of_spans or _one_by_one(count_tokens)

    def units(self, sections: Sequence[Section]) -> tuple[Units, Ids]:
        """Return the sentences, those that are too long in pieces, and where each section begins.

        Units have shape ``(n, 4)``, the borders among them ``(sections + 1,)``.
        """
        rows = [sentence_rows(self.text, section.start, section.end) for section in sections]
        table = self.measure(np.concatenate(rows))
        borders = np.cumsum([0, *map(len, rows)])
        long = np.flatnonzero(table[:, SIZE] > self.target)
        if not len(long):
            return table, borders.astype(np.uint32)
        parts: list[Units] = []
        before = 0
        grown = np.zeros(len(table) + 1, np.int64)  # how many more units there are in front of each
        for place, pieces in zip(long.tolist(), self.pieces(table[long]), strict=True):
            parts += (table[before:place], np.array(pieces, np.int64))
            grown[place + 1] = len(pieces) - 1
            before = place + 1
        parts.append(table[before:])
        return np.concatenate(parts), (borders + np.cumsum(grown)[borders]).astype(np.uint32)

    def measure(self, spans: Rows) -> Units:
        """Return a unit a span; one that is too long by its characters alone is not counted."""
        table = np.zeros((len(spans), 4), np.int64)
        table[:, :TOKENS] = spans
        least = -(-(table[:, END] - table[:, START]) // _CHARS_PER_TOKEN)
        fits = least <= self.target
        table[fits, TOKENS] = self.count(self.text, spans[fits])
        table[:, SIZE] = np.maximum(table[:, TOKENS], least)
        return table

    def pieces(self, long: Units) -> Iterator[list[Unit]]:
        """Yield the pieces of each of some units that are too long."""
        for _, atoms in groupby(self.atoms(long), key=lambda atom: atom[0]):
            yield list(self.clauses(unit for _, unit in atoms))

    def clauses(self, atoms: Iterable[Unit]) -> Iterator[Unit]:
        """Cut a sentence where the piece is full: after its last clause, if that is not early."""
        piece: list[Unit] = []
        size = 0
        for atom in atoms:
            while piece and size + atom[SIZE] > self.target:
                cut = self.clause_end(piece)
                yield _join(piece[:cut])
                piece = piece[cut:]
                size = sum(unit[SIZE] for unit in piece)
            piece.append(atom)
            size += atom[SIZE]
        yield _join(piece)

    def clause_end(self, piece: list[Unit]) -> int:
        """Return how many atoms make a piece that ends well, at least half of them."""
        for at in range(len(piece) - 1, len(piece) // 2, -1):
            end = piece[at - 1][END]
            gap = self.text[end : piece[at][START]]
            if "\n" in gap or self.text.endswith(_CLAUSE_END, 0, end):
                return at
        return len(piece)

    def atoms(self, long: Units) -> Iterator[tuple[int, Unit]]:
        """Yield the words, CJK characters, and slices of words that are too long for a chunk.

        Each with the number of the unit in ``long`` that holds it.
        """
        found = (
            (place, *atom.span())
            for place, (start, end, *_) in enumerate(long.tolist())
            for atom in _ATOM.finditer(self.text, start, end)
        )
        while rows := list(islice(found, _ATOMS_AT_ONCE)):
            units = self.measure(np.array(rows, np.uint32)[:, 1:]).tolist()
            for (place, *_), (start, end, tokens, size) in zip(rows, units, strict=True):
                if size <= self.target:
                    yield place, (start, end, tokens, size)
                else:
                    for unit in self.slices(start, end, self.target):
                        yield place, unit

    def slices(self, start: int, end: int, width: int) -> Iterator[Unit]:
        """Yield slices of a word, halved until they fit."""
        spans = [(at, min(at + width, end)) for at in range(start, end, width)]
        for first, last, tokens, size in self.measure(np.array(spans, np.uint32)).tolist():
            if size <= self.target or last - first == 1:
                yield first, last, tokens, size
            else:
                middle = (first + last) // 2
                yield from self.slices(first, middle, middle - first)
                yield from self.slices(middle, last, last - middle)


def _one_by_one(count_tokens: TokenCounter) -> _CountSpans:
    def count(text: str, spans: Rows) -> NDArray[np.integer]:
        return np.array([count_tokens(text[a:b]) for a, b in spans.tolist()], np.int64)

    return count


def _join(units: list[Unit]) -> Unit:
    start, end = units[0][START], units[-1][END]
    return start, end, sum(unit[TOKENS] for unit in units), sum(unit[SIZE] for unit in units)
