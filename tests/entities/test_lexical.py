from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridgerag._native import DROPPED, EMPTY_ENTITY
from bridgerag.entities import WordFlag, question_words
from bridgerag.entities.lexical import LexicalIndex, bm25_idf, lexical_terms, question_terms
from entities import twins

K1, B = 1.2, 0.75
OCCURRENCES = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from([0, 1, 2, 3, 2**64 - 1])), max_size=60
)
IDF = st.integers(-8, 40).map(lambda eighths: eighths / 8)


def index_of(occurrences, n_chunks=7):
    occurrences = sorted(occurrences, key=lambda one: one[0])
    chunks = np.array([chunk for chunk, _ in occurrences], np.uint32)
    terms = np.array([term for _, term in occurrences], np.uint64)
    return LexicalIndex.build(terms, chunks, n_chunks), terms, chunks


def ask(index, terms, idf, k=None):
    average = max(index.total_length / max(index.chunks, 1), 1e-9)
    arguments = np.array(terms, np.uint64), np.array(idf, np.float32), average
    return index.score(*arguments, K1, B) if k is None else index.top(*arguments, k, K1, B)


@given(OCCURRENCES, st.lists(st.tuples(st.integers(0, 4), IDF), max_size=5))
def test_scores_agree_with_the_formula(occurrences, query):
    index, terms, chunks = index_of(occurrences)
    found, scores = ask(index, [term for term, _ in query], [idf for _, idf in query])
    average = max(len(terms) / 7, 1e-9)
    expected = twins.bm25(terms.tolist(), chunks.tolist(), 7, query, average, K1, B)
    assert found.tolist() == sorted(expected)
    assert scores.tolist() == pytest.approx(
        [expected[chunk] for chunk in sorted(expected)], rel=1e-5
    )


@given(OCCURRENCES, st.integers(0, 9))
def test_the_top_are_the_best_scores_and_ties_go_to_the_lower_chunk(occurrences, k):
    index, *_ = index_of(occurrences)
    chunks, scores = ask(index, [1, 2, 3], [1.0, 0.5, 2.0])
    expected = sorted(zip((-scores).tolist(), chunks.tolist(), strict=True))[:k]
    best, best_scores = ask(index, [1, 2, 3], [1.0, 0.5, 2.0], k)
    assert list(zip((-best_scores).tolist(), best.tolist(), strict=True)) == expected


@given(OCCURRENCES)
def test_counts_are_those_of_the_occurrences(occurrences):
    index, terms, chunks = index_of(occurrences)
    pairs = set(zip(terms.tolist(), chunks.tolist(), strict=True))
    asked = [0, 1, 2, 3, 4, 2**64 - 1]
    df = index.df(np.array(asked, np.uint64)).tolist()
    assert df == [sum(term == t for t, _ in pairs) for term in asked]
    assert index.lengths.tolist() == np.bincount(chunks, minlength=7).tolist()
    assert (index.total_length, index.postings) == (len(terms), len(pairs))
    assert (len(index), index.chunks) == (len(set(terms.tolist())), 7)


@given(OCCURRENCES)
def test_a_payload_answers_as_the_index_it_came_from(occurrences):
    index, *_ = index_of(occurrences)
    payload = index.to_bytes()
    reopened = LexicalIndex.from_buffer(aligned(payload))
    assert reopened.to_bytes() == payload
    for left, right in zip(ask(index, [1, 2], [1, 2]), ask(reopened, [1, 2], [1, 2]), strict=True):
        assert left.tolist() == right.tolist()


