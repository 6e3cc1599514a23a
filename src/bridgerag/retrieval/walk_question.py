"""What `walk` reads in a question: the names it holds and the words that it asks with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgerag.entities import QuestionWords
from bridgerag.retrieval.walk_index import Numbers, WalkIndex
from bridgerag.retrieval.walk_names import Word, is_mention, word_of

__all__ = ["Asked", "understand"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in terms of an index.

    Attributes:
        names: as the question spells them, by number, ascending.
        plain: its words.
        relation: the words that it asks with, those that belong to no name, as one text. For "Who
            is the spouse of the painter of Blue Orchard?": "who is the spouse of the painter of".
        terms: shape ``(t,)``, its terms that the corpus has, each once.
        asks: shape ``(terms of the index,)``, what each term is worth beside a name: the idf of
            the relation's terms, together 1; 0 for all others.
    """

    names: dict[int, str]
    plain: frozenset[str]
    relation: str
    terms: Numbers
    asks: Floats


def understand(index: WalkIndex, question: QuestionWords) -> Asked:
    """Read a question.

    A single lower-case word is a name only where the corpus writes most of it as one.
    """
    words = [word_of(question.text[start:end]) for start, end in question.spans]
    names: dict[int, str] = {}
    inside = {place for place, word in enumerate(words) if place and _capital(word)}
    for name, start, end in index.names.find(words):
        span = words[start:end]
        if is_mention(span) or _mostly_a_name(index, name, span):
            first, last = question.spans[start][0], question.spans[end - 1][1]
            names[name] = question.text[first:last]
            if len(span) > 1 or span[0].is_capital:
                inside.update(range(start, end))
    relation = [word for place, word in enumerate(words) if place not in inside]
    asks = np.zeros(len(index.idf))
    asked_with = _terms(index, relation)
    asks[asked_with] = index.idf[asked_with]
    return Asked(
        dict(sorted(names.items())),
        frozenset(word.plain for word in words),
        " ".join(word.plain for word in relation),
        _terms(index, words),
        asks / max(asks.sum(), 1e-9),
    )


def _capital(word: Word) -> bool:
    return word.is_capital and not word.is_stop


def _mostly_a_name(index: WalkIndex, name: int, span: list[Word]) -> bool:
    word = next((word for word in span if not word.is_stop), span[0])
    term = index.term.get(word.stem)
    return term is not None and 2 * int(index.spread[name]) > int(index.frequency[term])


def _terms(index: WalkIndex, words: list[Word]) -> Numbers:
    found = (index.term.get(word.stem) for word in words if not word.is_stop)
    return np.array(list(dict.fromkeys(term for term in found if term is not None)), np.int32)
