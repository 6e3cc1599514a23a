"""Words and names as `walk` compares them.

Two spellings meet when they are the same without case and accents ("Aimée", "Aimee"): that
found a few more second passages on MuSiQue. What counts as a word, a break, a function word or a
capital is said in `bridgerag.entities`; all below works on those.

A mention must hold a capital letter or two words of content. Titles are made of everyday words too
("Wanted", "Brother", "Album"), and without that rule every such word in a text would lead to them:
it brought 2 points of recall@2 on 2WikiMultihopQA and HotpotQA. Names that titles define and others
are looked up separately, longest first, so that "Admiral Ida Holm", which is no title, does
not hide "Ida Holm", which is.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from bridgerag.entities import Vocabulary, WordFlag
from bridgerag.entities.normalize import normalize_word
from bridgerag.entities.tokens import TOKEN, is_word
from bridgerag.text import CONNECTORS, STOP_WORDS, sentence_spans

__all__ = [
    "Names",
    "Word",
    "capital_spans",
    "is_mention",
    "is_name",
    "read",
    "sentences",
    "title_names",
    "word_of",
]

_LONGEST = 8  # words in a name
_SUFFIXES = (
    *("ations", "ation", "ators", "ator", "ments", "ment", "ings", "ing", "ions", "ion", "ors"),
    *("or", "ers", "er", "ies", "ied", "ed", "es", "s", "al", "ly", "e", "y"),
)
_STEM_LETTERS = 4  # that an ending leaves
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
_PARTS = re.compile(r"\s*[:|–—]\s+|\s+-\s+")
# Plain numbers: combining members of an IntFlag is slow.
_STOP, _BREAK, _CAPITAL = int(WordFlag.STOP), int(WordFlag.BREAK), int(WordFlag.CAPITAL)
_ACRONYM, _NUMBER = int(WordFlag.ACRONYM), int(WordFlag.NUMBER)


class Word(NamedTuple):
    """A word of a text, or a break between phrases.

    Attributes:
        spelling: as it stands there.
        plain: without case and accents, as names are compared; empty for a break.
        stem: without its English ending, as terms are compared.
        flags: `WordFlag` bits.
    """

    spelling: str
    plain: str
    stem: str
    flags: int

    @property
    def is_break(self) -> bool:
        """Whether a phrase ends here."""
        return bool(self.flags & _BREAK)

    @property
    def is_stop(self) -> bool:
        """Whether it is a function word."""
        return bool(self.flags & _STOP)

    @property
    def is_capital(self) -> bool:
        """Whether it has an upper-case letter."""
        return bool(self.flags & _CAPITAL)

    @property
    def can_start(self) -> bool:
        """Whether a run of capitalised words starts here: function words only as in "WHO"."""
        return self.is_capital and (not self.is_stop or bool(self.flags & _ACRONYM))


def read(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """Return the words and breaks of ``text[start:end]``. Cost: about a microsecond a word."""
    return [
        word_of(token) for token in TOKEN.findall(text, start, len(text) if end is None else end)
    ]


def sentences(text: str) -> list[list[Word]]:
    """Return the words and breaks of each sentence of a text."""
    return [read(text, start, end) for start, end in sentence_spans(text)]


def title_names(title: str) -> Iterator[list[Word]]:
    """Yield what a title names.

    That is the whole title, the title without its qualifier in brackets, and its parts around a
    colon, bar or dash; each also without function words at its ends.
    """
    bare = _QUALIFIER.sub("", title)
    for part in dict.fromkeys([title, bare, *_PARTS.split(bare)]):
        words = [word for word in read(part) if not word.is_break]
        yield words
        content = [place for place, word in enumerate(words) if word.plain not in STOP_WORDS]
        if content:
            yield words[content[0] : content[-1] + 1]


def is_name(words: Sequence[Word]) -> bool:
    """Tell whether words can be the name of something: not too short, too long or empty of meaning.

    Three letters, or four signs where there is no letter ("1984").
    """
    signs = "".join(word.plain for word in words)
    long_enough = len(signs) > 3 or (len(signs) == 3 and any(map(str.isalpha, signs)))
    meaning = any(not word.is_stop or word.flags & _ACRONYM for word in words)
    return long_enough and len(words) <= _LONGEST and meaning


def capital_spans(words: Sequence[Word]) -> Iterator[list[Word]]:
    """Yield runs of words with a capital each.

    Runs with a number are left out: dates and amounts bridge passages that have nothing to do with
    each other.
    """
    place = 0
    while place < len(words):
        start = place
        place += 1
        if not words[start].can_start:
            continue
        while place < len(words) and _goes_on(words[place]):
            place += 1
        if not any(word.plain[0].isdigit() for word in words[start:place]):
            yield list(words[start:place])


def _goes_on(word: Word) -> bool:
    if word.flags & _NUMBER:
        return True
    within = not word.flags & _STOP or word.plain in CONNECTORS
    return bool(word.flags & _CAPITAL) and within


class Names:
    """Names by number, and which documents define them."""

    def __init__(self) -> None:
        self.number: dict[tuple[str, ...], int] = {}
        self.spelling: list[str] = []
        """Each as it was read first."""
        self.defined: defaultdict[int, list[int]] = defaultdict(list)
        """Documents by name, ascending."""
        self._words: list[tuple[str, ...]] = []
        self._lengths: defaultdict[str, set[int]] = defaultdict(set)

    def __len__(self) -> int:
        return len(self.spelling)

    def words(self, name: int) -> tuple[str, ...]:
        """Return the words of a name, without case and accents."""
        return self._words[name]

    def add(self, words: Sequence[Word]) -> int:
        """Return the number of a name, a new one where it was not known."""
        plain = tuple(word.plain for word in words)
        number = self.number.setdefault(plain, len(self.number))
        if number == len(self.spelling):
            self.spelling.append(" ".join(word.spelling for word in words))
            self._words.append(plain)
            self._lengths[plain[0]].add(len(plain))
        return number

    def define(self, words: Sequence[Word], document: int) -> None:
        """Let a document define a name."""
        documents = self.defined[self.add(words)]
        if document not in documents[-1:]:
            documents.append(document)

    def find(self, words: Sequence[Word]) -> list[tuple[int, int, int]]:
        """Return the names in a row of words without breaks, as (name, first word, end)."""
        plain = [word.plain for word in words]
        found = []
        for start, first in enumerate(plain):
            for length in self._lengths.get(first, ()):
                name = self.number.get(tuple(plain[start : start + length]))
                if name is not None and start + length <= len(plain):
                    found.append((name, start, start + length))
        found.sort(key=lambda match: (match[1] - match[2], match[1]))
        chosen = dict.fromkeys(_apart(match for match in found if match[0] in self.defined))
        return list(chosen | dict.fromkeys(_apart(found)))


def _apart(found: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Yield those that overlap none before them."""
    taken: set[int] = set()
    for name, start, end in found:
        if taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            yield name, start, end


def is_mention(words: Sequence[Word]) -> bool:
    """Tell whether words that spell a name are likely to mean it."""
    return any(word.can_start for word in words) or sum(not word.is_stop for word in words) > 1


@lru_cache(maxsize=1 << 16)
def word_of(spelling: str) -> Word:
    """Return what one word or break, as `read` cuts them, is."""
    if not is_word(spelling):
        return Word(spelling, "", "", _BREAK)
    plain = _without_accents(normalize_word(spelling))
    return Word(spelling, plain, _stem(plain), Vocabulary()[spelling][1])


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFKD", word)
    return "".join(sign for sign in letters if not unicodedata.combining(sign)) or word


def _stem(word: str) -> str:
    """Cut an English ending off, so that "director" meets "directed"; other words stay as they are.

    As a term of BM25 it changes nothing; what a question asks with is found beside names by it.
    """
    if not (word.isascii() and word.isalpha()):
        return word
    if len(word) <= _STEM_LETTERS:
        plural = len(word) == _STEM_LETTERS and word.endswith("s") and not word.endswith("ss")
        return word[:-1] if plural else word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM_LETTERS:
            word = word.removesuffix(suffix)
            break
    return word.rstrip("e") if len(word) > _STEM_LETTERS else word
