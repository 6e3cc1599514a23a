"""Cut a document into chunks of whole sentences.

Sentences are packed until the next one would not fit. Page and row borders always cut; a heading
cuts unless the running chunk is still small. A sentence that is too long for a chunk of its own is
cut after a clause, else between words, else between characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from bridgerag.protocols import TokenCounter
from bridgerag.text import sentence_spans
from bridgerag.types import Chunk, Document, Section

__all__ = ["chunk"]

# A tokenizer may count a very long word as one unknown token; no token is taken to be longer.
_CHARS_PER_TOKEN = 16

_SMALL = 4  # a chunk under a quarter of the target goes on past a heading
_TAIL = 6  # a last chunk under a sixth of the target is evened out with the one before
_LEAD_IN = 16  # a line under a sixteenth of it that is no sentence goes with what follows

_STOPS = frozenset(".!?。！？…؟۔।")
_CJK = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_ATOM = re.compile(rf"[{_CJK}][\u3001\u3002\uff0c\uff0e\uff1a-\uff1f]*+|[^\s{_CJK}]+")
_CLAUSE_END = tuple(",;:|—–，、：；」』。،؛")


class _Unit(NamedTuple):
    """A sentence or a piece of one; its size counts against the target: see _CHARS_PER_TOKEN."""

    start: int
    end: int
    tokens: int
    size: int


def chunk(document: Document, count_tokens: TokenCounter, target: int = 128) -> list[Chunk]:
    """Return the chunks of ``document``, in order.

    Every character that is not white space is in exactly one chunk. A chunk's ``tokens`` is the sum
    over its sentences, each counted once (where a word had to be cut, its parts); it is at most
    ``target``, save for a single character that alone counts more.

    Args:
        target: the most tokens a chunk may hold, 1 or more.

    Cost: linear in the text, beside one call of ``count_tokens`` a sentence.
    """
    packer = _Packer(document.text, count_tokens, target)
    chunks: list[Chunk] = []
    for _, sections in groupby(document.sections, key=lambda section: (section.page, section.row)):
        chunks += packer.pack(list(sections))
    return chunks


class _Packer:
    """Packs the sections of one page, one row or one unpaged document."""

    def __init__(self, text: str, count_tokens: TokenCounter, target: int) -> None:
        self.text, self.count_tokens, self.target = text, count_tokens, target

    def pack(self, sections: list[Section]) -> Iterator[Chunk]:
        done: list[tuple[Section, list[_Unit]]] = []
        running: list[_Unit] = []
        size = 0
        for section in sections:
            if size * _SMALL >= self.target:
                running, size = [], 0
            for unit in self.units(section.start, section.end):
                if not running or size + unit.size > self.target:
                    running = self.lead_in(running, section, unit)
                    size = _size(running)
                    done.append((section, running))
                running.append(unit)
                size += unit.size
        self.even_tails(done)
        starts = [section.start for section in sections]
        return (
            _as_chunk(
                section if units[-1].start < section.end else _home(sections, starts, units), units
            )
            for section, units in done
        )

    def lead_in(self, running: list[_Unit], section: Section, unit: _Unit) -> list[_Unit]:
        """Take from the end of ``running`` what only introduces ``unit``, such as "Note"."""
        if len(running) < 2:
            return []
        last = running[-1]
        small = last.size * _LEAD_IN < self.target and last.size + unit.size <= self.target
        if not small or last.start < section.start or self.text[last.end - 1] in _STOPS:
            return []
        return [running.pop()]

    def even_tails(self, done: list[tuple[Section, list[_Unit]]]) -> None:
        """Move sentences into a tiny last chunk of a section from the chunk before it."""
        for at in range(1, len(done)):
            (home, before), (section, tail) = done[at - 1], done[at]
            last = at + 1 == len(done) or done[at + 1][0] is not section
            if home is not section or not last or _size(tail) * _TAIL >= self.target:
                continue
            while (
                len(before) > 1 and _size(tail) + before[-1].size <= _size(before) - before[-1].size
            ):
                tail.insert(0, before.pop())

    def units(self, start: int, end: int) -> Iterator[_Unit]:
        """Yield the sentences between ``start`` and ``end``, those that are too long in pieces."""
        longest = self.target * _CHARS_PER_TOKEN
        for begin, stop in sentence_spans(self.text, start, end):
            if stop - begin <= longest:
                unit = self.measure(begin, stop)
                if unit.size <= self.target:
                    yield unit
                    continue
            yield from self.clauses(begin, stop)

    def measure(self, start: int, end: int) -> _Unit:
        tokens = self.count_tokens(self.text[start:end])
        return _Unit(start, end, tokens, max(tokens, -(-(end - start) // _CHARS_PER_TOKEN)))

    def clauses(self, start: int, end: int) -> Iterator[_Unit]:
        """Cut an overlong sentence where the piece is full: after its last clause, if not early."""
        piece: list[_Unit] = []
        size = 0
        for atom in self.atoms(start, end):
            while piece and size + atom.size > self.target:
                cut = self.clause_end(piece)
                yield _join(piece[:cut])
                piece = piece[cut:]
                size = _size(piece)
            piece.append(atom)
            size += atom.size
        yield _join(piece)

    def clause_end(self, piece: list[_Unit]) -> int:
        """Return how many atoms make a piece that ends well, at least half of them."""
        for at in range(len(piece) - 1, len(piece) // 2, -1):
            gap = self.text[piece[at - 1].end : piece[at].start]
            if "\n" in gap or self.text.endswith(_CLAUSE_END, 0, piece[at - 1].end):
                return at
        return len(piece)

    def atoms(self, start: int, end: int) -> Iterator[_Unit]:
        """Yield the words, CJK characters, and slices of words that are too long for a chunk."""
        for match in _ATOM.finditer(self.text, start, end):
            first, last = match.span()
            whole = last - first <= self.target * _CHARS_PER_TOKEN
            if whole and (unit := self.measure(first, last)).size <= self.target:
                yield unit
                continue
            for at in range(first, last, self.target):
                yield from self.slices(at, min(at + self.target, last))

    def slices(self, start: int, end: int) -> Iterator[_Unit]:
        """Yield one slice of a word, halved until it fits."""
        unit = self.measure(start, end)
        if unit.size <= self.target or end - start == 1:
            yield unit
        else:
            middle = (start + end) // 2
            yield from self.slices(start, middle)
            yield from self.slices(middle, end)


def _size(units: list[_Unit]) -> int:
    return sum(unit.size for unit in units)


def _join(units: list[_Unit]) -> _Unit:
    return _Unit(units[0].start, units[-1].end, sum(u.tokens for u in units), _size(units))


def _home(sections: list[Section], starts: list[int], units: list[_Unit]) -> Section:
    """Return the section that holds most of the units; the first of several that hold as much."""
    sizes: dict[int, int] = {}
    for unit in units:
        place = bisect_right(starts, unit.start) - 1
        sizes[place] = sizes.get(place, 0) + unit.size
    return sections[max(sizes, key=lambda place: (sizes[place], -place))]


def _as_chunk(section: Section, units: list[_Unit]) -> Chunk:
    return Chunk(
        start=units[0].start,
        end=units[-1].end,
        tokens=sum(unit.tokens for unit in units),
        sentences=tuple((unit.start, unit.end) for unit in units),
        headings=section.headings,
        page=section.page,
        row=section.row,
    )
