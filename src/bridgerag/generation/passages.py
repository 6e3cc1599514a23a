"""Which passages a prompt shows, cut and joined to what, and in which order.

Hits enter by rank as long as there is room; the first that does not fit whole is cut at the end of
a sentence and is the last. What says nothing that a better hit has not said is passed over.
Neighbouring chunks of a document become one passage. Passages stand by document, the one with the
best hit first, and inside of it as the document has them: so a model reads what belongs together
in its order.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from bridgerag.generation.fence import inert
from bridgerag.protocols import TokenCounter
from bridgerag.text import sentence_spans
from bridgerag.types import Hit, Passage

__all__ = ["Told", "arranged", "entry", "fitting", "fresh", "longest"]

_WIDEST_GAP = 20  # characters of white space between two chunks that are shown as one
_COPY_NEWS = 0.1  # share of a copy's letters that may be new
_LONG_COPY = 200  # letters from which a text says the same under any title


class Told:
    """The sentences that a prompt tells so far, whatever their letter case and white space.

    Attributes:
        copies: how many hits `fresh` has left out.
    """

    def __init__(self) -> None:
        self.copies = 0
        self._everywhere: set[str] = set()
        self._under: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)

    def news(self, text: str, head: tuple[str, ...] | None = None) -> bool:
        """Say whether ``text`` tells more than was told, and if so, remember it.

        It does when more than a tenth of its letters, or a digit, stand in new sentences. A short
        text is compared with what stands under the same ``head`` (title, headings) only, where
        there is one: "Status: open" says something else under each. Cost: linear.
        """
        cuts = _cuts(text)
        told = self._everywhere
        if head is not None and len(text) < _LONG_COPY:
            told = self._under[head]
        if any(_adds_nothing(sentences, told) for sentences in cuts):
            return False
        self._everywhere.update(*cuts)
        if head is not None:
            self._under[head].update(*cuts)
        return True


def fresh(hits: Iterable[Hit], told: Told) -> Iterator[Hit]:
    """Yield the hits that tell more than those before them."""
    for hit in hits:
        if told.news(hit.text, (hit.document.title, *hit.headings)):
            yield hit
        else:
            told.copies += 1


def fitting(hits: Iterable[Hit], count: TokenCounter, room: int) -> tuple[list[Hit], int]:
    """Return the hits that fit ``room`` tokens, by rank, the last one maybe cut; and the room left.

    A neighbour of a hit that is in already costs its text only, not another head. A hit of which
    not even one sentence fits is passed over.
    """
    chosen: list[Hit] = []
    beside: defaultdict[str, list[Hit]] = defaultdict(list)
    for hit in hits:
        others = beside[hit.document.id]
        joins = any(_are_neighbours(*sorted((hit, other), key=_position)) for other in others)
        size = count(inert(hit.text) if joins else entry(Passage(len(chosen) + 1, hit))) + 1
        if size <= room:
            chosen.append(hit)
            others.append(hit)
            room -= size
        elif shown := _cut(hit, len(chosen) + 1, count, room - 1):
            chosen.append(shown)
            return chosen, room - count(entry(Passage(len(chosen), shown))) - 1
    return chosen, room


def arranged(hits: Sequence[Hit]) -> tuple[Passage, ...]:
    """Return the chosen hits as passages, numbered from 1 without gaps.

    Args:
        hits: best first. Those of one document that follow one another, or overlap, become one hit
            with the best one's rank, score and reasons; white space between them is as long as in
            the document, so that offsets inside the text are those of the document.
    """
    best: dict[str, int] = {}
    for place, hit in enumerate(hits):
        best.setdefault(hit.document.id, place)
    spans: list[Hit] = []
    last: Hit | None = None  # of the hits in the last span, the one that reaches farthest
    for hit in sorted(hits, key=lambda h: (best[h.document.id], *_position(h))):
        if last is not None and _are_neighbours(last, hit):
            spans[-1] = _joined(spans[-1], hit)
            last = max(last, hit, key=lambda h: h.end)
        else:
            spans.append(hit)
            last = hit
    return tuple(Passage(number, hit) for number, hit in enumerate(spans, start=1))


def entry(passage: Passage) -> str:
    """Return how a passage reads in a prompt: its number, where it stands, its text."""
    hit = passage.hit
    place = [hit.document.title, *hit.headings]
    if hit.page is not None:
        place.append(f"page {hit.page}")
    if hit.row is not None:
        place.append(f"row {hit.row}")
    where = " > ".join(inert(" ".join(part.split())) for part in place)
    return f"[{passage.number}] {where}\n{inert(hit.text)}"


def longest(text: str, ends: Sequence[int], count: TokenCounter, room: int) -> int:
    """Return the last of the ascending ``ends`` up to which ``text`` fits; the first is 0."""
    fits = bisect_right(ends, room, key=lambda end: count(inert(text[:end])))
    return ends[max(0, fits - 1)]


def _cuts(text: str) -> list[list[str]]:
    """Return the folded sentences of ``text`` as it stands, and as cut without its line ends."""
    ways = dict.fromkeys([text, " ".join(text.split())])
    return [
        [" ".join(way[start:end].casefold().split()) for start, end in sentence_spans(way)]
        for way in ways
    ]


def _adds_nothing(sentences: Sequence[str], told: Set[str]) -> bool:
    news = [sentence for sentence in sentences if sentence not in told]
    if any(map(str.isdigit, "".join(news))):
        return False
    return sum(map(len, news)) <= _COPY_NEWS * sum(map(len, sentences))


def _position(hit: Hit) -> tuple[str, int, int]:
    return hit.document.id, hit.start, hit.end


def _are_neighbours(hit: Hit, after: Hit) -> bool:
    """Say whether two hits, in order of position, are one span under one head.

    A hit that was cut has no neighbour behind it: more was cut off than any white space.
    """
    if (hit.document, hit.headings, hit.page, hit.row) != (
        after.document, after.headings, after.page, after.row,
    ):  # fmt: skip
        return False
    gap = after.start - hit.end
    if gap < 0:  # the same document in two stores, or a method with chunks of its own
        shared = hit.text[after.start - hit.start :]
        return shared.startswith(after.text) or after.text.startswith(shared)
    return after.chunk == hit.chunk + 1 and gap <= _WIDEST_GAP


def _joined(hit: Hit, after: Hit) -> Hit:
    """Return two neighbours as one hit; the text between chunks is white space."""
    gap = after.start - hit.end
    text = hit.text + "\n" * gap + after.text[max(0, -gap) :]
    best = min(hit, after, key=lambda h: h.rank)
    return replace(best, chunk=hit.chunk, text=text, start=hit.start, end=hit.start + len(text))


def _cut(hit: Hit, number: int, count: TokenCounter, room: int) -> Hit | None:
    """Return the hit cut at the end of a sentence; None if no sentence fits."""
    room -= count(entry(Passage(number, replace(hit, text=""))))
    last = len(hit.text) - _WIDEST_GAP
    ends = [0, *(end for _, end in sentence_spans(hit.text) if end < last)]
    end = longest(hit.text, ends, count, room)
    return replace(hit, text=hit.text[:end], end=hit.start + end) if end else None
