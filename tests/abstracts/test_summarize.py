import random
import re
import time
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abstracts import twins
from bridgerag._native import pick, score_sentences, summary_shape, summary_texts
from bridgerag.abstracts.summarize import SUMMARY_WORDS, summarize
from bridgerag.entities.words import Vocabulary, question_words, read_words
from bridgerag.forest import grow
from bridgerag.types import Chunk

PARIS = (
    "Contents\n"
    "1 ... 2 ... 3 ... 4\n"
    "The Eiffel Tower is a wrought-iron tower that was built in Paris for the world's fair.\n"
    "It rained.\n"
    "The Eiffel Tower in Paris is a wrought-iron tower, built for the world's fair there.\n"
    "| 1889 | 312 | 7300 | 18038 | 2500000 | 300 |\n"
    "Gustave Eiffel's company won the contest with a design drawn by two of its engineers.\n"
    "and other half lines\n"
)


def document(sentences, per_chunk=2, headings=()):
    """One sentence a line, ``per_chunk`` of them a chunk."""
    text = "\n".join(sentences)
    ends = np.cumsum([len(sentence) + 1 for sentence in sentences]) - 1
    spans = [(int(end) - len(s), int(end)) for s, end in zip(sentences, ends, strict=True)]
    groups = [tuple(spans[i : i + per_chunk]) for i in range(0, len(spans), per_chunk)]
    return text, [Chunk(g[0][0], g[-1][1], 9, g, headings) for g in groups]


def summaries(sentences, per_chunk=2, window=5, branching=5, headings=(), **options):
    text, chunks = document(sentences, per_chunk, headings)
    words = read_words(text, chunks, Vocabulary())
    return summarize(text, chunks, words, grow(len(chunks), window, branching), **options)


def report(sentences):
    """A text whose sentences share a subject and have words of their own."""
    draw = random.Random(7)
    nouns = [
        "".join(draw.choices(["ka", "lo", "mir", "tes", "run", "vo"], k=3)) for _ in range(400)
    ]
    return [
        f"Observation {i} says that the {draw.choice(nouns)} of the {draw.choice(nouns)} "
        f"and its {draw.choice(nouns)} were changed by a {draw.choice(nouns)} in spring."
        for i in range(sentences)
    ]


def parts(summary):
    return summary.split(" … ")


def test_a_document_of_one_sentence_summarises_to_itself():
    assert summaries(["Water boils at 100 °C."]) == ["Water boils at 100 °C."]


def test_white_space_is_folded_and_the_marks_of_a_heading_are_dropped():
    assert summaries(["##  Water\n\tboils  early"]) == ["Water boils early"]


def test_prose_is_preferred_to_contents_tables_and_half_lines():
    (summary,) = summaries(PARIS.splitlines(), per_chunk=8)
    assert "wrought-iron tower" in summary
    for junk in ("Contents", "...", "|", "It rained.", "half lines"):
        assert junk not in summary


def test_what_was_said_already_is_not_said_again():
    (summary,) = summaries(PARIS.splitlines(), per_chunk=8)
    assert summary.count("wrought-iron tower") == 1
    assert "Gustave Eiffel's company won the contest" in summary


def test_words_of_a_heading_draw_the_summary_towards_them():
    sentences = [
        "It rained all day.",
        "The committee approved the budget for the new harbour wall in spring.",
        "The committee approved the budget for the new village school in spring.",
    ]
    (summary,) = summaries(sentences, per_chunk=3, summary_words=(12,), headings=("School",))
    assert summary == sentences[2]


def test_sentences_keep_their_order_and_a_gap_is_shown_only_where_one_is():
    sentences = report(40)
    for summary in summaries(sentences, summary_words=(60,)):
        found = [int(n) for n in re.findall(r"Observation (\d+)", summary)]
        assert found == sorted(found)
        gaps = sum(after != before + 1 for before, after in pairwise(found))
        assert summary.count(" … ") == gaps


