"""Cut an English sentence into noun phrases and the words between them, without a model.

A name is a run of capitalised words ("Bank of England"); a term is a run of other words that no
function word interrupts ("ice hockey player"). What is between them stays as it is, so that a
sentence becomes a short frame that patterns can be written for::

    Oslo (700,000 people) is the capital city of Norway.   ->   N0 is the T1 of N2
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bridgerag.entities import english
from bridgerag.entities.tokens import TOKEN, is_word
from bridgerag.text import STOP_WORDS

__all__ = ["Frame", "Phrase", "read_frame"]

_MAX_CHARS = 1500  # of a sentence; what is longer is a table or a list
_MAX_NAME, _MAX_TERM, _MAX_SUBJECT = 8, 5, 12  # words
_BRACKETS = re.compile(r"\s*\([^()]{0,200}\)|\s*\[[^\[\]]{0,40}\]")
_MARKUP = re.compile(r"[*|_#{}<>=@]")
_SPACES = re.compile(r"\s+")
_POSSESSIVE = re.compile(r"['’]s?$")


class Phrase(NamedTuple):
    """A noun phrase: its text, which words of the sentence it is, and whether it is a name."""

    text: str
    first: int
    last: int
    is_name: bool


@dataclass(slots=True)
class Frame:
    """A sentence as a pattern sees it.

    Attributes:
        text: words in lower case, ``#`` for a number, ``|`` for a break other than a comma, ``'s``
            behind a possessive, and ``N3`` or ``T3`` for the name or term that is phrase 3.
    """

    text: str
    phrases: list[Phrase] = field(default_factory=list)


class _Word(NamedTuple):
    start: int
    end: int
    lower: str
    capital: bool
    content: bool  # may be part of a phrase


def read_frame(sentence: str) -> Frame:
    """Return the frame of one sentence; remarks in brackets are left out.

    Cost: about 4 microseconds a word.
    """
    sentence = _BRACKETS.sub("", sentence[:_MAX_CHARS])
    words = _words(sentence)
    frame, parts = Frame(""), list[str]()
    at, subject_end = 0, _subject_end(words)
    while at < len(words):
        end = subject_end if at < subject_end and words[at].capital else _name_end(words, at)
        is_name = end > at
        if is_name and end != subject_end and _starts_term(words, at, end):
            end, is_name = _term_end(words, end), False
        elif not is_name:
            end = _term_end(words, at)
        if not is_name and end > at and _is_verb(words, at, end):
            end = at
        text = _phrase_text(sentence, words[at:end], is_name)
        if text:
            parts.append(f"{'N' if is_name else 'T'}{len(frame.phrases)}")
            if words[end - 1].lower.endswith(("'s", "s'")):
                parts.append("'s")
            frame.phrases.append(Phrase(text, at, end, is_name))
        else:
            end = max(end, at + 1)
            parts += _literals(words[at:end])
        at = end
    frame.text = " ".join(parts)
    return frame


# ---- words --------------------------------------------------------------------------------------


def _words(sentence: str) -> list[_Word]:
    """Return the words and breaks of a sentence; parts with a hyphen between make one word."""
    words: list[_Word] = []
    for match in TOKEN.finditer(sentence):
        start, end = match.span()
        if words and sentence[words[-1].end : start] in ("-", "- ") and is_word(match[0]):
            start = words.pop().start
        words.append(_word(sentence[start:end], start, end))
    return words


def _word(text: str, start: int, end: int) -> _Word:
    lower = text.lower().replace("’", "'")
    capital = text[0].isupper() or (text[0].isdigit() and text.upper() == text and lower != text)
    content = (
        is_word(text)
        and lower not in STOP_WORDS
        and lower not in english.KEPT
        and not english.is_number(lower)
    )
    return _Word(start, end, lower, capital, content)


# ---- phrases ------------------------------------------------------------------------------------


def _subject_end(words: Sequence[_Word]) -> int:
    """Return where the subject of a definition ends, or 0.

    "Rain and Shine: Two Years at Sea is a film" defines one thing, whatever stands
    between its capitals.
    """
    for at, word in enumerate(words[:_MAX_SUBJECT]):
        if word.lower == ",":
            return 0
        if word.lower in ("is", "was") and at + 1 < len(words):
            capitals = sum(word.capital and word.content for word in words[:at])
            content = sum(word.content for word in words[:at])
            free = (
                words[0].content or words[0].lower in english.ARTICLES
            )  # "His wife Ann" is no title
            enough = 2 * capitals >= content if free else capitals == content
            return at if content and enough and words[at + 1].lower in english.ARTICLES else 0
    return 0


def _name_end(words: Sequence[_Word], at: int) -> int:
    """Return where the name that starts at a word ends, or ``at``."""
    if not _starts_name(words, at):
        return at
    end = at + 1
    while end < len(words) and end - at < _MAX_NAME and not words[end - 1].lower.endswith("'s"):
        ahead = end
        while ahead < len(words) and ahead - end < 3 and _links(words[ahead]):
            ahead += 1
        if ahead == len(words) or not _continues_name(words[ahead], ahead == end):
            break
        end = ahead + 1
    return end


def _starts_name(words: Sequence[_Word], at: int) -> bool:
    word = words[at]
    if not word.capital or word.lower in english.NO_NAMES:
        return False
    if word.content:
        alone = at + 1 == len(words) or not words[at + 1].capital
        return at > 0 or not (alone and english.is_opener(word.lower))
    # "Will Thompson": a function word with a capital, inside a sentence
    inside = at > 0 and words[at - 1].lower[0].isalnum() and word.lower not in english.ARTICLES
    return inside and at + 1 < len(words) and words[at + 1].capital and words[at + 1].content


def _links(word: _Word) -> bool:
    return word.lower in english.INSIDE_NAMES or (
        word.capital and not word.content and word.lower != "i"
    )


def _continues_name(word: _Word, directly: bool) -> bool:
    if english.is_number(word.lower) or word.lower == "i":  # "Apollo 11", "Charles I"
        return directly and len(word.lower) < 4
    return word.capital and word.content


def _starts_term(words: Sequence[_Word], at: int, end: int) -> bool:
    """Tell whether a capitalised run is only the beginning of a term ("a 1922 German novel")."""
    if _term_end(words, end) == end or words[end - 1].lower.endswith("'s"):
        return False
    if at == 0:  # the first word of a sentence has its capital from there
        return end == 1
    while at > 0 and english.is_number(words[at - 1].lower):
        at -= 1
    before = words[at - 1]
    demonym = end - at == 1 and before.content and not before.capital  # "a young German novelist"
    return before.lower in english.BEFORE_TERM or demonym


def _term_end(words: Sequence[_Word], at: int) -> int:
    """Return where the run of lower-case content words that starts at a word ends, or ``at``.

    A participle ends it where no noun follows: "film | directed by", but "animated film".
    """
    end = at
    while end < len(words) and end - at < _MAX_TERM and words[end].content:
        word = words[end]
        if word.capital:
            break
        if end > at and english.is_participle(word.lower):
            after = words[end + 1] if end + 1 < len(words) else None
            if word.lower.endswith("ing"):
                if after is not None and (after.capital or after.lower in english.ARTICLES):
                    break
            elif after is None or not after.content or after.capital:
                break
        end += 1
    return end


def _is_verb(words: Sequence[_Word], at: int, end: int) -> bool:
    """Tell a verb that a term starts with ("she made films") from an adjective or noun."""
    if not english.is_participle(words[at].lower):
        return False
    before = words[at - 1] if at > 0 else None
    if end - at == 1:  # "a painting", but "film directed by"
        return before is None or before.lower not in english.DETERMINERS
    return before is not None and (
        before.lower in english.BEFORE_VERB or (before.capital and before.content)
    )


def _phrase_text(sentence: str, words: Sequence[_Word], is_name: bool) -> str:
    """Return the text of a phrase, or nothing where its words name nothing."""
    if is_name:
        while len(words) > 1 and words[0].lower in english.ARTICLES:
            words = words[1:]
    else:
        while words and not words[0].capital and english.opens_no_term(words[0].lower):
            words = words[1:]
        while words and (words[-1].lower in english.NO_TERMS or len(words[-1].lower) < 3):
            words = words[:-1]
    if not words:
        return ""
    text = _SPACES.sub(" ", sentence[words[0].start : words[-1].end])
    if _MARKUP.search(text):
        return ""
    return _POSSESSIVE.sub("", text.replace("- ", "-")).strip('"“”„«» ')


def _literals(words: Sequence[_Word]) -> Iterator[str]:
    for word in words:
        if word.lower[0].isalnum():
            yield "#" if english.is_number(word.lower) else word.lower
        elif word.lower == ",":
            yield ","
        elif word.lower not in '"“”„«»':
            yield "|"
