"""Find many phrases, word for word, in one text after the other.

Each phrase is looked for by one of its runs of three words, hashed, the one that fewest phrases
share; so a text is read once, however many phrases there are. Words are those of the index: case,
punctuation and white space do not matter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bridgerag.entities.tokens import TOKEN
from bridgerag.entities.words import Vocabulary
from bridgerag.types import Keys

__all__ = ["RUN", "KnownRuns", "Phrases", "WordKeys", "holds"]

RUN = 3  # words; a phrase has at least so many
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio, odd


class WordKeys:
    """Turns texts into the keys of their words; one memo for all of them."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()

    def __call__(self, text: str) -> Keys:
        """Return the keys, shape ``(words,)``. Cost: about 0.1 microseconds a character."""
        keys = self._vocabulary.look_up(TOKEN.findall(text))["key"]
        words: Keys = keys[keys != 0]  # without breaks
        return words


class KnownRuns:
    """A set of runs of words, each a hash of its keys."""

    def __init__(self, texts: Sequence[Keys], length: int) -> None:
        """Take the runs of ``length`` words that occur in ``texts``."""
        self._length = length
        self._known = np.unique(
            np.concatenate([np.empty(0, np.uint64), *(_runs(keys, length) for keys in texts)])
        )

    def __len__(self) -> int:
        return self._known.size

    def met_in(self, keys: Keys) -> NDArray[np.intp]:
        """Return the numbers of the known runs that occur in ``keys``, with repeats."""
        runs = _runs(keys, self._length)
        if not self._known.size or not runs.size:
            return np.empty(0, np.intp)
        places = np.minimum(np.searchsorted(self._known, runs), self._known.size - 1)
        met: NDArray[np.intp] = places[self._known[places] == runs]
        return met


class Phrases:
    """A set of phrases that are looked for together."""

    def __init__(self, phrases: Sequence[Keys]) -> None:
        """Prepare for finding ``phrases``, each of at least `RUN` words. Cost: linear."""
        self._phrases = phrases
        runs = [_runs(keys, RUN).tolist() for keys in phrases]
        shared = Counter(run for found in runs for run in found)
        self._anchors: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, found in enumerate(runs):
            place = min(range(len(found)), key=lambda i: (shared[found[i]], i))
            self._anchors[found[place]].append((number, place))
        self._anchor_runs = np.array(sorted(self._anchors), np.uint64)

    def find(self, keys: Keys) -> Iterator[tuple[int, int, int]]:
        """Yield ``(number, start, end)`` for each place where the phrase of that number stands.

        Cost: linear in ``keys`` and in how often the rarest runs of the phrases occur.
        """
        runs = _runs(keys, RUN)
        for at in np.flatnonzero(np.isin(runs, self._anchor_runs)).tolist():
            for number, place in self._anchors[int(runs[at])]:
                phrase, start = self._phrases[number], at - place
                if start >= 0 and np.array_equal(keys[start : start + phrase.size], phrase):
                    yield number, start, start + phrase.size


def holds(keys: Keys, phrase: Keys) -> bool:
    """Say whether ``phrase`` stands in ``keys``. Cost: O(product), for short stretches."""
    windows = range(keys.size - phrase.size + 1)
    return any(np.array_equal(keys[i : i + phrase.size], phrase) for i in windows)


def _runs(keys: Keys, length: int) -> Keys:
    """Return a hash of each run of ``length`` words, in order."""
    count = max(0, keys.size - length + 1)
    hashes = np.zeros(count, np.uint64)
    for shift in range(length):
        hashes = hashes * _FACTOR + keys[shift : shift + count]
    return hashes
