"""Chunks cover the text once, stay under the target and end where a reader would end them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgerag.documents import chunk
from bridgerag.types import Document, Section


def count_words(text):
    """Count words, and every CJK character as one."""
    return len(re.findall(r"[\u3040-\u9fff]|[^\s\u3040-\u9fff]+", text))


def document(text, sections=None):
    return Document("id", "title", "source", text, sections or (Section(0, len(text)),))


def texts(doc, chunks):
    return [doc.text[c.start : c.end] for c in chunks]


PIECES = st.sampled_from([*"ab. \n!?;,|#-1A汉。ق\t", "word ", "Sentence. ", "\n\n", "x" * 40])
TEXTS = st.lists(PIECES, min_size=1, max_size=60).map("".join)


@st.composite
def documents(draw):
    parts = draw(st.lists(TEXTS, min_size=1, max_size=6))
    paged = draw(st.booleans())
    sections, at = [], 0
    for number, part in enumerate(parts, start=1):
        page = number if paged else None
        sections.append(Section(at, at + len(part), (f"h{number}",), page))
        at += len(part)
    return document("".join(parts), tuple(sections))


def check_chunks(doc, chunks, target):
    at = 0
    for c in chunks:
        assert not doc.text[at : c.start].strip(), "text was left out"
        piece = doc.text[c.start : c.end]
        assert piece and piece == piece.strip()
        assert c.tokens <= target or c.end - c.start == 1
        assert c.sentences[0][0] == c.start and c.sentences[-1][1] == c.end
        for (_, left), (right, _) in zip(c.sentences, c.sentences[1:], strict=False):
            assert left <= right and not doc.text[left:right].strip()
        homes = [s for s in doc.sections if s.start < c.end and c.start < s.end]
        assert (c.headings, c.page, c.row) in [(s.headings, s.page, s.row) for s in homes]
        at = c.end
    assert not doc.text[at:].strip()


@settings(deadline=None)
@given(documents(), st.integers(1, 40))
def test_every_visible_character_is_in_exactly_one_chunk_and_none_is_too_large(doc, target):
    check_chunks(doc, chunk(doc, count_words, target), target)


@settings(deadline=None)
@given(documents(), st.integers(1, 40))
def test_a_tokenizer_that_counts_characters_is_kept_too(doc, target):
    check_chunks(doc, chunk(doc, len, target), target)


@settings(deadline=None)
@given(documents(), st.integers(1, 40))
def test_a_chunk_never_crosses_a_page(doc, target):
    for c in chunk(doc, count_words, target):
        if c.page is not None:
            home = doc.sections[c.page - 1]
            assert home.start <= c.start and c.end <= home.end


def test_given_an_empty_or_blank_document_then_there_is_no_chunk():
    assert list(chunk(document(""), count_words)) == []
    assert list(chunk(document(" \n\t\u00a0 "), count_words)) == []


def test_whole_sentences_are_packed_up_to_the_target():
    doc = document(" ".join(f"Sentence number {n} is here." for n in range(40)))
    chunks = chunk(doc, count_words, target=20)
    assert all(piece.endswith("here.") for piece in texts(doc, chunks))
    assert [c.tokens for c in chunks] == [20] * 10


def test_each_sentence_is_counted_once():
    counted = []

    def count(text):
        counted.append(text)
        return count_words(text)

    doc = document("One two three. " * 50)
    chunk(doc, count, target=20)
    assert len(counted) == 50


def test_a_long_sentence_is_cut_after_a_clause_and_never_inside_a_word():
    doc = document("alpha beta gamma delta, " * 20)
    chunks = chunk(doc, count_words, target=18)
    assert all(piece.endswith(("delta,", "delta")) for piece in texts(doc, chunks))
    doc = document("alphabetical " * 100)
    assert {w for piece in texts(doc, chunk(doc, count_words, 7)) for w in piece.split()} == {
        "alphabetical"
    }


def test_a_long_sentence_prefers_the_end_of_a_line():
    doc = document("\n".join("def f a b c d" for _ in range(30)))
    assert all(piece.startswith("def") for piece in texts(doc, chunk(doc, count_words, 20)))


def test_a_word_longer_than_a_chunk_is_cut_between_characters():
    doc = document("y " + "x" * 1000)
    chunks = chunk(doc, len, target=64)
    assert all(c.tokens <= 64 for c in chunks)
    assert "".join(texts(doc, chunks)).replace(" ", "") == "y" + "x" * 1000


def test_a_giant_word_that_counts_as_one_unknown_token_is_cut_all_the_same():
    doc = document("x" * 100_000)
    chunks = chunk(doc, lambda text: len(text.split()), target=16)
    assert max(c.end - c.start for c in chunks) <= 16 * 16


@pytest.mark.parametrize(
    "sentence", ["今天天气很好，我们去公园散步。", "今日は天気がいいので、公園へ行く。"]
)
def test_cjk_is_cut_between_sentences_and_an_endless_one_between_characters(sentence):
    doc = document(sentence * 20)
    assert all(piece.endswith("。") for piece in texts(doc, chunk(doc, count_words, 40)))
    doc = document(sentence[:6] * 50)
    assert all(c.tokens == 40 for c in chunk(doc, count_words, 40)[:-1])


def test_a_row_is_a_chunk_of_its_own():
    rows = ["city: Paris; people: 2\n", "city: Rome; people: 3\n"]
    sections = (Section(0, 23, row=1), Section(23, 45, row=2))
    chunks = chunk(document("".join(rows), sections), count_words)
    assert [(c.row, c.tokens) for c in chunks] == [(1, 4), (2, 4)]


def test_a_heading_cuts_unless_the_running_chunk_is_small():
    small, large = "Tiny words here.\n\n", "Many words stand here now. " * 4 + "\n\n"
    text = small + large + large
    sections = (
        Section(0, len(small), ("A",)),
        Section(len(small), len(small + large), ("B",)),
        Section(len(small + large), len(text), ("C",)),
    )
    chunks = chunk(document(text, sections), count_words, target=40)
    assert [c.headings for c in chunks] == [("B",), ("C",)]  # B holds most of the first


def test_a_tiny_tail_is_evened_out_with_its_neighbour():
    doc = document(" ".join(["One two three four."] * 11))
    assert [c.tokens for c in chunk(doc, count_words, target=40)] == [24, 20]


def test_a_line_that_only_introduces_what_follows_goes_with_it():
    doc = document("One two three four five. " * 7 + "\n\nNote\n\n" + "Six seven eight nine. " * 5)
    assert texts(doc, chunk(doc, count_words, target=36))[1].startswith("Note")