def test_a_summary_grows_with_the_level_and_stays_inside_its_abstract():
    sentences = report(500)
    text, chunks = document(sentences)
    tree = grow(len(chunks), 5, 5)
    made = summarize(text, chunks, read_words(text, chunks, Vocabulary()), tree)
    assert len(made) == len(tree)
    lengths = np.array([len(summary.replace(" … ", " ").split()) for summary in made])
    means = [lengths[tree.level == level].mean() for level in range(4)]
    assert means == sorted(means)
    assert means[0] < means[3]
    assert (lengths <= 1.3 * np.array(SUMMARY_WORDS)[np.minimum(tree.level, 3)]).all()
    for summary, first, count in zip(made, tree.first_chunk, tree.chunk_count, strict=True):
        owned = " ".join(text[chunks[first].start : chunks[first + count - 1].end].split())
        assert all(part in owned for part in parts(summary))


def test_the_root_speaks_of_more_than_one_part_of_the_document():
    root = summaries(report(60), per_chunk=2)[-1]
    numbers = [int(n) for n in re.findall(r"Observation (\d+)", root)]
    assert len({n // 10 for n in numbers}) > 1


def test_an_endless_sentence_is_cut():
    (summary,) = summaries(["word " * 5000], per_chunk=1)
    assert len(summary) <= 9 * SUMMARY_WORDS[0] + 1
    assert summary.endswith("word…")


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (["目录。", "埃菲尔铁塔是一座位于巴黎的铁塔,建于一八八九年。", "下雨了。"], "埃菲尔铁塔"),
        (["المحتويات.", "برج إيفل هو برج حديدي في باريس بني عام ١٨٨٩ للمعرض العالمي."], "برج إيفل"),
        (["Оглавление.", "Эйфелева башня построена в Париже для Всемирной выставки."], "башня"),
    ],
)
def test_other_scripts_are_summarised_too(sentences, expected):
    assert expected in summaries(sentences, per_chunk=3)[-1]


@pytest.mark.parametrize("sentences", [["***"], ["---", "..."], ["1", "2", "3"], ["the of and"]])
def test_sentences_without_content_words_still_give_a_summary(sentences):
    assert summaries(sentences)[-1]


@given(
    st.lists(
        st.lists(
            st.sampled_from(["tower", "iron", "Paris", "the", "1889", ",", "|", "塔", "برج", "…"]),
            min_size=1,
            max_size=30,
        ).map(" ".join),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(2, 3),
)
def test_any_document_gets_one_summary_an_abstract_made_of_its_own_sentences(
    bodies, per_chunk, window, branching
):
    sentences = [f"s{number}x {body}" for number, body in enumerate(bodies)]
    made = summaries(sentences, per_chunk, window, branching)
    chunks = -(-len(sentences) // per_chunk)
    assert len(made) == len(grow(chunks, window, branching))
    assert made == summaries(sentences, per_chunk, window, branching)
    for summary in made:
        assert summary
        rest = summary
        for sentence in sentences:
            if rest.startswith(sentence):
                rest = rest[len(sentence) :].removeprefix(" … ").removeprefix(" ")
        assert rest == ""


@st.composite
def scored_documents(draw):
    """Sentences with few scores and words, so that ties and repeats are common, and their tree."""
    said = draw(st.lists(st.lists(st.integers(0, 12), max_size=8), min_size=1, max_size=50))
    scores = [draw(st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0, 1 / 3])) for _ in said]
    sizes = [len(words) + draw(st.integers(0, 3)) for words in said]
    tree = grow(len(said), draw(st.integers(1, 12)), draw(st.integers(2, 5)))
    leaf = tree.child_count == 0
    return (
        np.array(scores),
        np.array(sizes, np.uint32),
        np.cumsum([0, *map(len, said)]).astype(np.uint32),
        np.array([word for words in said for word in words], np.uint32),
        leaf.astype(np.uint8),
        np.where(leaf, tree.first_chunk, tree.first_child),
        np.where(leaf, tree.chunk_count, tree.child_count),
        np.array([draw(st.integers(0, 30)) for _ in range(len(tree))], np.uint32),
    )


@given(scored_documents())
def test_the_picker_agrees_with_its_twin(arrays):
    picked, borders = pick(*arrays)
    expected = twins.pick(*(array.tolist() for array in arrays))
    assert [picked[a:b].tolist() for a, b in pairwise(borders.tolist())] == expected


SIGNS = (
    "the",
    "of",
    "Tower",
    "tower",
    "1889",
    "(and)",
    "-",
    "Éiffel",
    "word,",
    ".",
    "！",
    "•",
    "漢",
)
SAID = st.sampled_from([*SIGNS, "x" * 30])


