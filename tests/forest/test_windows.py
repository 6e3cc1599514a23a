"""Windows that follow the content: borders at headings and shifts of topic, in bounds, in order."""

from collections import Counter
from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgerag.entities import Vocabulary, read_words
from bridgerag.forest import content_windows
from bridgerag.text import STOP_WORDS
from bridgerag.types import Chunk

WORDS = ("gate", "river", "stone", "winter", "letter", "council", "the", "of")
HEADINGS = st.sampled_from(((), ("A",), ("A", "x"), ("A", "y"), ("B",), ("B", "x")))
parts = st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), HEADINGS)
documents = st.lists(parts, min_size=1, max_size=60)


def cut(document):
    """Return chunks of some words under some headings, and their words as they are read."""
    chunks, text = [], ""
    for words, headings in document:
        start = len(text)
        text += " ".join(words)
        chunks.append(Chunk(start, len(text), 0, ((start, len(text)),), headings))
        text += "\n"
    return chunks, read_words(text, chunks, Vocabulary())


def windows(document, window):
    chunks, words = cut(document)
    return content_windows(chunks, words, window).tolist()


def strength(document, window, gap):
    """The oracle's: how good a border before chunk ``gap`` is; the least is the best."""
    (_, above), (_, below) = document[gap - 1], document[gap]
    level = next((i for i in range(3) if above[i : i + 1] != below[i : i + 1]), 1000)
    here, *beside = (
        alike(document, border) for border in (gap, gap - 1, gap + 1) if 0 < border < len(document)
    )
    dips = all(here <= other for other in beside)
    return level, not dips, here, gap % window != 0, gap


def alike(document, gap):
    left = counted(document[max(0, gap - 5) : gap])
    right = counted(document[gap : gap + 5])
    product = sum(left[word] * right[word] for word in left)
    lengths = [sqrt(sum(n * n for n in side.values())) for side in (left, right)]
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def counted(part):
    return Counter(word for words, _ in part for word in words if word not in STOP_WORDS)


def cut_again_and_again(document, window, start, end):
    """The oracle: cut a part at its strongest border, and both halves alike."""
    if end - start < 2 * window:
        return [start]
    least = min(2, window)
    borders = range(start + least, end - least + 1)
    gap = min(borders, key=lambda border: strength(document, window, border))
    return [
        *cut_again_and_again(document, window, start, gap),
        *cut_again_and_again(document, window, gap, end),
    ]


@settings(deadline=None)
@given(documents, st.integers(1, 6))
def test_windows_agree_with_cutting_every_part_at_its_strongest_border(document, window):
    assert windows(document, window) == cut_again_and_again(document, window, 0, len(document))


@given(documents, st.integers(1, 6))
def test_windows_tile_the_chunks_and_stay_in_bounds(document, window):
    borders = [*windows(document, window), len(document)]
    sizes = [after - before for before, after in pairwise(borders)]
    assert borders[0] == 0
    assert max(sizes) <= max(2 * window - 1, 1)
    if len(document) >= 2 * window:
        assert min(sizes) >= min(2, window)


def test_given_headings_then_windows_end_where_the_outermost_changes():
    sections = [(("A",), 6), (("B", "x"), 4), (("B", "y"), 3), (("C",), 7)]
    document = [(["gate", "stone"], headings) for headings, count in sections for _ in range(count)]
    assert windows(document, 5) == [0, 6, 13]


def test_given_a_shift_of_topic_then_a_window_ends_there():
    document = [(["gate", "stone"], ())] * 7 + [(["river", "winter"], ())] * 6
    assert windows(document, 5) == [0, 7]


def test_given_no_border_better_than_another_then_they_are_the_fixed_ones():
    assert windows([(["gate"], ())] * 25, 5) == [0, 5, 10, 15, 20]


@pytest.mark.parametrize("count", [1, 5, 9])
def test_given_a_short_document_then_it_stays_whole(count):
    assert windows([(["gate"], (str(i),)) for i in range(count)], 5) == [0]


def test_given_no_words_at_all_then_there_are_windows():
    chunks = [Chunk(i, i + 1, 1, ((i, i + 1),)) for i in range(11)]
    words = read_words("." * 11, chunks, Vocabulary())
    assert content_windows(chunks, words, 5).tolist() == [0, 5]
    assert not words.keys.any()
    assert words.keys.dtype == np.uint64
