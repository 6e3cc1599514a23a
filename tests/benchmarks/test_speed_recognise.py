"""The benchmark of recognition: its names, its questions, and that all ways agree."""

import sys
from argparse import Namespace

import numpy as np
import pytest


@pytest.fixture(scope="session")
def made(benchmark):
    names = benchmark("speed._names")
    drawn = names.drawn_names(500)
    return names, drawn, names.questions(drawn, 30)


def test_names_are_distinct_and_spelled_apart(made):
    names, drawn, _ = made
    spelled = list(names.spelled(drawn))
    assert len(drawn) == len(set(spelled)) == len(set(names.keys_of(drawn).tolist())) == 500
    assert {len(each.split(" ")) for each in spelled} == {1, 2, 3, 4}


def test_keys_are_those_of_the_spelling(made):
    from bridgerag.entities import entity_key

    names, drawn, _ = made
    assert names.keys_of(drawn).tolist() == [entity_key(each) for each in names.spelled(drawn)]


def test_questions_have_25_words_and_name_two_or_three(made):
    names, drawn, posed = made
    known = set(names.spelled(drawn))
    for each in posed:
        text = each.text.rstrip("?")
        assert len(text.split(" ")) == len(each.words) == 25
        assert sum(f" {name} " in f" {text} " for name in known) >= 2


def test_all_ways_agree_and_a_missing_package_is_said(benchmark, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    monkeypatch.setitem(sys.modules, "spacy", None)
    recognise = benchmark("speed.recognise")
    rows = list(recognise.measure(Namespace(quick=True, sizes=[], questions=20)))
    assert [row.way.strip() for row in rows[:3]] == ["text to mentions", "words", "probing"]
    assert all(row.size == "3,000 entities" and row.median > 0 for row in rows)
    said = capsys.readouterr().out
    assert "ahocorasick_rs skipped: pip install ahocorasick_rs" in said
    assert "spaCy EntityRuler skipped: pip install spacy" in said


def test_a_way_that_differs_stops_the_benchmark(benchmark, made):
    _, drawn, posed = made
    recognise = benchmark("speed.recognise")
    expected = recognise._slowly(drawn, posed)
    assert all(len(spans) >= 2 for spans in expected)
    with pytest.raises(SystemExit, match="the slow search differ"):
        recognise._expect("nothing", lambda text: [], posed, expected)
    recognise._expect("set", recognise._python_set(list(made[0].spelled(drawn))), posed, expected)
    assert np.all(np.diff(drawn.astype(np.float64)) >= 0)
