"""Sentence borders, in several scripts and in the layouts that readers produce."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridgerag.text import sentence_rows, sentence_spans
from text import twins


def sentences(text):
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "expected",
    [
        ["Dr. Smith met Mr. Jones at 3 p.m. in Washington, D.C. on Monday.", "They talked."],
        ["It cost $3.50, i.e. nothing.", "Was it new?", "No!", "It was old."],
        ["J. R. R. Tolkien wrote it.", "See Fig. 3 and No. 7 for more."],
        ["Netflix, Inc. Annual Report 2023."],
        [
            "It costs approx. 5 dollars.",
            "Version 1.2 is at example.org today.",
            "It was so.[3]",
            "Go.",
        ],
        ["He works for Acme Inc.", "The firm is old."],
        ["The depth is the paper's.", "Different is the rest.", "Ann Lee, Ph.D. Speaks Greek."],
        ["See [Searching](searching.md).", "Put it in `notes.txt`.", "Call f(x.y).", "Done."],
        ['She said "Stop."', "He stopped.", "(Really.)", "Then he left."],
        ["Wait... what happened?", "Nothing… He slept.", "All was well.[12]", "It ended."],
        ['"Really?" he asked.', "Yes."],
        ["The U.S. Senate met in 1999.", "Then it rose."],
        ["Это г. Москва, т.е. столица.", "Она велика.", "Да!"],
        ["¿Dónde está?", "Aquí está la casa del Sr. Pérez."],
        ["المناخ حار جدا.", "هل هذا صحيح؟", "نعم۔", "انتهى."],
        ["यह पहला वाक्य है।", "यह दूसरा है॥", "और तीसरा?"],
    ],
)
def test_sentences_joined_by_spaces_are_found_again(expected):
    text = " ".join(expected)
    if "Wait" in text:  # an ellipsis that is followed by a capital ends a sentence
        expected = ["Wait... what happened?", "Nothing…", "He slept.", *expected[2:]]
    assert sentences(text) == expected


def test_chinese_and_japanese_need_no_spaces_between_sentences():
    assert sentences("今天下雨。他说：“走吧！”我们走了……好吗？") == [
        "今天下雨。",
        "他说：“走吧！”",
        "我们走了……",
        "好吗？",
    ]
    assert sentences("他走了；我留下。") == ["他走了；我留下。"]
    assert sentences("東京は大きい。「本当？」と彼は言った。") == [
        "東京は大きい。",
        "「本当？」",
        "と彼は言った。",
    ]


def test_hard_wrapped_lines_are_one_sentence_and_short_lines_are_their_own():
    text = (
        "The quick brown fox jumps over the lazy dog and then runs into the\n"
        "Forest of Dean, where it stays for the night before it moves on to\n"
        "another place.\n"
        "Revenues\n"
        "Net income 12 13\n"
        "Total 25 26\n"
    )
    assert sentences(text) == [
        text[: text.index("\nRevenues")],
        "Revenues",
        "Net income 12 13",
        "Total 25 26",
    ]


def test_a_line_that_stops_at_a_function_word_goes_on():
    wide = "A line that is as long as the page is wide, which is rather more than most are.\n"
    text = f"{wide}Text that is not in any file can be indexed as a\n`Document(id, title)`.\n"
    assert sentences(text)[-1].startswith("Text that") and sentences(text)[-1].endswith("title)`.")


def test_wrapped_lines_are_told_from_headings_by_the_width_of_the_page():
    wide = "word " * 30
    text = f"A Heading of some length that stands over the whole of the page\nIt {wide}\n{wide}end."
    assert len(sentences(text)) == 2


def test_blank_lines_list_items_and_table_rows_are_borders():
    text = (
        "Things that we need for the whole journey and the way back home\n"
        "- apples and pears\n"
        "1. bread\n"
        "| name | size |\n"
        "Paris | 2.1 million. About half of it works | France\n"
        "Rome | 2.8 million people who live inside of the city limits | Italy\n"
        "\n"
        "lower case after a blank line"
    )
    assert sentences(text) == [line for line in text.split("\n") if line]


def test_thai_is_left_as_lines():
    line = "ภาษาไทยเป็นภาษาที่ไม่เว้นวรรคระหว่างคำและไม่มีเครื่องหมายจบประโยค"
    assert sentences(f"{line}\n{line}") == [line, line]


@given(st.text(alphabet=st.sampled_from("Ab1 \n.!?。…\"')[]|-,Mr\t؟é汉"), max_size=80))
def test_spans_are_trimmed_ordered_and_leave_out_white_space_only(text):
    spans = list(sentence_spans(text))
    at = 0
    for start, end in spans:
        assert not text[at:start].strip()
        assert text[start:end] and text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


# What the rules ask about, so that random texts meet them: whole words as well as single signs.
# fmt: off
WORDS = [
    "Mr.", "No. 7", "Inc. The", "Inc. X", "e.g.", "U.S. ", "Ph.D. ", "J. R. ", "1. ", "\n",
    "\n\n", " \n- a", "\n(b) x", "\n[3] y", "\n```", "...", "?!", '."', ".[12] ", ".[1234] ",
    "the\n", "word " * 7, "x" * 26, "汉字" * 11 + "\n",
    "。」", "……", "؟ ", "۔", "। ", "ไทย\n", "т.е. Он",
]
# fmt: on
SIGNS = " \t\n\r\x0b\x1c\x85\xa0\u2028\u3000.!?…'’‘“”«»()[]|&,-–—*#>`~09²½Ⅷ٣αΣςİıßéЯ汉が한🤖\0"
PIECES = st.sampled_from([*WORDS, " | "]) | st.sampled_from(SIGNS) | st.characters()


@settings(max_examples=250, deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join), st.data())
@example("İ. Smith. İ.S. Then. i̇. X", None)
@example("A line of fifty characters that goes on and on in the\nΣ. X ς. Y", None)
def test_sentences_are_those_of_the_rules_as_regular_expressions(text, data):
    assert list(sentence_spans(text)) == list(twins.sentence_spans(text))
    if data is not None:
        start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        found = list(sentence_spans(text, start, end))
        assert found == list(twins.sentence_spans(text, start, end))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 260), min_size=1, max_size=30), st.sampled_from("aA汉,."))
def test_full_lines_are_those_of_the_twin(lengths, last):
    text = "\n".join(("Word " * 60)[: max(0, length - 1)] + last for length in lengths)
    assert list(sentence_spans(text)) == list(twins.sentence_spans(text))


def test_every_character_counts_as_python_says():
    """Each as the first character of a sentence, in a line end, and in the word before a stop."""
    signs = map(chr, [*range(0x2100), *range(0x2100, 0x20000, 13)])
    text = "".join(f"a. {sign}b\n{sign}. {sign} " for sign in signs)
    assert list(sentence_spans(text)) == list(twins.sentence_spans(text))


def test_no_word_list_holds_a_letter_whose_lower_case_depends_on_its_place():
    words = twins.NEVER_LAST | twins.BEFORE_NUMBER | twins.RARELY_LAST | twins.STOP_WORDS
    assert not [word for word in words if set(word) & set("σς\u0307")]


def test_an_empty_or_upside_down_window_has_no_sentence():
    assert not len(sentence_rows("One. Two.", 4, 4))
    assert not len(sentence_rows("One. Two.", 6, 4))


@given(st.text(alphabet="Ab. \n!", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_a_window_gives_what_stands_inside_it(text, first, last):
    first, last = min(first, len(text)), min(last, len(text))
    covered = "".join(text[s:e] for s, e in sentence_spans(text, first, last))
    assert "".join(covered.split()) == "".join(text[first:last].split())


@pytest.mark.parametrize("unit", [".", ".)", "Mr. ", "a\n", "\n ", "…", "1. ", "a | b. C ", "[1]."])
def test_time_is_linear_in_a_line_without_an_end(unit):
    def seconds(length):
        text = unit * (length // len(unit))
        start = time.process_time()
        for _ in sentence_spans(text):
            pass
        return time.process_time() - start

    seconds(10_000)
    assert seconds(400_000) < 40 * max(seconds(40_000), 0.01)