@given(st.lists(st.lists(SAID, min_size=1, max_size=14).map(" ".join), min_size=1, max_size=20))
def test_scores_agree_with_their_twin(sentences):
    text, chunks = document(sentences, per_chunk=3, headings=("The Tower of 1889",))
    words = read_words(text, chunks, Vocabulary())
    spans = [span for chunk in chunks for span in chunk.sentences]
    headings = question_words("The Tower of 1889").keys
    found, sizes, offsets, _ = score_sentences(
        text,
        np.array(spans, np.uint32),
        words.keys,
        words.flags,
        words.sentences,
        words.chunks,
        headings,
    )
    read = [
        list(zip(words.keys[a:b].tolist(), words.flags[a:b].tolist(), strict=True))
        for a, b in pairwise(words.sentences.tolist())
    ]
    starts = set(words.chunks[:-1].tolist())
    expected = twins.scores(text, spans, read, starts, set(headings.tolist()))
    assert found.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert sizes.tolist() == [sum(1 for _, f in said if not f & 2) for said in read]
    assert np.diff(offsets).tolist() == [sum(1 for _, f in said if not f & 3) for said in read]


def test_sentences_and_words_that_do_not_belong_together_are_refused():
    text, chunks = document(["One two.", "Three."])
    words = read_words(text, chunks, Vocabulary())
    none = np.empty(0, np.uint64)
    for spans in ([(0, 8)], [(0, 8), (9, 9)]):
        with pytest.raises(ValueError, match=r"number of words and of spans|is empty"):
            score_sentences(
                text,
                np.array(spans, np.uint32),
                words.keys,
                words.flags,
                words.sentences,
                words.chunks,
                none,
            )


def test_a_book_is_summarised_in_a_moment():
    text, chunks = document(report(5000), per_chunk=4)
    words = read_words(text, chunks, Vocabulary())
    tree = grow(len(chunks), 5, 5)
    start = time.process_time()
    summarize(text, chunks, words, tree)
    assert time.process_time() - start < 0.25  # about 0.02 expected


SENTENCES = st.lists(
    st.lists(st.sampled_from([*"ab#\ufeff漢é", " ", "\n\t", "\u2003"]), min_size=1, max_size=9).map(
        "".join
    ),
    min_size=1,
    max_size=6,
)


@given(SENTENCES, st.lists(st.sets(st.integers(0, 5)), max_size=3), st.integers(0, 12))
def test_the_text_of_a_summary_agrees_with_its_twin(sentences, chosen, longest):
    text = "".join(sentences)
    borders = [0, *accumulate(map(len, sentences))]
    spans = [*pairwise(borders)]
    picked = [sorted(j for j in one if j < len(spans)) for one in chosen]
    found = summary_texts(
        text,
        np.array(spans, np.uint32),
        np.array([j for one in picked for j in one], np.uint32),
        np.array([0, *accumulate(map(len, picked))], np.uint32),
        np.full(len(picked), longest, np.uint32),
    )
    assert found == [twins.summary_text(text, spans, one, longest) for one in picked]


@given(st.lists(st.integers(1, 3), min_size=1, max_size=40), st.integers(1, 4), st.integers(2, 4))
def test_what_abstracts_pick_from_agrees_with_its_twin(sizes, window, branching):
    tree = grow(len(sizes), window, branching)
    chunks, rooms = [0, *accumulate(sizes)], [40, 60]
    columns = (tree.child_count, tree.first_child, tree.first_chunk, tree.chunk_count, tree.level)
    found = summary_shape(*columns, np.array(chunks, np.uint32), np.array(rooms, np.uint32))
    assert [column.tolist() for column in found] == twins.summary_shape(tree, chunks, rooms)


def test_a_summary_of_what_is_not_there_is_refused():
    spans, one = np.array([(0, 1)], np.uint32), np.array([1], np.uint32)
    with pytest.raises(IndexError, match="a sentence that is not there"):
        summary_texts("a", spans, one, np.array([0, 1], np.uint32), one)
    with pytest.raises(ValueError, match="borders must ascend"):
        summary_texts("a", spans, one * 0, np.array([0, 2], np.uint32), one)
    with pytest.raises(IndexError, match="a chunk that is not there"):
        summary_shape(one * 0, one * 0, one, one, np.zeros(1, np.uint8), one, one)
