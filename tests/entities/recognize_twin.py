"""Slow twins of `question_words` and `recognize`: words by the pattern, every n-gram in a loop."""

from typing import NamedTuple

from bridgerag.entities.tokens import TOKEN, is_word
from bridgerag.entities.words import WordFlag, describe
from bridgerag.types import Mention
from entities import twins

LONGEST = 8


class Word(NamedTuple):
    start: int
    end: int
    key: int
    flags: int
    plain: int
    stem: int
    letters: int


def question_words(question):
    """Return the words of a question, described, without breaks."""
    tokens = list(TOKEN.finditer(question, 0, 16_384))[:1024]
    words = [token for token in tokens if is_word(token.group())]
    return [Word(*word.span(), *describe(word.group())) for word in words]


def recognize(question, is_stored, nested=False):
    """Return the mentions; ``is_stored`` tells it of one key."""
    words = question_words(question)
    found = [
        (first, last)
        for first in range(len(words))
        for last in range(first, min(first + LONGEST, len(words)))
        if could_be_an_entity(words[first : last + 1])
        and is_stored(twins.entity_key(word.key for word in words[first : last + 1]))
    ]
    found.sort(key=lambda gram: (gram[0] - gram[1], gram[0]))
    chosen = []
    for first, last in found:
        if nested or all(last < other[0] or other[1] < first for other in chosen):
            chosen.append((first, last))
    mentions = []
    for first, last in sorted(chosen, key=lambda gram: (gram[0], -gram[1])):
        start, end = words[first].start, words[last].end
        key = twins.entity_key(word.key for word in words[first : last + 1])
        mentions.append(Mention(question[start:end], start, end, key))
    return mentions


def could_be_an_entity(words):
    if len(words) == 1 and words[0].flags & WordFlag.IDEOGRAPH:
        return False
    return any(not word.flags & WordFlag.STOP or word.flags & WordFlag.ACRONYM for word in words)
