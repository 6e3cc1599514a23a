"""Rows go into a table in blocks, in order; those of a document are what its columns say."""

import json
import sqlite3
from itertools import chain, islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag._native import chunk_rows as native_chunk_rows
from bridgerag._native import row_checksum
from bridgerag.store import rows as module
from bridgerag.store.rows import RowBlocks, chunk_rows, summary_rows
from bridgerag.types import Chunk


@pytest.mark.parametrize(
    "counts", [[], [0], [1], [128], [129], [50, 0, 78, 1, 5_000], [127, 1, 256]]
)
def test_rows_arrive_in_order_and_less_than_a_statement_is_held(counts):
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a, b, c, d, e, f, g)")
    numbers = iter(range(sum(counts)))
    blocks, given_ = RowBlocks(connection, "t", 7), 0
    for count in counts:
        rows = [(number, None, "x", b"y", 2, 3, 4) for number in islice(numbers, count)]
        blocks.add([*chain.from_iterable(rows)])
        given_ += len(rows)
        (stored,) = connection.execute("SELECT count(*) FROM t").fetchone()
        assert given_ - stored < 900 // 7
    blocks.flush()
    assert connection.execute("SELECT a, b, g FROM t ORDER BY rowid").fetchall() == [
        (number, None, 4) for number in range(given_)
    ]


@st.composite
def chunked(draw):
    """A text, and chunks of one to three sentences with gaps between them."""
    chunks, at = [], draw(st.integers(0, 2))
    for _ in range(draw(st.integers(0, 6))):
        sentences = []
        for _ in range(draw(st.integers(1, 3))):
            end = at + draw(st.integers(1, 4))
            sentences.append((at, end))
            at = end + draw(st.integers(0, 2))
        headings = draw(st.sampled_from([(), ("Über",), ("a", 'b"\\')]))
        place = draw(st.sampled_from([None, 1, 70_000])), draw(st.sampled_from([None, 3]))
        chunks.append(
            Chunk(sentences[0][0], sentences[-1][1], at, tuple(sentences), headings, *place)
        )
    return draw(st.text(min_size=at + 1, max_size=at + 3).filter(storable)), chunks


def storable(text):
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def rows_one_by_one(document, text, chunks):
    """The oracle: a tuple a chunk."""
    before = 0
    for number, c in enumerate(chunks):
        borders = [border - c.start for span in c.sentences for border in span]
        row = (
            document << 32 | number,
            c.start,
            c.tokens,
            json.dumps(c.headings, ensure_ascii=False, separators=(",", ":"))
            if c.headings
            else None,
            c.page,
            c.row,
            json.dumps(borders, separators=(",", ":")) if len(c.sentences) > 1 else None,
            text[before : c.start],
            text[c.start : c.end],
        )
        yield from (*row, row_checksum(*row))
        before = c.end


@given(chunked(), st.integers(1, 1 << 30), st.integers(1, 7))
def test_chunk_rows_agree_with_their_twin_however_many_are_made_at_once(case, document, at_once):
    text, chunks = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNKS", at_once)
        found = [*chain.from_iterable(chunk_rows(document, text, chunks))]
    assert found == [*rows_one_by_one(document, text, chunks)]


@given(st.lists(st.text().filter(storable), max_size=5), st.integers(1, 1 << 30))
def test_summary_rows_agree_with_their_twin(summaries, document):
    expected = [(document << 32 | number, text) for number, text in enumerate(summaries)]
    assert summary_rows(document, summaries) == [
        value for row in expected for value in (*row, row_checksum(*row))
    ]


def numbers(*values):
    return np.array(values, np.uint32)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"before": 2}, "in front of it"),
        ({"sentences": numbers((3, 5), (1, 2))}, "sentences must ascend"),
        ({"first": numbers(0, 2, 2)}, "first must ascend"),
        ({"tokens": numbers(1)}, "tokens and a home"),
        ({"homes": numbers(0, 1)}, "homes names a place"),
        ({"places": [(None, None)]}, "headings, page and row"),
        ({"sentences": numbers((1, 2), (3, 9))}, "none of the text"),
    ],
)
def test_what_does_not_fit_together_is_refused(changed, problem):
    given_ = {
        "text": " ab cd",
        "before": 1,
        "address": 7 << 32,
        "sentences": numbers((1, 3), (4, 6)),
        "first": numbers(0, 1, 2),
        "tokens": numbers(1, 1),
        "homes": numbers(0, 0),
        "places": [(None, None, None)],
    }
    native_chunk_rows(**given_)
    with pytest.raises((ValueError, IndexError), match=problem):
        native_chunk_rows(**given_ | changed)
