"""Read text into words: the one pass that entities, the lexical index and summaries share.

A word becomes a 64-bit key of its normalised spelling, a set of flags, and what names and terms are
compared by (see `plain`); everything after this module works on those arrays and never looks at the
text again.

Punctuation that ends a phrase stands among the words as a `WordFlag.BREAK` with key 0; what counts
as a word and what as a break is said in `tokens`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag
from functools import cache, lru_cache
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import QuestionWords, WordReader, word_key
from bridgerag.chunks import Chunks
from bridgerag.entities.normalize import normalize_word
from bridgerag.entities.plain import plain_word, stem
from bridgerag.entities.tokens import is_han, is_hiragana, is_word
from bridgerag.text import CONNECTORS, STOP_IDEOGRAPHS, STOP_WORDS
from bridgerag.types import Chunk, Ids, Keys

__all__ = [
    "Described",
    "QuestionWords",
    "Vocabulary",
    "WordFlag",
    "Words",
    "describe",
    "question_words",
    "read_words",
]

_BOUND = 1 << 17  # spellings in a vocabulary
_BLOCK = 1 << 16  # words looked up at once, so that a huge document fits in memory
_LONG_LETTERS = 7
_LONG_LETTERS_OTHERS = 5
_MOST_LETTERS = 255


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
# Plain numbers: combining members of an IntFlag costs more than all else in `describe`.
_STOP, _BREAK, _CAPITAL, _ACRONYM, _NUMBER, _IDEOGRAPH, _LONG, _CONNECTOR = map(int, WordFlag)


class Described(NamedTuple):
    """What is kept of a word. Of a break, all is 0 but its flag.

    Attributes:
        key: of its normalised spelling.
        flags: `WordFlag` bits.
        plain: the key of that spelling without accents.
        stem: the low half of the key of the plain word without its English ending.
        letters: signs of the plain word, 255 for more.
    """

    key: int
    flags: int
    plain: int
    stem: int
    letters: int


# `Described` as a vocabulary keeps it: many are joined to columns at once.
_pack = Struct("<QBQIB").pack
_ROW = np.dtype([*zip(Described._fields, ("<u8", "u1", "<u8", "<u4", "u1"), strict=True)])


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one document.

    Attributes:
        keys: shape (n,), the key of each word, 0 for a break.
        flags: shape (n,), `WordFlag` bits.
        sentences: shape (s + 1,); the words of sentence j are ``[sentences[j], sentences[j + 1])``.
        chunks: shape (c + 1,); the sentences of chunk i are ``[chunks[i], chunks[i + 1])``.
        plain: shape (n,), the key of each word without accents; may share memory with `keys`.
        stems: shape (n,), the low half of the key of each word's stem.
        letters: shape (n,), how many signs each word has without accents, 255 for more.
    """

    keys: Keys
    flags: NDArray[np.uint8]
    sentences: Ids
    chunks: Ids
    plain: Keys
    stems: Ids
    letters: NDArray[np.uint8]


class Vocabulary(dict[str, bytes]):
    """Memo from a word as spelled to what is kept of it.

    Keep one for a whole build. It forgets everything once it holds 131,072 spellings, so that
    memory stays bounded. Safe for several threads at once.
    """

    __slots__ = ()

    def __missing__(self, spelling: str) -> bytes:
        described = _pack(*describe(spelling))
        if len(self) >= _BOUND:
            self.clear()
        self[spelling] = described
        return described

    def look_up(self, spellings: Iterable[str]) -> NDArray[np.void]:
        """Return what is kept of ``spellings``, a record each with the fields of `Described`."""
        return np.frombuffer(b"".join([self[spelling] for spelling in spellings]), _ROW)


def read_words(text: str, chunks: Sequence[Chunk], vocabulary: Vocabulary) -> Words:
    """Return the words of a document, sentence by sentence.

    Args:
        text: the document's extracted text.
        chunks: its chunks in order, with their sentences; text outside of them is not read.
        vocabulary: memo shared by all documents of a build, for words that are not plain ASCII.

    Cost: about 10 nanoseconds a character of plain ASCII, without the GIL; for other words 0.2
    microseconds a word once the vocabulary is warm.
    """
    columns = Chunks.of(chunks)
    keys, flags, stems, letters, ends, odd = _reader().read(text, columns.sentences)
    plain = keys.copy() if len(odd) else keys
    for first in range(0, len(odd), _BLOCK):
        places, starts, stops = odd[first : first + _BLOCK].T.tolist()
        spellings = (text[start:stop] for start, stop in zip(starts, stops, strict=True))
        rows = vocabulary.look_up(spellings)
        keys[places], flags[places], plain[places] = rows["key"], rows["flags"], rows["plain"]
        stems[places], letters[places] = rows["stem"], rows["letters"]
    return Words(keys, flags, ends, columns.first, plain, stems, letters)


def question_words(question: str) -> QuestionWords:
    """Return the words among the first 1,024 words and breaks of a question.

    Only its first 16,384 characters are read.

    Cost: 2 microseconds for 25 words of plain ASCII, without the GIL; 0.5 more for each other word.
    """
    return _reader().question(question, describe)


@cache
def _reader() -> WordReader:
    def keys(words: Iterable[str]) -> Keys:
        return np.array([word_key(word) for word in sorted(words)], np.uint64)

    return WordReader(keys(STOP_WORDS), keys(CONNECTORS))


@lru_cache(maxsize=1 << 14)
def describe(spelling: str) -> Described:
    """Return what is kept of one word or break, as `tokens.TOKEN` cuts them."""
    if not is_word(spelling):
        return Described(0, _BREAK, 0, 0, 0)
    word = normalize_word(spelling)
    plain = plain_word(word)
    return Described(
        word_key(word),
        _flags(spelling, word),
        word_key(plain),
        word_key(stem(plain)) & 0xFFFFFFFF,
        min(len(plain), _MOST_LETTERS),
    )


def _flags(spelling: str, word: str) -> int:
    """Return the `WordFlag` bits of a word as spelled and normalised."""
    first = spelling[0]
    flags = _STOP if word in STOP_WORDS else 0
    if word in CONNECTORS:
        flags |= _CONNECTOR
    if is_hiragana(first):
        flags |= _STOP
    elif is_han(first):
        return flags | _IDEOGRAPH | (_STOP if word in STOP_IDEOGRAPHS else 0)
    if spelling != spelling.lower():
        flags |= _CAPITAL
        if spelling == spelling.upper() and 2 <= len(word) <= 8:
            flags |= _ACRONYM
    elif first.isdigit():
        return flags | _NUMBER | (_LONG if _telling_number(word) else 0)
    if len(word) >= (_LONG_LETTERS if first < _ARMENIAN else _LONG_LETTERS_OTHERS):
        flags |= _LONG
    return flags


def _telling_number(word: str) -> bool:
    """Tell a year or a code ("1984", "1990s", "747b") from an amount."""
    return len(word) >= 4 and (not word.isdecimal() or (len(word) == 4 and "1400" < word < "2100"))
