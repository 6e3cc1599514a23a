from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.generation.words import content_words, numbers


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
