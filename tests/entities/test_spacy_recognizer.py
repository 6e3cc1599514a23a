import sys

import numpy as np
import pytest

from bridgerag.entities import entity_key
from bridgerag.entities.spacy_recognizer import SpacyRecognizer
from bridgerag.errors import MissingExtra, ModelError


def knowing(*names):
    keys = np.array([entity_key(name) for name in names], np.uint64)
    return lambda probed: np.isin(probed, keys)


@pytest.fixture
def pipeline():
    spacy = pytest.importorskip("spacy", reason="the extra spacy is not installed")
    blank = spacy.blank("en")
    ruler = blank.add_pipe("entity_ruler")
    names = ["the Beatles", "Abbey Road", "Abbey Road Studios"]
    ruler.add_patterns([{"label": "NAME", "pattern": name} for name in names])
    return blank


def test_the_pipelines_entities_that_the_index_knows_are_found(pipeline):
    question = "Did the Beatles record at Abbey Road Studios?"
    found = SpacyRecognizer(pipeline).recognize(question, knowing("Beatles", "Abbey Road Studios"))
    assert [mention.text for mention in found] == ["the Beatles", "Abbey Road Studios"]
    assert [mention.key for mention in found] == [
        entity_key("Beatles"),
        entity_key("Abbey Road Studios"),
    ]
    assert all(question[mention.start : mention.end] == mention.text for mention in found)


def test_given_a_pipeline_that_finds_nothing_then_there_are_no_mentions(pipeline):
    assert SpacyRecognizer(pipeline).recognize("", knowing("Beatles")) == []
    assert SpacyRecognizer(pipeline).recognize("Abbey Road", knowing("Beatles")) == []


def test_given_no_such_pipeline_then_the_remedy_is_named(pipeline):
    with pytest.raises(ModelError, match="spacy download no_such_pipeline"):
        SpacyRecognizer("no_such_pipeline")


def test_given_no_spacy_then_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match=r"bridgerag\[spacy\]"):
        SpacyRecognizer("en_core_web_sm")
