"""Cut a document into chunks of whole sentences.

Sentences are packed until the next one would not fit. Page and row borders always cut; a heading
cuts unless the running chunk is still small. A sentence that is too long for a chunk of its own is
cut after a clause, else between words, else between characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice, pairwise
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bridgerag.protocols import TokenCounter
from bridgerag.text import sentence_rows
from bridgerag.types import Chunk, Document, Section

__all__ = ["SpanCounter", "chunk"]

Rows: TypeAlias = NDArray[np.uint32]  # shape (n, 2): spans (start, end)

# A sentence or a piece of one. Its size counts against the target: see _CHARS_PER_TOKEN. (A plain
# tuple, because there are as many as sentences.)
Unit: TypeAlias = tuple[int, int, int, int]
START, END, TOKENS, SIZE = range(4)

# A tokenizer may count a very long word as one unknown token; no token is taken to be longer.
_CHARS_PER_TOKEN = 16

_SMALL = 4  # a chunk under a quarter of the target goes on past a heading
_TAIL = 6  # a last chunk under a sixth of the target is evened out with the one before
_LEAD_IN = 16  # a line under a sixteenth of it that is no sentence goes with what follows

_STOPS = frozenset(".!?。！？…؟۔।")
_CJK = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_ATOM = re.compile(rf"[{_CJK}][\u3001\u3002\uff0c\uff0e\uff1a-\uff1f]*+|[^\s{_CJK}]+")
_ATOMS_AT_ONCE = 4096  # so that a line of 200 MB is never held as words
_CLAUSE_END = tuple(",;:|—–，、：；」』。،؛")


@runtime_checkable
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
    cutter = _Cutter(document.text, count_tokens, target)
    chunks: list[Chunk] = []
    for _, sections in groupby(document.sections, key=lambda section: (section.page, section.row)):
        packer = _Packer(document.text, target)
        for section in sections:
            packer.pack(section, cutter.units(section.start, section.end))
        chunks += packer.chunks()
    return chunks


class _Cutter:
    """Cuts a text into units that fit into a chunk."""

    def __init__(self, text: str, count_tokens: TokenCounter, target: int) -> None:
        self.text, self.target = text, target
        self.count = _one_by_one(count_tokens)
        if isinstance(count_tokens, SpanCounter):
            self.count = count_tokens.of_spans

    def units(self, start: int, end: int) -> Iterator[Unit]:
        """Yield the sentences between ``start`` and ``end``, those that are too long in pieces."""
        for unit in self.measure(sentence_rows(self.text, start, end)):
            if unit[SIZE] <= self.target:
                yield unit
            else:
                yield from self.clauses(unit[START], unit[END])

    def measure(self, spans: Rows) -> Iterator[Unit]:
        """Return a unit a span; one that is too long by its characters alone is not counted."""
        least = -(-(spans[:, 1].astype(np.int64) - spans[:, 0]) // _CHARS_PER_TOKEN)
        tokens = np.zeros(len(spans), np.int64)
        fits = least <= self.target
        tokens[fits] = self.count(self.text, spans[fits])
        columns = spans[:, 0], spans[:, 1], tokens, np.maximum(tokens, least)
        return zip(*(column.tolist() for column in columns), strict=True)

    def clauses(self, start: int, end: int) -> Iterator[Unit]:
        """Cut an overlong sentence where the piece is full: after its last clause, if not early."""
        piece: list[Unit] = []
        size = 0
        for atom in self.atoms(start, end):
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

    def atoms(self, start: int, end: int) -> Iterator[Unit]:
        """Yield the words, CJK characters, and slices of words that are too long for a chunk."""
        atoms = _ATOM.finditer(self.text, start, end)
        while spans := [atom.span() for atom in islice(atoms, _ATOMS_AT_ONCE)]:
            for unit in self.measure(np.array(spans, np.uint32)):
                if unit[SIZE] <= self.target:
                    yield unit
                else:
                    yield from self.slices(unit[START], unit[END], self.target)

    def slices(self, start: int, end: int, width: int) -> Iterator[Unit]:
        """Yield slices of a word, halved until they fit."""
        spans = [(at, min(at + width, end)) for at in range(start, end, width)]
        for unit in self.measure(np.array(spans, np.uint32)):
            first, last, _, size = unit
            if size <= self.target or last - first == 1:
                yield unit
            else:
                middle = (first + last) // 2
                yield from self.slices(first, middle, middle - first)
                yield from self.slices(middle, last, last - middle)


class _Packer:
    """Packs the units of one page, one row or one unpaged document, section by section.

    A chunk is a run of units, from one border to the next; its home is the section in which it was
    begun.
    """

    def __init__(self, text: str, target: int) -> None:
        self.text, self.target = text, target
        self.sections: list[Section] = []
        self.spans: list[tuple[int, int]] = []
        self.tokens: list[int] = []
        self.sizes: list[int] = []
        self.borders: list[int] = []
        self.homes: list[int] = []  # numbers of sections
        self.size = target  # of the running chunk; a full one takes nothing more

    def pack(self, section: Section, units: Iterable[Unit]) -> None:
        """Add the units of the next section."""
        target, size = self.target, self.size
        running = size * _SMALL < target
        for start, end, tokens, unit_size in units:
            if not running or size + unit_size > target:
                lead_in = running and self.lead_in(section, unit_size)
                self.borders.append(len(self.sizes) - lead_in)
                self.homes.append(len(self.sections))
                size = self.sizes[-1] if lead_in else 0
                running = True
            self.spans.append((start, end))
            self.tokens.append(tokens)
            self.sizes.append(unit_size)
            size += unit_size
        self.sections.append(section)
        self.size = size

    def lead_in(self, section: Section, size: int) -> bool:
        """Tell whether the last unit only introduces one of ``size`` tokens, as "Note" does."""
        (start, end), last = self.spans[-1], self.sizes[-1]
        return (
            len(self.sizes) - self.borders[-1] >= 2
            and last * _LEAD_IN < self.target
            and last + size <= self.target
            and start >= section.start
            and self.text[end - 1] not in _STOPS
        )

    def chunks(self) -> Iterator[Chunk]:
        """Yield the chunks of all sections added."""
        self.even_tails()
        starts = [section.start for section in self.sections]
        borders = [*self.borders, len(self.sizes)]
        for number, (first, last) in zip(self.homes, pairwise(borders), strict=True):
            end = self.spans[last - 1][1]
            section = self.sections[number]
            if self.spans[last - 1][0] >= section.end:
                section = self.sections[self.main_section(starts, first, last)]
            yield Chunk(
                start=self.spans[first][0],
                end=end,
                tokens=sum(self.tokens[first:last]),
                sentences=tuple(self.spans[first:last]),
                headings=section.headings,
                page=section.page,
                row=section.row,
            )

    def even_tails(self) -> None:
        """Move sentences into a tiny last chunk of a section from the chunk before it."""
        homes, borders, sizes = self.homes, self.borders, self.sizes
        for at in range(1, len(borders)):
            alone = homes[at] != homes[at - 1]
            if alone or (at + 1 < len(homes) and homes[at + 1] == homes[at]):
                continue
            first, border = borders[at - 1], borders[at]
            end = borders[at + 1] if at + 1 < len(borders) else len(sizes)
            before, tail = sum(sizes[first:border]), sum(sizes[border:end])
            if tail * _TAIL >= self.target:
                continue
            while border - first > 1 and tail + sizes[border - 1] <= before - sizes[border - 1]:
                border -= 1
                tail, before = tail + sizes[border], before - sizes[border]
            borders[at] = border

    def main_section(self, starts: list[int], first: int, last: int) -> int:
        """Return the section that holds most of some units; the first of several that do."""
        held: dict[int, int] = {}
        for (start, _), size in zip(self.spans[first:last], self.sizes[first:last], strict=True):
            place = bisect_right(starts, start) - 1
            held[place] = held.get(place, 0) + size
        return max(held, key=lambda place: (held[place], -place))


def _one_by_one(count_tokens: TokenCounter) -> Callable[[str, Rows], NDArray[np.integer]]:
    def count(text: str, spans: Rows) -> NDArray[np.integer]:
        return np.array([count_tokens(text[a:b]) for a, b in spans.tolist()], np.int64)

    return count


def _join(units: list[Unit]) -> Unit:
    start, end = units[0][START], units[-1][END]
    return start, end, sum(unit[TOKENS] for unit in units), sum(unit[SIZE] for unit in units)
