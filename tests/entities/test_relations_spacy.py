import sys

import pytest

from bridgerag.entities.relations import IS_A, PART_OF
from bridgerag.entities.spacy_relations import SpacyRelations
from bridgerag.errors import MissingExtra, ModelError


class Parsed:
    """A pipeline that knows the parse of one sentence."""

    def __init__(self, doc):
        self.doc = doc

    def pipe(self, texts):
        return [self.doc for _ in texts]


def parsed(words, heads, deps, tags):
    spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")
    tokens = pytest.importorskip("spacy.tokens")
    lemmas = [{"is": "be", "contains": "contain"}.get(word, word.lower()) for word in words]
    blank = spacy.blank("en")
    return tokens.Doc(
        blank.vocab, words, heads=heads, deps=deps, pos=tags, lemmas=lemmas, sent_starts=None
    )


def found(doc):
    return {(r.head, r.kind, r.tail) for r in SpacyRelations(Parsed(doc))(["text"])}


def test_what_a_subject_is_and_in_what():
    doc = parsed(
        ["Oslo", "is", "a", "city", "in", "Norway"],
        [1, 1, 3, 1, 3, 4],
        ["nsubj", "ROOT", "det", "attr", "prep", "pobj"],
        ["PROPN", "AUX", "DET", "NOUN", "ADP", "PROPN"],
    )
    assert found(doc) == {("Oslo", IS_A, "city"), ("Oslo", "is city in", "Norway")}


def test_what_a_subject_contains_is_its_part():
    doc = parsed(
        ["The", "engine", "contains", "a", "pump", "and", "valves"],
        [1, 2, 2, 4, 2, 4, 4],
        ["det", "nsubj", "ROOT", "det", "dobj", "cc", "conj"],
        ["DET", "NOUN", "VERB", "DET", "NOUN", "CCONJ", "NOUN"],
    )
    assert found(doc) == {("pump", PART_OF, "engine"), ("valves", PART_OF, "engine")}


def test_given_no_such_pipeline_then_the_remedy_is_named():
    pytest.importorskip("spacy", reason="the extra spacy is not installed")
    with pytest.raises(ModelError, match="spacy download no_such_pipeline"):
        SpacyRelations("no_such_pipeline")


def test_given_no_spacy_then_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match=r"bridgerag\[spacy\]"):
        SpacyRelations("en_core_web_sm")
