"""Made-up entities and questions that name some of them, for sizes up to tens of millions.

A word is a number below 65,536, so that a name of up to four words is one 64-bit number and what is
a name is known exactly, without any key. Words of names and of running text follow Zipf's law.
Between two names of a question stand running words, which are in no name: every way of taking the
longest match gives the same mentions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks._synthetic_words import STOPS, zipf
from bridgerag._native import ngram_keys, word_key

__all__ = ["LONGEST", "Codes", "Posed", "codes", "drawn_names", "keys_of", "questions", "spelled"]

Codes = NDArray[np.uint64]

LONGEST = 4  # words of a name
_LENGTHS = (0.15, 0.5, 0.25, 0.1)  # of names of one word, two, ...
_WORDS = 1 << 16
_RUNNING = 1 << 12  # the first words are those of running text; 0 is no word
_QUESTION = 25  # words
_BLOCK = 1 << 20
_POWER, _SHIFT = 0.8, 10.0


@dataclass(frozen=True, slots=True)
class Posed:
    """A question and its words."""

    text: str
    words: list[int]


def word(number: int) -> str:
    """Return the spelling of a word; the most frequent ones of running text are function words."""
    if 0 < number <= len(STOPS):
        return STOPS[number - 1]
    signs = []
    for _ in range(3):
        number, sign = divmod(number, 20)
        signs.append("bcdfghjklmnpqrstvwxz"[sign])
        number, sign = divmod(number, 5)
        signs.append("aeiou"[sign])
    return "".join(signs) + "r"


def drawn_names(count: int, seed: int = 7) -> Codes:
    """Return ``count`` distinct names, ascending by their codes."""
    chance = np.random.default_rng(seed)
    found = np.empty(0, np.uint64)
    while len(found) < count:
        blocks, rest = divmod(2 * (count - len(found)), _BLOCK)  # many are drawn again
        sizes = [_BLOCK] * blocks + [rest]
        drawn = np.sort(np.concatenate([found, *(_drawn(chance, size) for size in sizes)]))
        found = drawn[np.diff(drawn, prepend=np.uint64(0)) != 0]  # no code is 0
    return np.sort(chance.choice(found, count, replace=False))


def _drawn(chance: np.random.Generator, count: int) -> Codes:
    words = zipf(chance, LONGEST * count, _WORDS - _RUNNING, _POWER, _SHIFT) + _RUNNING
    rows = words.reshape(-1, LONGEST)
    length = chance.choice(LONGEST, count, p=_LENGTHS)
    rows[np.arange(LONGEST) > length[:, None]] = 0
    return codes(rows)


def codes(rows: NDArray[np.integer]) -> Codes:
    """Return the codes of names, rows of four words, 0 for none."""
    shifts = np.arange(0, 16 * LONGEST, 16, dtype=np.uint64)
    return np.bitwise_or.reduce(rows.astype(np.uint64) << shifts, axis=1)


def words_of(names: Codes) -> NDArray[np.int64]:
    """Return the words of names, rows of four, 0 behind a shorter one."""
    shifts = np.arange(0, 16 * LONGEST, 16, dtype=np.uint64)
    return (names[:, None] >> shifts & np.uint64(0xFFFF)).astype(np.int64)


def keys_of(names: Codes) -> NDArray[np.uint64]:
    """Return the key that the entity index knows each name by."""
    known = np.array([word_key(word(number)) for number in range(_WORDS)], np.uint64)
    parts = []
    for first in range(0, len(names), _BLOCK):
        rows = words_of(names[first : first + _BLOCK])
        grams = ngram_keys(known[rows].ravel(), LONGEST).reshape(-1, LONGEST, LONGEST)
        length = np.count_nonzero(rows, axis=1)
        parts.append(grams[np.arange(len(rows)), 0, length - 1])
    return np.concatenate(parts)


def spelled(names: Codes) -> Iterator[str]:
    """Yield the spelling of each name."""
    for row in words_of(names).tolist():
        yield " ".join(word(number) for number in row if number)


def questions(names: Codes, count: int, seed: int = 11) -> list[Posed]:
    """Return questions of 25 words that name two or three of ``names``."""
    chance = np.random.default_rng(seed)
    return [_question(chance, words_of(chance.choice(names, chance.integers(2, 4))).tolist())
            for _ in range(count)]  # fmt: skip


def _question(chance: np.random.Generator, named: Sequence[Sequence[int]]) -> Posed:
    given = [[number for number in row if number] for row in named]
    left = _QUESTION - sum(map(len, given))
    cuts = np.sort(chance.choice(np.arange(1, left), len(given), replace=False)).tolist()
    running = (zipf(chance, left, _RUNNING - 1, _POWER, _SHIFT) + 1).tolist()
    words: list[int] = []
    for name, start, end in zip([*given, []], [0, *cuts], [*cuts, left], strict=True):
        words += running[start:end] + name
    return Posed(" ".join(map(word, words)) + "?", words)
