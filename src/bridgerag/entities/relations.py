"""Find which entity belongs to, is part of, or is a kind of which other: the edges of entity trees.

Source: Bridge-RAG §4.1 and §4.3, and the work it builds on (T-RAG, CFT-RAG), whose dependency-based
relations are "belongs to", "contains", "is part of". What stands in: no parser, but patterns over
noun phrases ("novels such as Emma", "Oslo is the capital of Norway", "Norway's capital Oslo"). They
are English; other languages give no relations. A parser (`spacy_relations`) or a language model is
any other `Extractor`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from bridgerag.entities.noun_phrases import Frame, Phrase, read_frame
from bridgerag.entities.recognize import MAX_WORDS
from bridgerag.entities.relation_patterns import BELONGS_TO, IN, IS_A, PART_OF, edges
from bridgerag.text import sentence_spans

__all__ = ["BELONGS_TO", "IN", "IS_A", "PART_OF", "Extractor", "Relation", "find_relations"]


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge of the hierarchy: "``head`` ``kind`` ``tail``", with the broader of the two last.

    Attributes:
        kind: the words between, for people: ``"is a"``, ``"is part of"``, ``"is the capital of"``.
        chunk: number of the text that says so.
        distance: words between the two in that text; the smaller, the more trusted.
    """

    head: str
    kind: str
    tail: str
    chunk: int
    distance: int


Extractor = Callable[[Sequence[str]], Iterable[Relation]]
"""From texts, numbered from 0, to relations between what they name; child first, parent last."""

_MAX_DISTANCE = 16  # words; patterns that reach farther are mostly wrong
_HEADING = re.compile(r"^(#{1,6})[ \t]+(\S.{0,120})$", re.MULTILINE)
_PRONOUN = re.compile(r"(?:he|she|it|they) (?=\S)")
_SUBJECT = re.compile(r"(?:the )?N(\d+) (?!'s)")
_VAGUE = frozenset(
    ["part", "parts", "member", "members", "example", "examples", "result", "results", "list"]
).union(["native", "type", "types", "form", "forms", "subject", "attempt", "reason", "fact"])


def find_relations(texts: Iterable[str]) -> Iterator[Relation]:
    """Yield what the patterns find, text by text, in reading order; repeats come as often.

    Cost: 1 to 2 microseconds a character.
    """
    for number, text in enumerate(texts):
        yield from _heading_relations(text, number)
        subject: Phrase | None = None
        for start, end in sentence_spans(text):
            frame = read_frame(text[start:end])
            subject = _resolve_subject(frame, subject)
            for low, kind, high in edges(frame):
                yield from _relations(low, kind, high, number)


def _heading_relations(text: str, number: int) -> Iterator[Relation]:
    """Yield how the headings of a Markdown text nest."""
    above: list[tuple[int, str]] = []
    for match in _HEADING.finditer(text):
        level, heading = len(match[1]), match[2].strip("*#_ \t")
        while above and above[-1][0] >= level:
            above.pop()
        if not heading[:1].isalpha() or len(heading.split()) > MAX_WORDS:
            continue  # a number, or a sentence: no name of anything
        if above:
            yield Relation(heading, PART_OF, above[-1][1], number, 0)
        above.append((level, heading))


def _resolve_subject(frame: Frame, subject: Phrase | None) -> Phrase | None:
    """Put the last subject in the place of a pronoun that begins a sentence; return the subject."""
    if subject is not None and _PRONOUN.match(frame.text):
        first = frame.text.partition(" ")[0]
        frame.text = f"N{len(frame.phrases)}" + frame.text[len(first) :]
        frame.phrases.append(Phrase(subject.text, 0, 1, True))
        return subject
    named = _SUBJECT.match(frame.text)
    return frame.phrases[int(named[1])] if named else subject


def _relations(low: Phrase, kind: str, high: Phrase, number: int) -> Iterator[Relation]:
    """Yield an edge as a relation; an "art museum" is moreover said to be a museum."""
    head, tail = low.text, high.text
    between = high.first - low.last if low.first < high.first else low.first - high.last
    if between > _MAX_DISTANCE:
        return
    if kind == IS_A:
        if high.is_name or tail.rpartition(" ")[2].lower() in _VAGUE:
            return
        tail = _singular(tail)
        if " " in tail:
            yield Relation(tail, IS_A, tail.rpartition(" ")[2], number, 0)
    elif high.is_name and not low.is_name and " " not in head:
        return  # "the film belongs to Ann": some film, not every one
    yield Relation(head, kind, tail, number, max(0, between))


def _singular(noun: str) -> str:
    """Return the singular of an English noun by its ending."""
    if not noun.endswith("s") or noun.endswith(("ss", "us", "is", "ics", "news", "series")):
        return noun
    if noun.endswith("ies") and len(noun) > 5:
        return noun[:-3] + "y"
    return noun[:-2] if noun.endswith(("sses", "shes", "ches", "xes")) else noun[:-1]
