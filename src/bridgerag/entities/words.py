"""Read text into words: the one pass that entities, the lexical index and summaries share.

A word becomes a 64-bit key of its normalised spelling and a set of flags; everything after this
module works on those arrays and never looks at the text again.

Punctuation that ends a phrase stands among the words as a `WordFlag.BREAK` with key 0; what counts
as a word and what as a break is said in `tokens`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag
from functools import cache, lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import WordReader, word_key
from bridgerag.entities.normalize import normalize_word
from bridgerag.entities.tokens import TOKEN, is_han, is_hiragana, is_word
from bridgerag.text import CONNECTORS, STOP_IDEOGRAPHS, STOP_WORDS
from bridgerag.types import Chunk, Keys

__all__ = ["QuestionWords", "Vocabulary", "WordFlag", "Words", "question_words", "read_words"]

_BOUND = 1 << 17  # spellings in a vocabulary
_BLOCK = 1 << 16  # words looked up at once, so that a huge document fits in memory
_QUESTION_WORDS = 1024
_QUESTION_CHARS = 16_384
_LONG_LETTERS = 7
_LONG_LETTERS_OTHERS = 5


class WordFlag(IntFlag):
    """What is known of a word from its spelling alone; fits eight bits."""

    STOP = 1  # a function word
    BREAK = 2  # not a word: a phrase ends here
    CAPITAL = 4  # an upper-case letter, at its start or inside ("mRNA", "3M")
    ACRONYM = 8  # two to eight signs, letters all upper case; a stop word may be one too ("WHO")
    NUMBER = 16  # starts with a digit, without capitals
    IDEOGRAPH = 32  # one Han character
    LONG = 64  # telling by its length: seven letters (five outside Europe), a year, a code
    CONNECTOR = 128  # may stand inside a name ("of", "de", "von")


_ARMENIAN = "\u0530"  # Latin, Greek and Cyrillic come before
# Plain numbers: combining members of an IntFlag costs more than all else in `_describe`.
_STOP, _BREAK, _CAPITAL, _ACRONYM, _NUMBER, _IDEOGRAPH, _LONG, _CONNECTOR = map(int, WordFlag)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one document.

    Attributes:
        keys: shape (n,), the key of each word, 0 for a break.
        flags: shape (n,), `WordFlag` bits.
        sentences: shape (s + 1,); the words of sentence j are ``[sentences[j], sentences[j + 1])``.
        chunks: shape (c + 1,); the sentences of chunk i are ``[chunks[i], chunks[i + 1])``.
    """

    keys: Keys
    flags: NDArray[np.uint8]
    sentences: NDArray[np.uint32]
    chunks: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """The words of a question, breaks left out.

    Attributes:
        text: the question.
        keys: shape (n,).
        flags: shape (n,), `WordFlag` bits.
        spans: ``(start, end)`` of each word in the question.
    """

    text: str
    keys: Keys
    flags: NDArray[np.uint8]
    spans: tuple[tuple[int, int], ...]


class Vocabulary(dict[str, tuple[int, int]]):
    """Memo from a word as spelled to its key and flags.

    Keep one for a whole build. It forgets everything once it holds 131,072 spellings, so that
    memory stays bounded. Safe for several threads at once.
    """

    __slots__ = ()

    def __missing__(self, spelling: str) -> tuple[int, int]:
        described = _describe(spelling)
        if len(self) >= _BOUND:
            self.clear()
        self[spelling] = described
        return described

    def look_up(self, spellings: Iterable[str]) -> tuple[Keys, NDArray[np.uint8]]:
        """Return the keys and flags of ``spellings``, a row each."""
        described = [self[spelling] for spelling in spellings]
        keys = np.array([key for key, _ in described], np.uint64)
        return keys, np.array([flags for _, flags in described], np.uint8)


def read_words(text: str, chunks: Sequence[Chunk], vocabulary: Vocabulary) -> Words:
    """Return the words of a document, sentence by sentence.

    Args:
        text: the document's extracted text.
        chunks: its chunks in order, with their sentences; text outside of them is not read.
        vocabulary: memo shared by all documents of a build, for words that are not plain ASCII.

    Cost: about 7 nanoseconds a character of plain ASCII, without the GIL; for other words 0.3
    microseconds a word once the vocabulary is warm.
    """
    counts = [len(chunk.sentences) for chunk in chunks]
    borders = chain.from_iterable(chain.from_iterable(chunk.sentences for chunk in chunks))
    sentences = np.fromiter(borders, np.uint32, 2 * sum(counts)).reshape(-1, 2)
    keys, flags, ends, odd = _reader().read(text, sentences)
    for first in range(0, len(odd), _BLOCK):
        places, starts, stops = odd[first : first + _BLOCK].T.tolist()
        spellings = (text[start:stop] for start, stop in zip(starts, stops, strict=True))
        keys[places], flags[places] = vocabulary.look_up(spellings)
    return Words(keys, flags, ends, np.cumsum([0, *counts], dtype=np.uint32))


def question_words(question: str) -> QuestionWords:
    """Return the first 1,024 words in the first 16,384 characters of ``question``."""
    found: list[str] = []
    spans: list[tuple[int, int]] = []
    for match in TOKEN.finditer(question, 0, _QUESTION_CHARS):
        found.append(match.group())
        spans.append(match.span())
    keys, flags = Vocabulary().look_up(found[:_QUESTION_WORDS])
    words = np.flatnonzero(keys)
    return QuestionWords(question, keys[words], flags[words], tuple(spans[i] for i in words))


@cache
def _reader() -> WordReader:
    def keys(words: Iterable[str]) -> Keys:
        return np.array([word_key(word) for word in sorted(words)], np.uint64)

    return WordReader(keys(STOP_WORDS), keys(CONNECTORS))


@lru_cache(maxsize=1 << 14)
def _describe(spelling: str) -> tuple[int, int]:
    """Return the key and the `WordFlag` bits of one word or break."""
    first = spelling[0]
    if not is_word(spelling):
        return 0, _BREAK
    word = normalize_word(spelling)
    flags = _STOP if word in STOP_WORDS else 0
    if word in CONNECTORS:
        flags |= _CONNECTOR
    if is_hiragana(first):
        flags |= _STOP
    elif is_han(first):
        return word_key(word), flags | _IDEOGRAPH | (_STOP if word in STOP_IDEOGRAPHS else 0)
    if spelling != spelling.lower():
        flags |= _CAPITAL
        if spelling == spelling.upper() and 2 <= len(word) <= 8:
            flags |= _ACRONYM
    elif first.isdigit():
        return word_key(word), flags | _NUMBER | (_LONG if _telling_number(word) else 0)
    if len(word) >= (_LONG_LETTERS if first < _ARMENIAN else _LONG_LETTERS_OTHERS):
        flags |= _LONG
    return word_key(word), flags


def _telling_number(word: str) -> bool:
    """Tell a year or a code ("1984", "1990s", "747b") from an amount."""
    return len(word) >= 4 and (not word.isdecimal() or (len(word) == 4 and "1400" < word < "2100"))
