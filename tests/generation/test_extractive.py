from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.errors import InputError
from bridgerag.generation import ExtractiveWriter
from bridgerag.generation.citations import disarm

MARKER = re.compile(r"\[\d+\]")

LIMA = "Lima is the capital of Peru. It lies by the sea. Fog covers the city in winter."
COPPER = "Peru sells copper to many countries. Mines lie high in the Andes."

sentences = st.sampled_from(
    [
        "Lima is the capital of Peru.", "It has [3] districts [12].", "The mayor is Ana.\n",
        "利马是秘鲁的首都。", "城市很大！", "ليما عاصمة بيرو.", "Copper is sold, e.g. to Chile.",
        "a[0] = b[1]", "\n\n", "…", " ", "Is it?", "capital of Peru", "# Head",
    ]
)  # fmt: skip
passage_texts = st.lists(sentences, min_size=1, max_size=8).map(" ".join).map(str.strip)
documents = st.lists(passage_texts.filter(bool) | st.text(min_size=1, max_size=30), max_size=4)
questions = st.one_of(passage_texts, st.text(max_size=30))


@given(documents, questions, st.integers(1, 5))
def test_each_shown_sentence_is_its_cited_span_on_one_line(
    make_context, cited_text, texts, question, most
):
    context = make_context(question, texts, entities=["Lima", "秘鲁", ""])
    pieces: list[str] = []
    answer = ExtractiveWriter(max_sentences=most).write(context, pieces.append)
    assert "".join(pieces) == answer.text
    assert MARKER.findall(answer.text) == [c.marker for c in answer.citations]
    assert [c.marker for c in answer.citations] == [
        f"[{n}]" for n in range(1, len(answer.citations) + 1)
    ]
    assert len(answer.citations) <= most
    shown = [disarm(" ".join(cited_text(context, c).split())) for c in answer.citations]
    marked = " ".join(f"{text} [{n}]" for n, text in enumerate(shown, start=1))
    assert answer.text.endswith(marked)
    assert answer == ExtractiveWriter(max_sentences=most).write(context)


def test_given_a_fact_in_the_last_passage_when_asked_then_its_sentence_comes_first(
    make_context, cited_text
):
    context = make_context("Who sells copper?", [LIMA, COPPER])
    answer = ExtractiveWriter().write(context)
    assert cited_text(context, answer.citations[0]) == "Peru sells copper to many countries."
    assert answer.text.startswith("Peru sells copper to many countries. [1]")
    assert answer.model == "extractive" and answer.usage == {}


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("秘鲁的首都是什么？", "城市很大。利马是秘鲁的首都。冬天有雾。", "利马是秘鲁的首都。"),
        ("ما هي عاصمة بيرو؟", "المدينة كبيرة. ليما هي عاصمة بيرو. الشتاء بارد جدا.",
         "ليما هي عاصمة بيرو."),
        ("Какая столица у Перу?", "Город очень большой. Лима — столица Перу. Зимой здесь туман.",
         "Лима — столица Перу."),
        ("Où pousse le café ?", "Le thé vient de Chine. Le cafe pousse en haute altitude.",
         "Le cafe pousse en haute altitude."),
    ],
)  # fmt: skip
def test_questions_in_other_scripts_find_their_sentence(
    make_context, cited_text, question, text, expected
):
    context = make_context(question, [text])
    answer = ExtractiveWriter().write(context)
    assert cited_text(context, answer.citations[0]) == expected


def test_rare_words_of_the_question_weigh_more_than_frequent_ones(make_context, cited_text):
    texts = ["The Rimac flows west.", *(f"Lima has port number {n}." for n in range(8))]
    context = make_context("Which Lima port is at the Rimac?", texts)
    answer = ExtractiveWriter().write(context)
    assert cited_text(context, answer.citations[0]) == texts[0]


def test_the_next_sentence_is_one_that_covers_more_of_the_question(make_context, cited_text):
    texts = [
        "Ana Prado designed the old stone bridge over the river Rimac after years of study.",
        "Ana Prado liked the old stone bridge dearly and often.",
        "The granite came whence llamas graze.",
    ]
    question = "Whence came the granite of the old stone bridge that Ana Prado designed?"
    context = make_context(question, texts)
    answer = ExtractiveWriter(max_sentences=2).write(context)
    assert [cited_text(context, c) for c in answer.citations] == [texts[0], texts[2]]


def test_an_entity_decides_between_sentences_with_the_same_words(make_context, cited_text):
    texts = ["The bridge of Lima opened in 1610.", "The bridge of Cusco opened in 1790."]
    context = make_context("When did that bridge open?", texts, ["Cusco"])
    answer = ExtractiveWriter().write(context)
    assert cited_text(context, answer.citations[0]) == texts[1]


def test_the_same_sentence_in_two_documents_is_shown_once(make_context):
    again = "lima  is the capital of Peru!"
    answer = ExtractiveWriter().write(make_context("What is the capital of Peru?", [LIMA, again]))
    assert answer.text.lower().count("is the capital of peru") == 1


