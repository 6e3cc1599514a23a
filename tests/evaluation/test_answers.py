import re
import string
from collections import Counter
from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.evaluation.answers import (
    contains_answer,
    exact_match,
    is_telling,
    normalize_answer,
    token_f1,
)

printable = st.text(
    st.sampled_from(string.ascii_letters + string.digits + string.punctuation + " ")
)
phrases = st.lists(
    st.sampled_from(
        ["the", "a", "An", "Paris", "tower", "U.S.", "1889", "well-known", "(see)", "$5"]
    )
).map(" ".join)


# ---- SQuAD --------------------------------------------------------------------------------------


def squad_normal(text):
    """What the published script says, step by step."""
    text = "".join(sign for sign in text.lower() if sign not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def squad_f1(prediction, answer):
    said, wanted = squad_normal(prediction).split(), squad_normal(answer).split()
    same = sum((Counter(said) & Counter(wanted)).values())
    if not said or not wanted:
        return float(said == wanted)
    if same == 0:
        return 0.0
    precision, recall = same / len(said), same / len(wanted)
    return 2 * precision * recall / (precision + recall)


@given(printable | phrases)
def test_ascii_is_normalised_as_squad_does(text):
    assert normalize_answer(text) == squad_normal(text)


@given(phrases, phrases)
def test_f1_on_ascii_is_that_of_squad(prediction, answer):
    assert token_f1(prediction, [answer]) == pytest.approx(squad_f1(prediction, answer))


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    once = normalize_answer(text)
    assert normalize_answer(once) == once


def test_worked_by_hand():
    assert exact_match("The Eiffel Tower!", ["Eiffel tower"]) == 1
    assert exact_match("Eiffel", ["Eiffel Tower", "eiffel"]) == 1
    assert exact_match("Eiffel", ["Eiffel Tower"]) == 0
    assert token_f1("the tall Eiffel Tower", ["Eiffel Tower"]) == pytest.approx(2 * 2 / (3 + 2))
    assert token_f1("tower tower", ["tower"]) == pytest.approx(2 / 3)
    assert token_f1("x", ["y", "x y"]) == pytest.approx(2 / 3)
    assert token_f1("the", ["a"]) == 1  # nothing against nothing
    assert token_f1("the", ["b"]) == 0


def test_without_answers_there_is_no_value():
    assert isnan(exact_match("x", []))
    assert isnan(token_f1("x", []))
    assert contains_answer("x", []) is None


# ---- other scripts ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prediction", "answer"),
    [
        ("「東京タワー」。", "東京タワー"),
        ("１８８９年", "1889年"),
        ("STRASSE", "straße"),
        ("cafe\u0301", "café"),
        ("«Москва»", "москва"),
        ("¿Madrid?", "madrid"),
        ("5 €", "€5"),
        ("كتاب،", "كتاب"),
        ("soft\u00adhyphen", "softhyphen"),
    ],
)
def test_spellings_that_unicode_calls_equal_are_equal(prediction, answer):
    assert exact_match(prediction, [answer]) == 1


def test_letters_with_accents_are_other_letters():
    assert exact_match("peche", ["pêche"]) == 0


def test_chinese_japanese_and_thai_are_compared_by_character():
    assert token_f1("北京大学", ["北京"]) == pytest.approx(2 * 2 / (4 + 2))
    assert token_f1("とうきょう", ["とう"]) == pytest.approx(2 * 2 / (5 + 2))
    assert 0 < token_f1("กรุงเทพ", ["กรุง"]) < 1
    assert token_f1("북경 대학", ["북경"]) == pytest.approx(2 / 3)  # Korean has spaces


# ---- answer in context --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It was opened in 1889, in Paris.", "1889"),
        ("See Smith's book", "Smith"),
        ("The U.S. Navy", "US Navy"),
        ("from 1939–1945", "1945"),
        ("(Paris/London)", "London"),
        ("a Jay-Z album", "Jay Z"),
        ("1,234,567 people", "1234567"),
        ("it is 3.5 km long", "3.5 km"),
        ("Beatles songs", "The Beatles"),
        ("黑豹队的防守只丢了 308分，在联赛中", "308分"),
        ("位于北京市。", "北京"),
        ("в Москве, столице", "москве"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("It was George\nWashington", "george washington"),
    ],
)
def test_an_answer_that_stands_there_is_found(text, answer):
    assert contains_answer(text, [answer]) is True


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Bart went home", "art"),
        ("about 100,000 people", "100"),
        ("about 1.100 people", "100"),
        ("Washington, George", "George Washington"),
        ("हिन्दी", "हिन"),
        ("", "Paris"),
    ],
)
def test_part_of_a_word_or_number_is_not_the_answer(text, answer):
    assert contains_answer(text, [answer]) is False


@pytest.mark.parametrize(
    "answer", ["yes", "No.", "maybe", "True", "7", "b", "是", "", "the", "..."]
)
def test_answers_that_stand_anywhere_cannot_be_judged(answer):
    assert contains_answer(f"yes no maybe true 7 b 是 {answer}", [answer]) is None
    assert not is_telling(answer)


def test_where_one_answer_can_be_judged_the_others_are_passed_over():
    assert contains_answer("no, in Paris", ["no", "Paris"]) is True
    assert contains_answer("no, in London", ["no", "Paris"]) is False


@given(
    st.lists(st.sampled_from(["river", "Paris", "塔", "1,000", "3.5", "U.S.", "café"]), min_size=2)
)
def test_every_run_of_words_is_in_its_own_text(words):
    text = " ".join(words)
    assert contains_answer(f"Before ({text}), after.", [text]) is True
    assert contains_answer(text, [" ".join(words[:-1]) + " zzz"]) is False
