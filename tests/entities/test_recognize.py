from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgerag._native import EntityIndex, word_key
from bridgerag.entities import entity_key, question_words, recognize, recognize_in
from entities import recognize_twin, twins


def knowing(*names):
    keys = np.array([entity_key(name) for name in names], np.uint64)
    return lambda probed: np.isin(probed, keys)


def texts(question, *names):
    return [mention.text for mention in recognize(question_words(question), knowing(*names))]


@pytest.mark.parametrize(
    ("question", "names", "found"),
    [
        ("When did Lothair II's mother die?", ["Lothair II", "mother"], ["Lothair II's", "mother"]),
        ("Who led the New York Yankees?", ["New York", "New York Yankees"], ["New York Yankees"]),
        ("Songs by the Beatles", ["Beatles"], ["Beatles"]),
        ("Songs by The Beatles", ["The Beatles"], ["The Beatles"]),
        ("Is Paris, Texas big?", ["Paris Texas", "Paris"], ["Paris, Texas"]),
        ("a state of the art method", ["state-of-the-art"], ["state of the art"]),
        ("parishes near London", ["Paris"], []),
        ("北京大学在哪里", ["北京大学", "大学", "北"], ["北京大学"]),
        ("哪个大学", ["学"], []),
        ("what is the", ["what is", "the", "is the"], []),
        ("Did the WHO agree?", ["WHO"], ["WHO"]),
        ("who did agree?", ["WHO"], []),
        ("كتاب التاريخ", ["تَارِيخ"], ["التاريخ"]),
        ("ABBA and ABBA", ["ABBA"], ["ABBA", "ABBA"]),
    ],
)
def test_the_longest_stored_names_are_found(question, names, found):
    assert texts(question, *names) == found


@pytest.mark.parametrize("question", ["", "🤖🎉", "\0", "the of and", "a" * 1_000_000, "？？？"])
def test_given_a_question_that_names_nothing_then_there_are_no_mentions(question):
    assert texts(question, "Beatles") == []


def test_the_index_is_asked_once_for_all_ngrams():
    calls = []

    def contains(keys):
        calls.append(len(keys))
        return np.zeros(len(keys), np.bool_)

    assert recognize(question_words("one two three"), contains) == []
    assert calls == [6]


LATIN = ["Ann ", "Bob's ", "the ", "of-", "WHO ", "who ", "1984 ", "U.S. ", "l'été ", "AT&T "]
OTHERS = ["机", "器", "的", "です", "التاريخ ", "Ёлки ", "e\u0301", "Cid, ", "— ", "🤖 "]
PIECES = st.sampled_from([*LATIN, *OTHERS, "a" * 64])
QUESTIONS = st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=40)


@st.composite
def asked(draw):
    """A question, and entities among whose names are some of its own n-grams."""
    question = draw(QUESTIONS)
    words = recognize_twin.question_words(question)
    places = st.integers(0, max(0, len(words) - 1))
    stretches = draw(st.lists(st.tuples(places, st.integers(1, 9)), max_size=8 if words else 0))
    known = [
        twins.entity_key(word.key for word in words[first : first + count])
        for first, count in stretches
    ]
    return question, known + [word_key(name) for name in draw(st.lists(st.text(max_size=3)))]


@settings(max_examples=300, deadline=None)
@given(asked(), st.booleans(), st.integers(1, 3))
def test_mentions_agree_with_trying_every_ngram(posed, nested, parts):
    question, known = posed
    expected = recognize_twin.recognize(question, set(known).__contains__, nested)
    words, keys = question_words(question), np.array(known, np.uint64)
    assert recognize(words, lambda probed: np.isin(probed, keys), nested) == expected
    indexes = [
        EntityIndex.build(part, np.arange(len(part), dtype=np.uint32))
        for part in (np.ascontiguousarray(keys[i::parts]) for i in range(parts))
    ]
    assert recognize_in(words, indexes, nested) == expected
    growing = [index.thaw() for index in indexes]
    assert recognize_in(words, growing, nested) == expected
    for mention in expected:
        assert question[mention.start : mention.end] == mention.text


def test_given_no_index_then_nothing_is_recognised():
    assert recognize_in(question_words("Who led the New York Yankees?"), []) == []


def test_indexes_may_change_while_questions_are_read():
    index, words = EntityIndex(), question_words("Ann and Bob met Cid in Paris")
    names = [entity_key(name) for name in ("Ann", "Bob", "Cid", "Paris", "Bob met Cid")]

    def change():
        for i in range(3000):
            index.add(names[i % 5], i % 7)
            index.remove(names[(i + 2) % 5])

    with ThreadPoolExecutor(3) as pool:
        changes = [pool.submit(change) for _ in range(2)]
        found = [pool.submit(recognize_in, words, [index, index]) for _ in range(1000)]
        assert all(len(each.result()) <= 4 for each in found)
        assert all(change.result() is None for change in changes)


def test_refusals_say_what_was_expected():
    words = question_words("Ann met Bob")
    with pytest.raises(ValueError, match="stored has 2 entries, probes 6"):
        words.mentions(np.ones(2, np.bool_), False)
    with pytest.raises(TypeError, match="an index is None"):
        words.mentions_in([None], False)
    for first, end in [(1, 1), (2, 4), (2, 1)]:
        with pytest.raises(IndexError, match="the question has 3"):
            words.quote(first, end)
