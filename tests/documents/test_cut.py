"""The native cutter of long sentences agrees with a slow twin, whatever it is given at once."""

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag._native import atoms, clauses, unit_sizes
from bridgerag.documents import chunk
from bridgerag.types import Document, Section
from documents import cut_twin

SIGNS = st.sampled_from([*"ab.,;:| \n\t漢。、：」\u3000\u00a0—x\U00020000\uffef"])
TEXTS = st.lists(SIGNS, max_size=60).map("".join)


def spans_of(text, borders):
    inner = sorted(border % (len(text) + 1) for border in borders)
    return [*zip([0, *inner], [*inner, len(text)], strict=True)]


@given(TEXTS, st.lists(st.integers(0, 60), max_size=3), st.integers(1, 9))
def test_atoms_agree_with_their_twin_and_no_more_come_than_were_asked_for(text, borders, most):
    spans = spans_of(text, borders)
    rows = np.array(spans, np.uint32)
    expected = cut_twin.atoms(text, spans)
    assert [*map(tuple, atoms(text, rows, 1000).tolist())] == expected
    assert [*map(tuple, atoms(text, rows, most).tolist())] == expected[:most]


@given(TEXTS, st.lists(st.integers(0, 60), max_size=3), st.integers(1, 12), st.data())
def test_clauses_agree_with_their_twin(text, borders, target, data):
    found = cut_twin.atoms(text, spans_of(text, borders))
    places, spans = [place for place, *_ in found], [tuple(span) for _, *span in found]
    size = st.integers(1, target)
    sizes = data.draw(st.lists(size, min_size=len(found), max_size=len(found)))
    ends = clauses(
        text,
        np.array(places, np.uint32),
        np.array(spans, np.uint32).reshape(-1, 2),
        np.array(sizes, np.uint32),
        target,
    )
    assert ends.tolist() == cut_twin.clauses(text, places, spans, sizes, target)


@given(TEXTS, st.integers(1, 6), st.integers(1, 7))
def test_chunks_are_the_same_however_many_atoms_are_held(text, target, at_once):
    document = Document("id", "t", "s", text, (Section(0, len(text)),))
    expected = list(chunk(document, len, target))
    with pytest.MonkeyPatch.context() as patch:
        module = importlib.import_module("bridgerag.documents.chunk")
        patch.setattr(module, "_ATOMS_AT_ONCE", at_once)
        assert list(chunk(document, len, target)) == expected


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9)), max_size=9), st.integers(1, 8))
def test_a_unit_takes_its_tokens_and_no_less_than_a_share_of_its_characters(units, target):
    spans = np.array([(7, 7 + length) for length, _ in units], np.uint32).reshape(-1, 2)
    sizes, long = unit_sizes(spans, np.array([t for _, t in units], np.uint32), 16, target)
    assert sizes.tolist() == [max(tokens, -(-length // 16)) for length, tokens in units]
    assert long.tolist() == [i for i, size in enumerate(sizes.tolist()) if size > target]


def rows(*values):
    return np.array(values, np.uint32)


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(ValueError, match="a place and a size"):
        clauses("a b", rows(0), rows((0, 1), (2, 3)), rows(1, 1), 4)
    with pytest.raises(ValueError, match="atoms must ascend"):
        clauses("a b", rows(0, 0), rows((2, 3), (0, 1)), rows(1, 1), 4)
    with pytest.raises(ValueError, match="atoms must ascend"):
        clauses("a b", rows(0), rows((1, 1)), rows(1), 4)
    with pytest.raises(IndexError):
        atoms("a b", rows((0, 4)), 9)
    with pytest.raises(ValueError, match="tokens for each row"):
        unit_sizes(rows((0, 1)), rows(1, 2), 16, 4)
