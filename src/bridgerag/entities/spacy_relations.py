"""Find relations with a spaCy pipeline's dependency parse instead of patterns (extra ``spacy``).

Source: CFT-RAG, whose relations are "dependency-based". The pipeline is the user's; its labels are
those of the English pipelines. Coordinated subjects and objects count each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from bridgerag.entities.relations import BELONGS_TO, IS_A, PART_OF, Relation
from bridgerag.entities.spacy_pipeline import open_pipeline

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

__all__ = ["SpacyRelations"]

_CONTAINS = frozenset(["contain", "include", "comprise"])
_SUBJECTS = frozenset(["nsubj", "nsubjpass"])
_PREPOSITIONS = frozenset(
    ["of", "in", "by", "for", "at", "from", "near", "on", "to", "with", "under", "within"]
)
_NO_ENTITIES = frozenset(["DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "PERCENT", "MONEY"])


class SpacyRelations:
    """An `Extractor` over noun phrases and the verbs, prepositions and possessives between them.

    Args:
        pipeline: a loaded pipeline with a parser, or the name or path of an installed one; nothing
            is downloaded.

    Raises:
        MissingExtra: spaCy is not installed.
        ModelError: no pipeline of that name is installed.
    """

    def __init__(self, pipeline: Language | str) -> None:
        self._pipeline = open_pipeline(pipeline, "the spaCy extractor of relations")

    def __call__(self, texts: Iterable[str]) -> Iterator[Relation]:
        """Yield the relations of each text, child first, in reading order.

        Cost: that of the parse, about 10,000 words a second on one core.
        """
        for number, doc in enumerate(self._pipeline.pipe(texts)):
            phrases = _phrases(doc)
            for low, kind, high in _edges(doc, phrases):
                if high.root.pos_ == "PROPN" and (kind == IS_A or _is_vague(low)):
                    continue
                between = max(high.start - low.end, low.start - high.end, 0)
                yield Relation(_name(low), kind, _name(high), number, between)


def _phrases(doc: Doc) -> dict[int, Span]:
    """Return the noun phrases of a text by their head words."""
    return {
        span.root.i: span
        for span in doc.noun_chunks
        if span.root.pos_ != "PRON" and span.root.ent_type_ not in _NO_ENTITIES
    }


def _name(phrase: Span) -> str:
    """Return a phrase without determiners, numbers and possessives at its start."""
    words = list(phrase)
    while len(words) > 1 and (words[0].pos_ in ("DET", "PRON", "NUM") or words[0].is_punct):
        words = words[1:]
    return str(phrase.doc[words[0].i : phrase.end].text)


def _is_vague(phrase: Span) -> bool:
    """Tell "the film" in "the film was shown in Oslo": some film, not every one."""
    return phrase.root.pos_ != "PROPN" and " " not in _name(phrase)


def _edges(doc: Doc, phrases: dict[int, Span]) -> Iterator[tuple[Span, str, Span]]:
    for word in doc:
        if word.dep_ in _SUBJECTS and word.i in phrases:
            for kind, tail, reverse in _said(word.head):
                for low in _all(word, phrases):
                    for high in _all(tail, phrases):
                        yield (high, kind, low) if reverse else (low, kind, high)
        elif word.dep_ == "poss" and word.i in phrases and word.head.i in phrases:
            yield phrases[word.head.i], BELONGS_TO, phrases[word.i]
        elif word.dep_ == "appos" and word.i in phrases and word.head.i in phrases:
            low, high = phrases[word.head.i], phrases[word.i]
            yield (high, IS_A, low) if high.root.pos_ == "PROPN" else (low, IS_A, high)


def _said(verb: Token) -> Iterator[tuple[str, Token, bool]]:
    """Yield what a verb says of its subject: kind, the other noun, and whether that is the child.

    "is a city in Norway" gives the city, and Norway by way of "is city in".
    """
    for child in verb.children:
        if verb.lemma_ == "be" and child.dep_ == "attr":
            if child.lemma_ != "part":
                yield IS_A, child, False
            yield from _behind(child, f"is {child.text}")
        elif verb.lemma_ in _CONTAINS and child.dep_ == "dobj":
            yield PART_OF, child, True
        elif child.dep_ in ("prep", "agent") and child.lower_ in _PREPOSITIONS:
            words = verb.text if verb.pos_ == "VERB" else "is"
            auxiliary = [word.text for word in verb.children if word.dep_ == "auxpass"]
            for noun in _objects(child):
                reverse = verb.lemma_ == "consist"
                kind = PART_OF if reverse else " ".join([*auxiliary, words, child.text])
                yield kind, noun, reverse


def _behind(noun: Token, words: str) -> Iterator[tuple[str, Token, bool]]:
    """Yield the nouns behind the prepositions of a noun."""
    for child in noun.children:
        if child.dep_ == "prep":
            for other in _objects(child):
                yield f"{words} {child.text}", other, False
        elif child.dep_ == "acl":
            for preposition in child.children:
                if preposition.dep_ in ("prep", "agent"):
                    for other in _objects(preposition):
                        yield f"is {child.text} {preposition.text}", other, False


def _objects(preposition: Token) -> list[Token]:
    return [word for word in preposition.children if word.dep_ == "pobj"]


def _all(noun: Token, phrases: dict[int, Span]) -> list[Span]:
    """Return the phrases of a noun and of the nouns coordinated with it."""
    return [phrases[word.i] for word in (noun, *noun.conjuncts) if word.i in phrases]
