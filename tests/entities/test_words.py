import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag._native import word_key
from bridgerag.entities import Vocabulary, WordFlag, question_words, read_words
from bridgerag.entities import words as words_module
from bridgerag.entities.normalize import normalize_word
from bridgerag.entities.tokens import TOKEN, is_word
from bridgerag.types import Chunk

TEXTS = st.text(st.sampled_from("aB1 .,'’-_()\n—éÑ机器の中カكَـпЁ&.\u0301\0🤖U.S.")) | st.text()


def flags_of(text):
    return {word: WordFlag(int(flag)) for word, flag in zip(*described(text), strict=True)}


def described(text):
    spellings = TOKEN.findall(text)
    return spellings, Vocabulary().look_up(spellings)[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The U.S. Army's AT&T deal", ["The", "U.S", "Army's", "AT&T", "deal"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("π is 3.14, not 1,234.5.", ["π", "is", "3.14", ",", "not", "1,234.5"]),
        ("snake_case and/or HIV/AIDS", ["snake", "case", "and", "/", "or", "HIV", "/", "AIDS"]),
        ("机器学习，第2章", ["机", "器", "学", "习", "，", "第", "2", "章"]),
        ("トヨタ自動車の会社", ["トヨタ", "自", "動", "車", "の", "会", "社"]),
        ("हिन्दी भाषा।", ["हिन्दी", "भाषा", "।"]),
        ("one - two well-known", ["one", "-", "two", "well", "known"]),
        ("Contents ..... 7", ["Contents", ".....", "7"]),
        ("J. K. Rowling's", ["J", "K", "Rowling's"]),
        ("\0 🤖 §", []),
    ],
)
def test_text_is_cut_into_words_and_breaks(text, words):
    assert TOKEN.findall(text) == words


def test_flags_tell_what_a_spelling_says():
    flags = flags_of(
        "the WHO said mRNA vaccines in 1984 , 1234567 and von Zürich 机 的 です polymerase"
    )
    assert flags["the"] == WordFlag.STOP | WordFlag.CONNECTOR
    assert flags["WHO"] == WordFlag.STOP | WordFlag.CAPITAL | WordFlag.ACRONYM
    assert flags["mRNA"] == WordFlag.CAPITAL
    assert flags["1984"] == WordFlag.NUMBER | WordFlag.LONG
    assert flags["1234567"] == WordFlag.NUMBER
    assert flags[","] == WordFlag.BREAK
    assert WordFlag.CONNECTOR in flags["von"]
    assert flags["Zürich"] == WordFlag.CAPITAL
    assert flags["机"] == WordFlag.IDEOGRAPH
    assert flags["的"] == WordFlag.IDEOGRAPH | WordFlag.STOP
    assert flags["です"] == WordFlag.STOP
    assert flags["polymerase"] == WordFlag.LONG


@given(TEXTS)
def test_words_are_what_the_tokens_say_sentence_by_sentence(text):
    cuts = sorted({0, len(text) // 3, len(text) // 2, len(text)})
    spans = tuple(itertools.pairwise(cuts))
    chunks = [Chunk(start, end, 1, ((start, end),)) for start, end in spans]
    words = read_words(text, chunks, Vocabulary())
    tokens = [TOKEN.findall(text, start, end) for start, end in spans]
    assert words.sentences.tolist() == np.cumsum([0, *map(len, tokens)]).tolist()
    assert words.chunks.tolist() == list(range(len(spans) + 1))
    flat = [token for sentence in tokens for token in sentence]
    keys = [word_key(normalize_word(token)) if is_word(token) else 0 for token in flat]
    assert words.keys.tolist() == keys
    assert [bool(flag & WordFlag.BREAK) for flag in words.flags] == [key == 0 for key in keys]


@given(TEXTS)
def test_a_question_has_the_words_of_the_text_and_knows_where_they_stand(text):
    question = question_words(text)
    spelled = [text[start:end] for start, end in question.spans]
    assert spelled == [token for token in TOKEN.findall(text) if is_word(token)]
    assert len(question.keys) == len(question.flags) == len(question.spans)
    assert 0 not in question.keys


@given(st.lists(TEXTS, max_size=5))
def test_a_vocabulary_never_changes_an_answer(texts):
    shared = Vocabulary()
    for text in texts * 2:
        fresh_keys, fresh_flags = Vocabulary().look_up(TOKEN.findall(text))
        keys, flags = shared.look_up(TOKEN.findall(text))
        assert keys.tolist() == fresh_keys.tolist()
        assert flags.tolist() == fresh_flags.tolist()


def test_given_more_words_than_a_block_and_a_bound_then_nothing_changes(monkeypatch, read):
    text = "\n".join(f"word{i} other{i % 7} the, Third{i}" for i in range(200))
    _, chunks, expected = read(text)
    monkeypatch.setattr(words_module, "_BLOCK", 10)
    monkeypatch.setattr(words_module, "_BOUND", 5)
    vocabulary = Vocabulary()
    words = read_words(text, chunks, vocabulary)
    assert words.keys.tolist() == expected.keys.tolist()
    assert words.flags.tolist() == expected.flags.tolist()
    assert words.sentences.tolist() == expected.sentences.tolist()
    assert len(vocabulary) < 50


@pytest.mark.parametrize(
    "question", ["", "🤖🤖", "\0\0", "   ", "a" * 1_000_000, "many words " * 90_000]
)
def test_odd_questions_are_read_in_bounded_time(question):
    assert len(question_words(question).keys) <= 1024
