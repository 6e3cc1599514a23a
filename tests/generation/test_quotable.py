"""What of a passage can be quoted, and how whole it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.generation.quotable import quotable

soup = st.text(st.sampled_from("abAB .!?。\n\t#-*>|`~1)(=[]_利"), max_size=80)


def quotes(text):
    return {text[s.start : s.end]: s.whole for s in quotable(text)}


@given(soup | st.text(max_size=60))
def test_quotes_are_trimmed_in_order_inside_the_text_and_say_something(text):
    end_before = 0
    for s in quotable(text):
        quoted = text[s.start : s.end]
        assert end_before <= s.start and quoted == quoted.strip()
        assert any(map(str.isalnum, quoted))
        assert 0 < s.whole <= 1
        end_before = s.end


@pytest.mark.parametrize(
    ("line", "quoted"),
    [
        ("- Bread is baked.", "Bread is baked."),
        ("1. Bread is baked.", "Bread is baked."),
        ("> * Bread is baked.", "Bread is baked."),
        ("## Bread", "Bread"),
        ("| bread | is baked |", "bread | is baked"),
        ("```sh runnable\nbake --bread\n```", "bake --bread"),
        ("-5 degrees is cold.", "-5 degrees is cold."),
        ("#1 is the best.", "#1 is the best."),
        ("2023. 5 was the year.", "2023."),
    ],
)
def test_marks_before_and_behind_a_sentence_are_left_out(line, quoted):
    assert next(iter(quotes(line))) == quoted


@pytest.mark.parametrize("text", ["|---|---|", "```\n\n```", "* * *", "", " \n", "…"])
def test_what_holds_no_letter_or_digit_is_no_quote(text):
    assert quotes(text) == {}


@pytest.mark.parametrize(
    ("sentence", "debris"),
    [
        ("The store is a folder.", "# The store"),
        ("The store is a folder.", "The store"),
        ("The store is a folder.", "The store is one of these:"),
        ("The store is a folder.", "is a folder."),
        ("The store is a folder.", '<img src="a.png" width="55%" style="max-width: 300px;">'),
        ("It returns a value (or none).", "get(key, *, default=None, **kw) -> [int]"),
        ("利马是秘鲁的首都。", "秘鲁的首都"),
    ],
)
def test_a_whole_sentence_is_worth_more_than(sentence, debris):
    (whole,), (other,) = quotes(sentence).values(), quotes(debris).values()
    assert whole == 1.0
    assert other <= 0.7


@pytest.mark.parametrize(
    "text",
    [
        "Run this.\n\n```sh\nmake all\nmake test\n```\n\nIt is done.",
        "make all\nmake test\n```\n\nRun this. It is done.",
        "Run this. It is done.\n\n~~~\nmake all\nmake test",
    ],
    ids=["whole", "ends in the passage", "begins in the passage"],
)
def test_fenced_code_is_no_sentence_wherever_the_passage_was_cut(text):
    found = quotes(text)
    assert {quoted for quoted, whole in found.items() if whole == 1.0} == {
        "Run this.",
        "It is done.",
    }
    assert any("make" in quoted for quoted in found)
