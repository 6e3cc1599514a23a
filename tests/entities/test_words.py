import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridgerag._native import word_key
from bridgerag.entities import Vocabulary, WordFlag, plain, question_words, read_words
from bridgerag.entities import words as words_module
from bridgerag.entities.normalize import normalize_word
from bridgerag.entities.tokens import TOKEN, is_word
from bridgerag.types import Chunk
from entities import recognize_twin

WORDS = ["U.S.", "AT&T", "'s ", "l'", "qu'", "the ", "1984", "WHO", "of", "don't", "...", " - "]
SIGNS = "aB1 .,'’-–_()\n—éÑ机器の中カ가كَـпЁ&.\u0301\u00ad\u3099\0🤖〇々٣²ßİǅ"
PIECES = st.sampled_from([*WORDS, *SIGNS, "a" * 64, "e\u0301" * 16])
TEXTS = st.lists(PIECES, max_size=40).map("".join) | st.text()


def flags_of(text):
    words = whole(text)
    return {
        word: WordFlag(int(flag))
        for word, flag in zip(TOKEN.findall(text), words.flags, strict=True)
    }


def whole(text, vocabulary=None):
    chunks = [Chunk(0, len(text), 1, ((0, len(text)),))]
    return read_words(text, chunks, Vocabulary() if vocabulary is None else vocabulary)


def rows(words):
    """What is known of each word, in the order of `Described`."""
    columns = (words.keys, words.flags, words.plain, words.stems, words.letters)
    return list(zip(*(column.tolist() for column in columns), strict=True))


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


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(1, 4))
@example("l'avion d'aa' qu'il's all''s U.S.'s A.B.C. A.Bc 3M's 1,2.3 1399 1400 1984 2100 1990s", 1)
@example("a" * 130 + " " + "é" * 130 + "a\u0301" * 40 + " " + "a'" * 40 + "\u0300" * 40, 1)
def test_words_are_what_the_tokens_say_sentence_by_sentence(text, parts):
    cuts = sorted({0, *(len(text) * part // parts for part in range(1, parts + 1))})
    spans = tuple(itertools.pairwise(cuts))
    chunks = [Chunk(start, end, 1, ((start, end),)) for start, end in spans]
    words = read_words(text, chunks, Vocabulary())
    tokens = [TOKEN.findall(text, start, end) for start, end in spans]
    assert words.sentences.tolist() == np.cumsum([0, *map(len, tokens)]).tolist()
    assert words.chunks.tolist() == list(range(len(spans) + 1))
    flat = [token for sentence in tokens for token in sentence]
    assert rows(words) == [words_module.describe(token) for token in flat]
    keys = [word_key(normalize_word(token)) if is_word(token) else 0 for token in flat]
    assert words.keys.tolist() == keys
    assert [bool(flag & WordFlag.BREAK) for flag in words.flags] == [key == 0 for key in keys]


@given(st.text("aeiosrlndtgy", max_size=6), st.sampled_from(["", *plain._SUFFIXES, "e", "ss"]))
@example("eeee", "e")
def test_endings_are_cut_as_the_twin_says(root, ending):
    word = f"{root}{ending}" or "e"
    assert whole(word).stems.tolist() == [word_key(plain.stem(word)) & 0xFFFFFFFF]


@pytest.mark.parametrize(
    ("word", "plain_word", "stem"),
    [
        ("Directors", "directors", "direct"),
        ("directed", "directed", "direct"),
        ("films", "films", "film"),
        ("cars", "cars", "car"),
        ("bass", "bass", "bass"),
        ("employee's", "employee", "employ"),
        ("1990s", "1990s", "1990s"),
        ("Aimée", "aimee", "aime"),
        ("Ёлки", "елки", "елки"),
        ("\u0928\u0947", "\u0928\u0947", "\u0928\u0947"),
    ],
)
def test_a_word_is_kept_without_accents_and_without_its_ending(word, plain_word, stem):
    words = whole(word)
    assert words.plain.tolist() == [word_key(plain_word)]
    assert words.stems.tolist() == [word_key(stem) & 0xFFFFFFFF]
    assert words.letters.tolist() == [len(plain_word)]


def test_letters_beyond_255_are_not_counted():
    assert whole("a'" * 200 + "b").letters.max() <= 255
    assert whole("'".join(["a" * 60] * 6)).letters.tolist() == [255]


def test_every_character_is_read_as_the_pattern_says():
    signs = map(chr, [*range(0x2100), *range(0x2100, 0x20000, 13)])
    text = "".join(f"a{sign}b {sign}{sign}. U.{sign} 1{sign}2 " for sign in signs)
    words, tokens = whole(text), TOKEN.findall(text)
    assert rows(words) == [words_module.describe(token) for token in tokens]


@given(TEXTS)
def test_a_question_has_the_words_of_the_text_and_knows_where_they_stand(text):
    question = question_words(text)
    spelled = [text[start:end] for start, end in question.spans]
    assert spelled == [token for token in TOKEN.findall(text) if is_word(token)]
    assert spelled == [question.quote(word, word + 1) for word in range(len(question))]
    assert rows(question) == [words_module.describe(token) for token in spelled]
    assert 0 not in question.keys


@pytest.mark.parametrize(
    "text",
    [
        "ab " * 8000,
        "é, " * 2000,
        "a, b " * 700,
        "x" * 16_380 + " U.S.A. and more",
        " " * 16_370 + "l'avion 1,234.5",
        "机" * 3000,
    ],
)
def test_of_a_long_question_the_beginning_is_read(text):
    question, expected = question_words(text), recognize_twin.question_words(text)
    assert question.spans.tolist() == [[word.start, word.end] for word in expected]
    assert rows(question) == [word[2:] for word in expected]


def test_what_is_known_of_a_question_outlives_it_and_cannot_be_changed():
    keys, spans = question_words("Zürich or Paris").keys, question_words("Zürich or Paris").spans
    assert keys.tolist()[2] == word_key("paris")
    assert spans.tolist() == [[0, 6], [7, 9], [10, 15]]
    with pytest.raises(ValueError, match="read-only"):
        keys[0] = 1


@given(st.lists(TEXTS, max_size=5))
def test_a_vocabulary_never_changes_an_answer(texts):
    shared = Vocabulary()
    for text in texts * 2:
        fresh, again = whole(text), whole(text, shared)
        assert rows(again) == rows(fresh)


def test_given_more_words_than_a_block_and_a_vocabulary_then_nothing_changes(monkeypatch):
    text = "\n".join(f"слово{i} ещё{i % 7} the, Третий{i}" for i in range(200))
    expected = whole(text)
    monkeypatch.setattr(words_module, "_BLOCK", 10)
    monkeypatch.setattr(words_module, "_BOUND", 5)
    vocabulary = Vocabulary()
    words = whole(text, vocabulary)
    assert rows(words) == rows(expected)
    assert len(vocabulary) <= 5


@pytest.mark.parametrize(
    "question", ["", "🤖🤖", "\0\0", "   ", "a" * 1_000_000, "many words " * 90_000]
)
def test_odd_questions_are_read_in_bounded_time(question):
    assert len(question_words(question).keys) <= 1024
