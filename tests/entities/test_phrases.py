"""The native kernel against its twin, and what it keeps of real sentences."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgerag._native import entity_key, phrases
from bridgerag.entities import WordFlag, Words, extract, normalize
from bridgerag.entities import entity_key as key_of
from entities import twins

# Few keys, so that phrases repeat; flags as words have them, and any others.
KINDS = [0, 0, 0, WordFlag.LONG, WordFlag.STOP, WordFlag.STOP | WordFlag.CONNECTOR, WordFlag.BREAK]
KINDS += [WordFlag.CAPITAL, WordFlag.CAPITAL, WordFlag.CAPITAL | WordFlag.LONG, WordFlag.NUMBER]
KINDS += [WordFlag.CAPITAL | WordFlag.ACRONYM, WordFlag.CAPITAL | WordFlag.ACRONYM | WordFlag.STOP]
KINDS += [WordFlag.NUMBER | WordFlag.LONG, WordFlag.IDEOGRAPH, WordFlag.IDEOGRAPH | WordFlag.STOP]
TOKENS = st.tuples(
    st.integers(1, 5), st.sampled_from([int(kind) for kind in KINDS]) | st.integers(0, 255)
)
LONG_RUNS = st.sampled_from(KINDS).flatmap(
    lambda kind: st.lists(st.tuples(st.integers(1, 2), st.just(int(kind))), min_size=5, max_size=12)
)
NOTHING = np.array([], np.uint64)


def words_of(chunks):
    """Words from a list of chunks, each a list of sentences, each a list of (key, flags)."""
    sentences = [sentence for chunk in chunks for sentence in chunk]
    tokens = [token for sentence in sentences for token in sentence]
    keys = np.array([key for key, _ in tokens], np.uint64)
    return Words(
        keys,
        np.array([flags for _, flags in tokens], np.uint8),
        np.cumsum([0, *map(len, sentences)]).astype(np.uint32),
        np.cumsum([0, *map(len, chunks)]).astype(np.uint32),
        plain=keys,
        stems=keys.astype(np.uint32),
        letters=keys.astype(np.uint8),
    )


@st.composite
def documents(draw):
    sentence = st.lists(TOKENS, max_size=14) | LONG_RUNS
    chunks = draw(st.lists(st.lists(sentence, max_size=3), max_size=6))
    return words_of(chunks + [[]] * draw(st.sampled_from([0, 30])))


@st.composite
def knowledge(draw):
    """A document, known pairs, and aliases between keys that it holds or does not hold."""
    words = draw(documents())
    grams = [entity_key(words.keys[i : i + n]) for i in range(len(words.keys)) for n in (1, 2)]
    keys = st.sampled_from(grams) | st.integers(0, 9) if grams else st.integers(0, 9)
    n_chunks = len(words.chunks) - 1
    where = st.integers(0, n_chunks - 1)
    known = draw(st.lists(st.tuples(keys, where), max_size=4)) if n_chunks else []
    return words, known, draw(st.lists(st.tuples(keys, keys), max_size=2, unique_by=(min, max)))


def run(words, known=(), aliases=()):
    keys, chunks = phrases(
        words.keys,
        words.flags,
        words.sentences,
        words.chunks,
        np.array([key for key, _ in known], np.uint64),
        np.array([chunk for _, chunk in known], np.uint32),
        np.array([key for pair in aliases for key in pair], np.uint64),
    )
    return list(zip(keys.tolist(), chunks.tolist(), strict=True))


@settings(max_examples=300)
@given(knowledge())
def test_the_kernel_agrees_with_its_twin_in_ascending_order(case):
    words, known, aliases = case
    assert run(words, known, aliases) == sorted(twins.phrases(words, known, aliases))


def test_a_document_of_several_blocks_keeps_all_names_in_order():
    capital = int(WordFlag.CAPITAL)
    chunk = [[(7, 0), (key, capital), (8, int(WordFlag.STOP))] * 1 for key in (1, 2, 3)]
    words = words_of([chunk] * 150_000)
    keys, chunks = phrases(
        words.keys,
        words.flags,
        words.sentences,
        words.chunks,
        NOTHING,
        NOTHING.astype(np.uint32),
        NOTHING,
    )
    order = np.lexsort((chunks, keys))
    assert (order == np.arange(len(order))).all()
    assert len(keys) >= 3 * 150_000


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"flags": np.zeros(1, np.uint8)}, ValueError),
        ({"sentences": np.array([0, 9], np.uint32)}, ValueError),
        ({"chunks": np.array([], np.uint32)}, ValueError),
        ({"chunks": np.array([0, 1, 0], np.uint32)}, ValueError),
        ({"known_chunks": np.array([5], np.uint32)}, ValueError),
        ({"known": np.array([1], np.uint64), "known_chunks": np.array([1], np.uint32)}, IndexError),
        ({"aliases": np.array([1], np.uint64)}, ValueError),
    ],
)
def test_borders_that_do_not_fit_are_refused(change, error):
    sound = {
        "keys": np.array([1, 2], np.uint64),
        "flags": np.zeros(2, np.uint8),
        "sentences": np.array([0, 2], np.uint32),
        "chunks": np.array([0, 1], np.uint32),
        "known": NOTHING,
        "known_chunks": np.array([], np.uint32),
        "aliases": NOTHING,
    }
    with pytest.raises(error):
        phrases(**(sound | change))


# ---- what is kept of real sentences


def kept(read, text, phrase, **options):
    document, chunks, words = read(text, **options)
    mentions = extract(document, chunks, words)
    return mentions.chunks[mentions.keys == np.uint64(key_of(phrase))].tolist()


PASSAGE = """\
Former President Barack Obama visited the University of Oxford in 2016 with J. K. Rowling.
Patients with chronic kidney disease were treated at the WHO in Geneva.
The treatment of hypertension needs care.
Super Bowl 50 was played in Santa Clara."""


@pytest.mark.parametrize(
    "phrase",
    [
        "Barack Obama",
        "Obama",
        "University of Oxford",
        "Oxford",
        "J. K. Rowling",
        "2016",
        "chronic kidney disease",
        "WHO",
        "Geneva",
        "hypertension",
        "Super Bowl 50",
        "Super Bowl",
        "Santa Clara",
    ],
)
def test_what_people_ask_for_is_kept(read, phrase):
    assert kept(read, PASSAGE, phrase)


@pytest.mark.parametrize(
    "phrase", ["the", "care", "played", "in", "Barack", "kidney disease were", "50"]
)
def test_what_nobody_asks_for_is_not_kept(read, phrase):
    assert kept(read, PASSAGE, phrase) == []


def test_a_piece_counts_once_it_stands_in_two_phrases(read):
    once = "we saw rapid visual acuity decline today"
    twice = once + "\nthey measured best corrected visual acuity again"
    assert kept(read, once, "visual acuity") == []
    assert kept(read, twice, "visual acuity") == [0]


def test_chinese_runs_their_edges_and_repeated_parts_are_kept(read):
    text = "他在北京大学的实验室研究机器学习。\n机器学习方法是重要的。"
    for phrase in ("北京大学", "机器学习", "北京", "大学", "机器"):
        assert kept(read, text, phrase), normalize(phrase)
    assert kept(read, text, "京大") == []