def test_a_question_over_two_documents_gets_a_sentence_of_each(make_context):
    question = "Which country has Lima as capital and sells copper?"
    answer = ExtractiveWriter().write(make_context(question, [LIMA, COPPER]))
    assert {c.document for c in answer.citations} == {"doc-1", "doc-2"}


def test_when_nothing_matches_the_answer_says_so_and_shows_the_nearest(make_context, cited_text):
    context = make_context("How do penguins sleep?", [LIMA, COPPER])
    answer = ExtractiveWriter().write(context)
    assert answer.text == (
        "The documents do not seem to answer this; the nearest passage is: "
        "Lima is the capital of Peru. [1]"
    )
    assert cited_text(context, answer.citations[0]) == "Lima is the capital of Peru."


@pytest.mark.parametrize("texts", [[], [" \n "]])
def test_without_passages_the_answer_is_one_plain_sentence(make_context, texts):
    answer = ExtractiveWriter().write(make_context("Why?", texts))
    assert (answer.text, answer.citations) == ("No passage was found.", ())


@pytest.mark.parametrize(
    "question", ["", "the of is", "🙂🙂", "\x00", "?" * 1000, "word " * 200_000]
)
def test_odd_questions_get_an_answer(make_context, question):
    answer = ExtractiveWriter().write(make_context(question, [LIMA]))
    assert answer.citations


def test_numbers_in_brackets_are_spaced_so_that_they_do_not_seem_to_cite(make_context):
    answer = ExtractiveWriter().write(make_context("Where is x?", ["Set x to a[0] and b[12] now."]))
    assert answer.text == "Set x to a[ 0 ] and b[ 12 ] now. [1]"


class _Meaning:
    """An embedder that knows one thing: cars are automobiles."""

    name, fingerprint, dim = "meaning", "1", 2

    def embed(self, texts, on_done=None):
        return np.array([[1, 0] if "car" in t else [0.1, 0.995] for t in texts], np.float32)

    def count_tokens(self, text):
        return len(text.split())


def test_an_embedder_finds_what_no_word_does(make_context, cited_text):
    texts = ["Fog covers the hills in winter. Every carriage needs two strong horses."]
    context = make_context("Which car is fast?", texts)
    answer = ExtractiveWriter(_Meaning()).write(context)
    assert cited_text(context, answer.citations[0]).startswith("Every carriage")
    assert "do not seem" not in answer.text
    assert "do not seem" in ExtractiveWriter(None).write(context).text


def test_an_embedder_without_vectors_is_not_asked(make_context):
    class NoVectors:
        name, fingerprint, dim = "none", "0", 0

        def embed(self, texts, on_done=None):
            raise AssertionError("asked")

        def count_tokens(self, text):
            return 0

    assert ExtractiveWriter(NoVectors()).write(make_context("Who sells copper?", [COPPER])).text


def test_headings_and_questions_are_shown_only_for_want_of_better(make_context, cited_text):
    texts = ["The capital of Peru\nWhat is the capital of Peru?\nThat is Lima by the sea."]
    context = make_context("What is the capital of Peru?", texts, titles=["The capital of Peru"])
    answer = ExtractiveWriter().write(context)
    assert cited_text(context, answer.citations[0]) == "That is Lima by the sea."
    alone = make_context("What is the capital of Peru?", ["Capital of Peru"])
    assert ExtractiveWriter().write(alone).text == "Capital of Peru [1]"


def test_no_sentences_at_all_cannot_be_asked_for():
    with pytest.raises(InputError, match="max_sentences is 0"):
        ExtractiveWriter(max_sentences=0)


def test_marks_are_left_out_of_what_is_shown_and_of_the_cited_span(make_context, cited_text):
    context = make_context("Who sells copper?", ["# Trade\n\n- Peru sells copper.\n- It buys tin."])
    answer = ExtractiveWriter().write(context)
    assert answer.text == "Peru sells copper. [1]"
    assert cited_text(context, answer.citations[0]) == "Peru sells copper."


def test_code_that_quotes_the_question_does_not_answer_it(make_context):
    code = '```sh\nask "Which mines sell copper to Chile?"\n```'
    context = make_context("Which mines sell copper to Chile?", [code, COPPER])
    assert ExtractiveWriter().write(context).text.startswith("Peru sells copper")
    assert "ask" in ExtractiveWriter().write(make_context("Which mines?", [code])).text


def test_a_heading_that_only_repeats_the_question_is_no_answer(make_context):
    context = make_context("How to sell copper?", ["How to sell copper\n\nCopper goes by ship."])
    assert ExtractiveWriter().write(context).text == "Copper goes by ship. [1]"


def test_one_word_in_common_with_a_long_question_is_not_an_answer(make_context):
    question = "Which striker scored the goal of the football championship final in winter?"
    answer = ExtractiveWriter().write(make_context(question, [LIMA, COPPER]))
    assert answer.text.startswith("The documents do not seem to answer this")
    assert len(answer.citations) == 1
