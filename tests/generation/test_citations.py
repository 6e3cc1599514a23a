from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.generation.citations import clean_markers, disarm, resolve
from bridgerag.generation.live import LiveText
from bridgerag.types import Passage

STRICT_MARKER = re.compile(r"\[\d+\]")

marker_soup = st.text(st.sampled_from("[]【】[]0123456789,;-–^† a.\n。"), max_size=60)
texts = st.one_of(st.text(max_size=80), marker_soup)
known_numbers = st.sets(st.integers(1, 20), max_size=5)


@pytest.fixture
def passages(make_context):
    hits = make_context(
        "?",
        [
            "Lima is the capital of Peru. It has ten million people. The sea is near.",
            "Peru exports copper worth 1,250 million dollars a year.",
            "利马是秘鲁的首都。城市很大。",
        ],
    ).hits
    return tuple(Passage(number, hit) for number, hit in enumerate(hits, start=1))


@given(texts, known_numbers)
def test_every_marker_left_in_a_text_names_a_known_passage(text, known):
    clean, _ = clean_markers(text, known)
    for marker in STRICT_MARKER.findall(clean):
        assert int(marker[1:-1]) in known


@given(texts, known_numbers)
def test_cleaning_twice_changes_nothing_more(text, known):
    clean, _ = clean_markers(text, known)
    assert clean_markers(clean, known)[0] == clean


@given(texts)
def test_a_disarmed_text_holds_no_marker_and_has_lost_nothing_but_gained_spaces(text):
    disarmed = disarm(text)
    assert not STRICT_MARKER.search(disarmed)
    assert disarmed.replace(" ", "") == text.replace(" ", "")


@given(texts=st.lists(texts, min_size=1, max_size=4), answer=texts)
def test_every_marker_of_any_answer_resolves_to_a_span_of_its_passage(make_context, texts, answer):
    hits = make_context("?", texts).hits
    passages = [Passage(number, hit) for number, hit in enumerate(hits, start=1)]
    text, citations, _ = resolve(answer, passages)
    assert STRICT_MARKER.findall(text) == [c.marker for c in citations]
    for citation in citations:
        hit = hits[int(citation.marker[1:-1]) - 1]
        assert citation.document == hit.document.id
        assert hit.start <= citation.start <= citation.end <= hit.end


@given(texts, known_numbers, st.data())
def test_a_text_passed_on_in_pieces_holds_only_known_markers(text, known, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    shown: list[str] = []
    live = LiveText(shown.append, known)
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        live.feed(text[start:end])
    live.close()
    for piece in shown:
        assert all(int(m[1:-1]) in known for m in STRICT_MARKER.findall(piece))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("A [1]. B [2].", "A [1]. B [2]."),
        ("A [1, 2].", "A [1][2]."),
        ("A [1][2].", "A [1][2]."),
        ("A 【1】.", "A [1]."),
        ("A 【2†source】.", "A [2]."),
        ("A [1-3].", "A [1][2][3]."),
        ("A [^1].", "A [1]."),
        ("A [1; 3].", "A [1][3]."),
        ("A [١].", "A [1]."),
        ("A [9].", "A."),
        ("A [9] b.", "A b."),
        ("A [2, 9].", "A [2]."),
        ("A [2-9].", "A [2][3]."),
        ("A [0].", "A."),
        ("A [" + "9" * 5000 + "].", "A."),
        ("See [here](url) and [x].", "See [here](url) and [x]."),
    ],
)
def test_all_ways_of_writing_a_marker_become_one(written, expected):
    assert clean_markers(written, [1, 2, 3])[0] == expected


def test_a_statement_is_tied_to_the_one_sentence_that_supports_it(passages):
    _, (citation,), notes = resolve("Peru's capital is Lima [1].", passages)
    hit = passages[0].hit
    start, end = citation.start - hit.start, citation.end - hit.start
    assert hit.text[start:end] == "Lima is the capital of Peru."
    assert citation.supported and notes == ()


def test_a_statement_over_two_sentences_is_tied_to_the_whole_passage(passages):
    text = "Lima, the capital, has ten million people near the sea [1]."
    _, (citation,), _ = resolve(text, passages)
    hit = passages[0].hit
    assert (citation.start, citation.end, citation.supported) == (hit.start, hit.end, True)


def test_a_marker_after_the_full_stop_belongs_to_what_it_follows(passages):
    for text in (
        "Lima is the capital of Peru. [1] Copper leaves Peru. [2]",
        "Lima is the capital of Peru.[1] Copper leaves Peru.[2]",
    ):
        _, citations, notes = resolve(text, passages)
        assert [c.marker for c in citations] == ["[1]", "[2]"]
        assert citations[0].supported and not any("carry no" in n for n in notes)


def test_what_the_passage_does_not_say_is_marked_unsupported(passages):
    _, citations, notes = resolve("Penguins swim under polar ice [1].", passages)
    assert [c.supported for c in citations] == [False]
    assert "1 of 1 citations" in notes[-1]


def test_a_number_that_the_passage_does_not_hold_is_unsupported(passages):
    right, wrong = "Peru exports copper worth 1250 million dollars [2].", "1350"
    assert resolve(right, passages)[1][0].supported
    assert not resolve(right.replace("1250", wrong), passages)[1][0].supported


def test_statements_without_a_marker_are_counted(passages):
    text = "Lima is the capital [1]. It is grey. It is old. Copper is sold [2]. Llamas spit."
    assert resolve(text, passages)[2][0] == "3 of 5 statements carry no citation"


def test_chinese_statements_are_checked_too(passages):
    _, citations, notes = resolve("秘鲁的首都是利马。[3]企鹅住在南极。[3]", passages)
    assert [c.supported for c in citations] == [True, False]
    assert not any("carry no" in note for note in notes)


def test_a_marker_taken_out_is_noted_and_shown_short(passages):
    text, citations, notes = resolve("Lima is big [8].", passages)
    assert (text, citations) == ("Lima is big.", ())
    assert notes[0] == "[8] was taken out: it names no passage"
    assert all(len(note) < 120 for note in resolve(f"A [{'9' * 999}].", passages)[2])


def test_nested_brackets_by_the_thousand_take_no_time(passages):
    text, citations, _ = resolve("[" * 20_000 + "9]" * 20_000, passages)
    assert STRICT_MARKER.findall(text) == [c.marker for c in citations]


@pytest.mark.parametrize("run", [" ", "\n", "[1", "[1,", "]", "[[9]", "1-"])
def test_long_runs_in_an_answer_take_linear_time(passages, run):
    text = f"[9] {run * 50_000}x [9]"
    began = time.process_time()
    resolve(text, passages)
    live = LiveText([].append, [1])
    live.feed(text)
    live.close()
    assert time.process_time() - began < 5
