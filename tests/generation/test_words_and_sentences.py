from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.generation.sentences import sentence_spans
from bridgerag.generation.words import content_words, numbers

soup = st.text(st.sampled_from("abAB .!?。！\n\t\"')[1]…-|#•12利马"), max_size=60)


@given(st.one_of(st.text(max_size=60), soup))
def test_sentences_are_in_order_trimmed_and_leave_out_only_white_space(text):
    spans = sentence_spans(text)
    end_before = 0
    for start, end in spans:
        assert not text[end_before:start].strip()
        assert start < end and text[start:end] == text[start:end].strip()
        end_before = end
    assert not text[end_before:].strip()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("Dr. Smith met J. R. Jones. They spoke.", 2),
        ("It costs approx. 5 dollars. It is cheap.", 2),
        ("Version 1.2 is out. Get it at example.org today.", 2),
        ("利马是首都。城市很大！真的吗？", 3),
        ("He said “Stop.” She went on.", 2),
        ("It was so.[3] Then it changed.", 2),
        ("A line that was wrapped by whoever laid out the page\ngoes on here.", 1),
        ("Heading\nA sentence.", 2),
        ("- one\n- two\n- three", 3),
        ("para one\n\npara two", 2),
        ("هذا كتاب. هل قرأته؟ نعم.", 3),
        ("", 0),
        (" \n ", 0),
    ],
)
def test_a_text_falls_into_so_many_sentences(text, count):
    assert len(sentence_spans(text)) == count


@pytest.mark.parametrize("unit", [".", "\n", '."', ".[1]", " .", "\n ", "。"])
def test_long_runs_of_stops_take_linear_time(unit):
    began = time.process_time()
    for last in ("", "x"):
        sentence_spans(unit * 100_000 + last)
    assert time.process_time() - began < 5  # linear takes a fraction of a second, quadratic minutes


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Café", "CAFE"),
        ("founded", "founds"),
        ("столица", "столице"),
        ("الكتاب", "كتاب"),
        ("１２", "12"),
        ("1,250", "1250"),
        ("naïve", "nai\u0308ve"),
    ],
)
def test_spellings_of_one_word_compare_equal(one, other):
    assert content_words(one) == content_words(other) != frozenset()


def test_words_without_content_are_left_out():
    assert content_words("What is the ... of it?") == frozenset()
    assert content_words("Où est le ?") == frozenset()


def test_scripts_without_spaces_compare_by_pairs_of_letters():
    assert content_words("秘鲁的首都") & content_words("利马是秘鲁首都") >= {"秘鲁", "首都"}
    assert content_words("利") == {"利"}


def test_numbers_are_compared_as_written_without_separators():
    assert numbers("It rose 3.5 % to 1,250,000 in 2023") == {"3.5", "1250000", "2023"}


@given(st.text(max_size=60))
def test_any_text_has_words_and_they_repeat_exactly(text):
    assert content_words(text) == content_words(text)
    assert all(number[0].isdigit() for number in numbers(text))