def aligned(payload):
    """The bytes at an address that is a multiple of 8."""
    words = np.zeros(len(payload) // 8, np.uint64)
    words.view(np.uint8)[:] = np.frombuffer(payload, np.uint8)
    return words.view(np.uint8)


@given(st.data())
def test_an_altered_payload_is_refused_or_answers_within_its_borders(data):
    index, *_ = index_of([(chunk, term) for chunk in range(7) for term in range(3)])
    payload = aligned(index.to_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    payload = payload[: data.draw(st.sampled_from([len(payload), len(payload) - 8, 16, 0]))]
    try:
        altered = LexicalIndex.from_buffer(payload)
    except ValueError:
        return
    found, scores = ask(altered, [0, 1, 2], [1, 1, 1])
    assert len(found) == len(scores)
    assert (found < altered.chunks).all()


@pytest.mark.parametrize("bad", [b"", b"x" * 64, b"\xff" * 128])
def test_given_bytes_of_another_kind_then_they_are_refused(bad):
    with pytest.raises(ValueError, match="lexical index"):
        LexicalIndex.from_buffer(np.frombuffer(bytearray(bad), np.uint8))


def test_a_mapped_file_is_used_in_place(tmp_path):
    index, *_ = index_of([(0, 1), (3, 1), (3, 2)])
    (tmp_path / "lexical").write_bytes(index.to_bytes())
    mapped = LexicalIndex.from_buffer(np.memmap(tmp_path / "lexical", np.uint8, "r"))
    assert mapped.df(np.array([1, 2, 9], np.uint64)).tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("terms", "chunks", "error"),
    [([1, 2], [1, 0], ValueError), ([1], [0, 0], ValueError), ([1], [9], IndexError)],
)
def test_occurrences_that_do_not_fit_are_refused(terms, chunks, error):
    with pytest.raises(error):
        LexicalIndex.build(np.array(terms, np.uint64), np.array(chunks, np.uint32), 2)


def test_a_query_that_does_not_fit_is_refused():
    index, *_ = index_of([(0, 1)])
    with pytest.raises(ValueError, match="differ in length"):
        ask(index, [1, 2], [1.0])


def test_a_weight_that_vanishes_finds_nothing_twice():
    index, *_ = index_of([(0, 1), (0, 2)])
    assert ask(index, [1, 2, 1], [1e-45, 1e-45, 1.0])[0].tolist() == [0]


def test_a_rare_term_is_worth_more_and_an_absent_one_nothing():
    worth = bm25_idf(np.array([0, 1, 50, 100], np.uint32), 100)
    assert worth[0] == 0
    assert worth[1] > worth[2] > worth[3] > 0


def test_terms_are_content_words_with_their_chunks_and_han_pairs(read):
    _, _, words = read("the cat sat, the mat\n机器学的习", sentences_per_chunk=1)
    terms, chunks = lexical_terms(words)
    assert chunks.tolist() == [0] * 3 + [1] * (4 + 2)
    assert (np.diff(chunks.astype(int)) >= 0).all()
    assert terms.tolist()[:3] == question_terms(question_words("cat sat mat")).tolist()


SIGNS = st.sampled_from(["the", "cat,", "机", "器", "学的", "b.", "习(", "\n"])


def terms_plainly(words, title):
    """The oracle: one word at a time."""
    found = []
    keys, flags = words.keys.tolist(), words.flags.tolist()
    for chunk, (first, last) in enumerate(pairwise(words.sentences[words.chunks].tolist())):
        for i in range(first, last):
            if flags[i] & (WordFlag.STOP | WordFlag.BREAK):
                continue
            found.append((keys[i], chunk))
            both = flags[i : i + 2]
            if len(both) == 2 and all(f & 35 == WordFlag.IDEOGRAPH for f in both):
                pair = ((keys[i] ^ EMPTY_ENTITY) * 0xD1342543DE82EF95 + keys[i + 1]) % 2**64
                found.append((pair, chunk))
        found += [(term, chunk) for term in title]
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(SIGNS, max_size=30),
    st.integers(1, 3),
    st.lists(st.integers(0, 5), max_size=3),
)
def test_terms_agree_with_one_word_at_a_time(read, signs, sentences_per_chunk, title):
    _, _, words = read(" ".join(signs) or "a", sentences_per_chunk=sentences_per_chunk)
    found = lexical_terms(words, np.array(title, np.uint64))
    pairs = list(zip(*(column.tolist() for column in found), strict=True))
    assert pairs == terms_plainly(words, title)


def test_a_question_finds_the_passage_with_its_words_first(read):
    _, _, words = read(
        "red cats sleep\nblue dogs run\n机器学习很重要\n学习机器", sentences_per_chunk=1
    )
    index = LexicalIndex.build(*lexical_terms(words), 4)
    for question, first in (("Do blue dogs sleep?", 1), ("机器学习", 2), ("Cats!", 0)):
        terms = question_terms(question_words(question))
        best, _ = ask(index, terms, bm25_idf(index.df(terms), 4), 1)
        assert best.tolist() == [first]


