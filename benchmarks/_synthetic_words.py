"""Made-up words and names for synthetic corpora, and how often they are used.

No name is part of another, and no name's word stands in running text: what a text mentions is
therefore known without searching it. Real names do overlap; here that would only blur the counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from bridgerag.text import CONNECTORS, STOP_WORDS

__all__ = ["QUALIFIERS", "RELATIONS", "STOPS", "Lexicon", "Numbers", "zipf"]

Numbers = NDArray[np.int32]

_STOPS = "the of and in to was with for on as by at from that which were his an after their"
STOPS = tuple(_STOPS.split())
# What stands before a name in a text, and what a question calls the same.
RELATIONS = (
    *(("directed", "director"), ("painted", "painter"), ("composed", "composer")),
    *(("founded", "founder"), ("designed", "designer"), ("published", "publisher")),
    *(("produced", "producer"), ("translated", "translator"), ("edited", "editor")),
    *(("spouse", "spouse"), ("father", "father"), ("mother", "mother"), ("brother", "brother")),
    *(("sister", "sister"), ("capital", "capital"), ("county", "county"), ("river", "river")),
    *(("employer", "employer"), ("teacher", "teacher"), ("pupil", "pupil"), ("rival", "rival")),
)
QUALIFIERS = ("film", "novel", "album", "song", "town", "band", "ship", "politician")
_KINDS = (0.5, 0.2, 0.15, 0.15)  # two words, one, "The" and two, three: of the titled names
_TWO_WORDS = 0.6  # of the untitled names; the others have one


def zipf(
    chance: np.random.Generator, count: int, size: int, power: float, shift: float
) -> NDArray[np.int64]:
    """Return ``count`` ranks below ``size``, rank r as often as (r + 1 + shift) ** -power.

    The law of Zipf and Mandelbrot, by the inverse of its integral; ``power`` is not 1.
    """
    low, high = (0.5 + shift) ** (1 - power), (size + 0.5 + shift) ** (1 - power)
    drawn = (low + chance.random(count) * (high - low)) ** (1 / (1 - power)) - shift - 0.5
    return np.clip(drawn.astype(np.int64), 0, size - 1)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words and names of a corpus.

    Attributes:
        spelling: of each word, in lower case: stop words, what relations are called in texts,
            words of running text by falling frequency, words of names.
        running: the first word of running text; the words of names start at ``of_names``.
        words: shape ``(names, 3)``, the words of each name, -1 behind a shorter one. Those of
            titles come first.
        length: shape ``(names,)``, 1 to 3.
    """

    spelling: list[str]
    running: int
    of_names: int
    words: Numbers
    length: Numbers

    @classmethod
    def of(cls, chance: np.random.Generator, running: int, titled: int, untitled: int) -> Lexicon:
        """Make ``running`` words of text and so many names, all distinct."""
        fixed = [*STOPS, *(relation for relation, _ in RELATIONS)]
        of_names = len(fixed) + running
        names = _Names(chance, of_names)
        counts = np.diff([0, *(np.cumsum(_KINDS) * titled).round().astype(int)])
        couples = round(_TWO_WORDS * untitled)
        two, more = names.of(2, counts[0], couples)
        one, single = names.of(1, counts[1], untitled - couples)
        (the,), (three,) = names.of(2, counts[2]), names.of(3, counts[3])
        the = np.column_stack([np.full(len(the), STOPS.index("the")), the[:, :2]])
        titles = chance.permutation(np.concatenate([two, one, the, three]))
        others = chance.permutation(np.concatenate([more, single]))
        words = np.concatenate([titles, others]).astype(np.int32)
        spelling = fixed + list(islice(_made_up(set(fixed)), running + names.used))
        if len(spelling) < of_names + names.used:
            raise ValueError(
                f"{len(spelling):,} words can be made up, not {running + names.used:,}"
            )
        return cls(spelling, len(fixed), of_names, words, (words >= 0).sum(axis=1).astype(np.int32))

    def spelled(self, name: int) -> str:
        """Return a name as texts write it."""
        return " ".join(self.spelling[word].capitalize() for word in self.words[name] if word >= 0)


class _Names:
    """Draws names, each group from words of its own."""

    def __init__(self, chance: np.random.Generator, first: int) -> None:
        self._chance, self._first = chance, first
        self.used = 0

    def of(self, length: int, *counts: int) -> list[Numbers]:
        """Return groups of distinct names of ``length`` words; the last words are many."""
        total = sum(counts)
        many = total if length == 1 else 8 * (1 + int(total**0.5))
        sizes = [many // 4] * (length - 1) + [many]
        starts = self._first + self.used + np.cumsum([0, *sizes])
        self.used += sum(sizes)
        codes = np.arange(total)
        if length > 1:
            codes = self._distinct(total, sizes)
        columns = [starts[i] + part for i, part in enumerate(np.unravel_index(codes, sizes))]
        rows = np.full((total, 3), -1, np.int64)
        rows[:, :length] = np.column_stack(columns)
        return np.split(rows, np.cumsum(counts)[:-1])

    def _distinct(self, total: int, sizes: list[int]) -> NDArray[np.int64]:
        codes = np.empty(0, np.int64)
        while len(codes) < total:
            parts = [zipf(self._chance, total, size, 0.7, 5) for size in sizes]
            codes = np.unique(np.concatenate([codes, np.ravel_multi_index(parts, sizes)]))
        return self._chance.permutation(codes)[:total]


def _made_up(taken: set[str]) -> Iterator[str]:
    """Yield words of three open syllables, later with a letter behind, in an order that mixes."""
    syllables = [first + vowel for first in "bdfgklmnprstvzhj" for vowel in "aeiou"]
    count = len(syllables)
    forbidden = taken | STOP_WORDS | CONNECTORS | set(QUALIFIERS)
    for behind in ("", *"nrlstkm", *"bdfgpv"):
        for number in range(count**3):
            mixed = number * 48_271 % count**3  # coprime to it: each number comes once
            a, b, c = mixed % count, mixed // count % count, mixed // count**2
            word = syllables[a] + syllables[b] + syllables[c] + behind
            if word not in forbidden:
                yield word
