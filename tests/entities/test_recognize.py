import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.entities import WordFlag, entity_key, question_words, recognize
from bridgerag.entities.recognize import MAX_WORDS
from entities import twins


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


WORDS = st.lists(
    st.sampled_from(["Ann", "Bob", "the", "of", "WHO", "Cid", "机", "器", "的"]), max_size=12
)


@given(WORDS, st.lists(WORDS.filter(bool), max_size=6))
def test_mentions_agree_with_trying_every_span_longest_first(words, names):
    question = question_words(" ".join(words))
    keys, flags = question.keys.tolist(), question.flags.tolist()
    known = {twins.entity_key(question_words(" ".join(name)).keys) for name in names}
    content = [not flag & WordFlag.STOP or bool(flag & WordFlag.ACRONYM) for flag in flags]
    free, expected = set(range(len(keys))), []
    for length in range(MAX_WORDS, 0, -1):
        for start in range(len(keys) - length + 1):
            span = range(start, start + length)
            lone_sign = length == 1 and flags[start] & WordFlag.IDEOGRAPH
            if twins.entity_key(keys[start : start + length]) not in known or lone_sign:
                continue
            if free.issuperset(span) and any(content[i] for i in span):
                free.difference_update(span)
                expected.append((question.spans[start][0], question.spans[start + length - 1][1]))
    mentions = recognize(question, lambda probed: np.isin(probed, np.array(list(known), np.uint64)))
    assert [(mention.start, mention.end) for mention in mentions] == sorted(expected)
    for mention in mentions:
        assert question.text[mention.start : mention.end] == mention.text