# ---- few postings, and the scores of some chunks

QUERY = st.lists(st.tuples(st.integers(0, 4), IDF), max_size=5)


@given(OCCURRENCES, QUERY, st.integers(0, 9))
def test_few_postings_among_many_chunks_are_scored_by_the_same_formula(occurrences, query, k):
    apart = [(500 * chunk, term) for chunk, term in occurrences]
    index, terms, chunks = index_of(apart, 3001)
    asked = np.array([t for t, _ in query], np.uint64), np.array([i for _, i in query], np.float32)
    expected = twins.bm25(terms.tolist(), chunks.tolist(), 3001, query, 2.5, K1, B)
    found, scores = index.score(*asked, 2.5, K1, B)
    assert found.tolist() == sorted(expected)
    assert scores.tolist() == pytest.approx(
        [expected[chunk] for chunk in sorted(expected)], rel=1e-5
    )
    best, best_scores = index.top(*asked, 2.5, k, K1, B)
    order = sorted(zip((-scores).tolist(), found.tolist(), strict=True))[:k]
    assert list(zip((-best_scores).tolist(), best.tolist(), strict=True)) == order


@given(OCCURRENCES, QUERY, st.sets(st.integers(0, 6)))
def test_scores_of_some_chunks_are_those_among_all_scores(occurrences, query, some):
    index, *_ = index_of(occurrences)
    asked = np.array([t for t, _ in query], np.uint64), np.array([i for _, i in query], np.float32)
    every = np.zeros(7, np.float32)
    found, scores = index.score(*asked, 2.5, K1, B)
    every[found] = scores
    chunks = sorted(some)
    assert index.score_of(*asked, 2.5, ids(chunks), K1, B).tolist() == every[chunks].tolist()


@pytest.mark.parametrize(("chunks", "error"), [([1, 0], ValueError), ([0, 2], IndexError)])
def test_chunks_that_do_not_fit_are_refused(chunks, error):
    index, *_ = index_of([(0, 1)], 2)
    with pytest.raises(error):
        index.score_of(np.array([1], np.uint64), np.ones(1, np.float32), 1.0, ids(chunks), K1, B)


# ---- removal and merging

# Documents as lists of chunks, chunks as lists of terms, and whether each document is still there.
TERMS = st.sampled_from([0, 1, 2, 3, 2**64 - 1])
DOCUMENTS = st.lists(
    st.tuples(st.lists(st.lists(TERMS, max_size=6), min_size=1, max_size=3), st.booleans()),
    max_size=6,
)


def index_of_chunks(chunks):
    occurrences = [(c, term) for c, terms in enumerate(chunks) for term in terms]
    return index_of(occurrences, len(chunks))[0]


@given(DOCUMENTS, st.lists(st.tuples(st.integers(0, 4), IDF), max_size=5), st.integers(0, 9))
def test_chunks_that_are_not_alive_leave_no_trace_in_the_numbers(documents, query, k):
    chunks = [(chunk, alive) for document, alive in documents for chunk in document]
    index = index_of_chunks([chunk for chunk, _ in chunks])
    live = index_of_chunks([chunk for chunk, alive in chunks if alive])
    alive = np.array([alive for _, alive in chunks], np.uint8)
    places = np.flatnonzero(alive)
    asked = np.array([0, 1, 2, 3, 4, 2**64 - 1], np.uint64)
    assert index.df(asked, alive).tolist() == live.df(asked).tolist()
    assert int(index.lengths[alive == 1].sum()) == live.total_length
    terms = np.array([term for term, _ in query], np.uint64)
    idf = np.array([idf for _, idf in query], np.float32)
    found, scores = index.score(terms, idf, 2.5, K1, B, alive)
    expected, expected_scores = live.score(terms, idf, 2.5, K1, B)
    assert found.tolist() == places[expected].tolist()
    assert scores.tolist() == expected_scores.tolist()
    found, scores = index.top(terms, idf, 2.5, k, K1, B, alive)
    expected, expected_scores = live.top(terms, idf, 2.5, k, K1, B)
    assert found.tolist() == places[expected].tolist()
    assert scores.tolist() == expected_scores.tolist()


