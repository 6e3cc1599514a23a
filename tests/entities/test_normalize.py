import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag import _native
from bridgerag.entities import entity_key, normalize
from bridgerag.entities.normalize import normalize_word
from bridgerag.entities.tokens import TOKEN, is_word
from entities import twins

SAME = [
    ("The Beatles", "the BEATLES"),
    ("state-of-the-art", "state of the art"),
    ("café", "CAFE\u0301"),
    ("Ｆｕｌｌ ｗｉｄｔｈ", "full width"),
    ("Lothair II's mother", "lothair ii mother"),
    ("Lothair II’s mother", "lothair ii mother"),
    ("U.S. Army", "US Army"),
    ("J. K. Rowling", "J K Rowling"),
    ("l'Homme d'Artagnan", "homme Artagnan"),
    ("الكِتَابُ", "كتاب"),
    ("كـــتاب", "كتاب"),
    ("والكتاب", "الكتاب"),
    ("أحمد", "احمد"),
    ("Ёлка", "елка"),
    ("Straße", "STRASSE"),
    ("co\u00adoperation", "cooperation"),
    ("機器 學習", "機器學習"),
]
DIFFERENT = [
    ("café", "caf"),
    ("café", "cafe"),
    ("机器学习", "机器"),
    ("hélène", "hlne"),
    ("привет", "при"),
    ("мир", "мы"),
    ("3.14", "314"),
    ("AT&T", "AT T"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_spellings_that_mean_the_same_get_the_same_key(left, right):
    assert normalize(left) == normalize(right)
    assert entity_key(left) == entity_key(right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_letters_are_never_taken_away(left, right):
    assert entity_key(left) != entity_key(right)


@given(st.text())
def test_any_text_normalises_without_an_error_and_no_word_is_lost(text):
    words = [word for word in normalize(text).split(" ") if word]
    assert bool(words) == any(sign.isalnum() for sign in text)


@given(st.text(min_size=1))
def test_a_normalised_word_is_never_empty(text):
    assert all(normalize_word(word) for word in TOKEN.findall(text) if is_word(word))


@given(st.text(st.characters(codec="utf-8")))
def test_the_key_of_a_word_agrees_with_its_twin(word):
    assert _native.word_key(word) == twins.word_key(word)


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_the_key_of_an_entity_agrees_with_its_twin(words):
    assert _native.entity_key(np.array(words, np.uint64)) == twins.entity_key(words)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20), st.integers(1, 8))
def test_the_keys_of_all_ngrams_agree_with_their_twin(words, longest):
    grams = _native.ngram_keys(np.array(words, np.uint64), longest)
    expected = [
        twins.entity_key(words[i : i + n]) if i + n <= len(words) else 0
        for i in range(len(words))
        for n in range(1, longest + 1)
    ]
    assert grams.tolist() == expected


def test_the_keys_that_stores_hold_never_change():
    assert _native.word_key("turing") == 0x65210AD3F2967D8C
    assert entity_key("Alan Turing") == 0xE6DB12FC0D25CF81