@given(st.lists(DOCUMENTS, max_size=4), st.randoms(use_true_random=False))
def test_a_merge_is_byte_for_byte_what_is_built_of_the_documents_that_are_left(parts, random):
    kept = [
        (part, place)
        for part, documents in enumerate(parts)
        for place, (_, alive) in enumerate(documents)
        if alive
    ]
    random.shuffle(kept)
    maps, borders = [], []
    for documents in parts:
        borders.append(np.cumsum([0, *(len(chunks) for chunks, _ in documents)]))
        maps.append(np.full(borders[-1][-1], DROPPED, np.uint32))
    merged = []
    for part, place in kept:
        first, last = borders[part][place : place + 2]
        maps[part][first:last] = np.arange(len(merged), len(merged) + last - first)
        merged += parts[part][place][0]
    indexes = [
        index_of_chunks([chunk for chunks, _ in documents for chunk in chunks])
        for documents in parts
    ]
    result = LexicalIndex.merge(indexes, maps)
    assert result.to_bytes() == index_of_chunks(merged).to_bytes()


@given(OCCURRENCES)
def test_entries_are_everything_that_is_stored(occurrences):
    index, terms, chunks = index_of(occurrences)
    truth = Counter(zip(terms.tolist(), chunks.tolist(), strict=True))
    stored, offsets, where, counts = index.entries()
    assert stored.tolist() == sorted(set(terms.tolist()))
    of = np.repeat(stored, np.diff(offsets.astype(np.int64)))
    pairs = zip(of.tolist(), where.tolist(), strict=True)
    assert list(zip(pairs, counts.tolist(), strict=True)) == sorted(truth.items())


def test_a_count_beyond_16_bits_stays_the_highest_through_a_merge():
    index, *_ = index_of([(0, 1)] * 70_000 + [(1, 1)], 2)
    assert index.entries()[3].tolist() == [65535, 1]
    swapped = LexicalIndex.merge([index], [np.array([1, 0], np.uint32)])
    assert swapped.entries()[3].tolist() == [1, 65535]
    assert swapped.lengths.tolist() == [1, 70_000]


@pytest.mark.parametrize(
    ("maps", "problem"),
    [
        ([[0, 1]], "2 parts and 1 maps"),
        ([[0, 1], [2]], "part 1 has 2 chunks, its map 1"),
        ([[0, 1], [1, 2]], "the maps keep 4 numbers, and 1 is one too many"),
        ([[0, 1], [2, 4]], "the maps keep 4 numbers, and 4 is one too many"),
        ([[0, 1], [DROPPED, 3]], "the maps keep 3 numbers, and 3 is one too many"),
    ],
)
def test_maps_that_do_not_fit_are_refused(maps, problem):
    parts = [index_of([(0, 1), (1, 2)], 2)[0]] * 2
    with pytest.raises(ValueError, match=problem):
        LexicalIndex.merge(parts, [np.array(numbers, np.uint32) for numbers in maps])


def test_given_a_damaged_part_then_it_is_not_merged():
    index, *_ = index_of([(0, 1), (1, 2)], 2)
    payload = aligned(index.to_bytes())
    payload[40:56].view(np.uint64)[:] = [2, 1]
    damaged = LexicalIndex.from_buffer(payload)
    for ask_all in (damaged.entries, lambda: LexicalIndex.merge([damaged], [ids([0, 1])])):
        with pytest.raises(ValueError, match="lexical index: its terms do not ascend"):
            ask_all()


def test_given_alive_bytes_of_another_length_or_type_then_they_are_refused():
    index, *_ = index_of([(0, 1)], 2)
    with pytest.raises(ValueError, match="alive has 1 entries, the index 2 chunks"):
        index.df(np.array([1], np.uint64), np.ones(1, np.uint8))
    with pytest.raises(TypeError):
        index.df(np.array([1], np.uint64), np.ones(2, np.int64))


def ids(values):
    return np.array(values, np.uint32)
