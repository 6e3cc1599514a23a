"""The native walk equals its twin, and does not depend on how a corpus is cut into segments."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgerag import Document
from bridgerag._native import NameIndex, WalkGraph
from bridgerag.documents import chunk
from bridgerag.entities import Vocabulary, question_words, read_words
from bridgerag.entities.names import names_of, read_title
from bridgerag.types import Section
from retrieval.walk_twin import SlowGraph

NAMES = ["Ida", "Holm", "Quarrick", "Tess", "Varrow", "Oslo", "Brae"]
words = st.sampled_from([*NAMES, *NAMES, "river", "the", "of", "directed", "born", ",", "."])
texts = st.lists(words, min_size=4, max_size=60).map(" ".join)
titles = st.lists(st.sampled_from(NAMES), max_size=2).map(" ".join)
corpora = st.lists(st.tuples(titles, texts), min_size=1, max_size=9)


def part(documents, size=12):
    """Return a segment's names, first chunks of ``size`` words, and the keys of its titles."""
    read, counts, keys = [], [0], set()
    for number, (title, text) in documents:
        document = Document(f"d{number}", title, "", text, sections=(Section(0, len(text)),))
        chunks = chunk(document, lambda text: len(text.split()), size)
        read.append(names_of(document.id, title, read_words(text, chunks, Vocabulary())))
        counts.append(len(chunks))
        keys |= set(read_title(title)[0].tolist())
    return NameIndex.build(read), np.cumsum(counts, dtype=np.uint32), keys


def weights(draw, keys):
    chosen = draw(st.lists(st.sampled_from(keys), max_size=5, unique=True)) if keys else []
    return {key: draw(st.sampled_from([0.125, 0.25, 0.5, 0.3])) for key in chosen}


def pushed(graph, asks, chunks, names):
    push = graph.push(
        np.array([*asks], np.uint32), np.array([*asks.values()], np.float64),
        np.array([*chunks], np.uint32), np.array([*chunks.values()], np.float64),
        np.array([*names], np.uint64), np.array([*names.values()], np.float64),
    )  # fmt: skip
    return push


@settings(max_examples=150, deadline=None)
@given(st.data(), corpora)
def test_a_push_equals_its_twin(data, corpus):
    documents = list(enumerate(corpus))
    border = data.draw(st.integers(0, len(documents)))
    size = data.draw(st.sampled_from([12, 80]))
    parts, keys = [], set()
    for some in (documents[:border], documents[border:]):
        if some:
            names, first, titles = part(some, size)
            alive = None
            if data.draw(st.booleans()):
                kept = np.array(
                    data.draw(st.lists(st.integers(0, 1), min_size=len(some), max_size=len(some)))
                )
                alive = np.repeat(kept, np.diff(first)).astype(np.uint8)
            parts.append((names, first, alive))
            keys |= titles
    options = {
        "frontier": data.draw(st.sampled_from([1, 3, 32])),
        "width": data.draw(st.sampled_from([1, 3, 100])),
    }
    graph, twin = WalkGraph(parts, **options), SlowGraph(parts, keys, **options)
    question = question_words("Who directed the river that Ida was born of")
    asks = {int(stem): 0.25 for stem in dict.fromkeys(question.stems.tolist())}
    chunks = weights(data.draw, sorted(twin.spans))
    names = weights(data.draw, sorted({*keys, *twin.spread}))
    push = pushed(graph, asks, chunks, names)
    found, values = push.heaviest(1000)
    expected = twin.push(asks, chunks, names)
    assert dict(zip(found.tolist(), values.tolist(), strict=True)) == pytest.approx(
        expected, rel=1e-9
    )
    ranked = sorted(expected, key=lambda c: (-round(expected[c], 9), twin.order[c]))
    if len({round(value, 9) for value in expected.values()}) == len(expected):
        assert found.tolist() == ranked
    for chunk_number in found.tolist():
        way = push.way(chunk_number)
        assert way[-1] == (None, (chunk_number, 0, 0))
        assert len({str(step) for step in way}) == len(way)


@settings(max_examples=100, deadline=None)
@given(st.data(), corpora)
def test_it_does_not_matter_how_a_corpus_is_cut(data, corpus):
    documents = list(enumerate(corpus))
    whole = [part(documents)[:2]]
    border = data.draw(st.integers(1, len(documents)))
    pieces = [part(some)[:2] for some in (documents[:border], documents[border:]) if some]
    start = {0: 0.5, pieces[0][0].chunks - 1: 0.3}
    asks = {int(question_words("directed").stems[0]): 1.0}
    results = []
    for parts in (whole, pieces):
        graph = WalkGraph([(names, first, None) for names, first in parts], frontier=2)
        found, values = pushed(graph, asks, start, {}).heaviest(100)
        results.append((found.tolist(), values.tolist()))
    assert results[0] == results[1]


def test_choose_takes_what_adds_words():
    names, first, _ = part([(0, ("", "river born")), (1, ("", "river born")), (2, ("", "tide"))])
    push = pushed(WalkGraph([(names, first, None)]), {}, {0: 1.0}, {})
    stems = question_words("river tide").stems
    values, worth = np.array([0.2, 0.1, 0.0]), np.array([0.5, 0.4])
    places, gains = push.choose(np.array([0, 1, 2], np.uint32), values, stems, worth, 1.0, 3)
    assert places.tolist() == [0, 2, 1]
    assert gains.tolist() == pytest.approx([0.7, 0.4, 0.1])


def test_choose_follows_the_names_of_those_chosen():
    texts = ["river of Ida", "born sea", "Ida born", "the tide of Tess"]
    names, first, _ = part([(n, ("Brae" if n else "", text)) for n, text in enumerate(texts)])
    push = pushed(WalkGraph([(names, first, None)]), {}, {0: 1.0}, {})
    pool, nothing = np.arange(4, dtype=np.uint32), np.empty(0)
    for weight, best in [(0.0, [0, 1, 2]), (9.0, [0, 2, 1])]:
        places, _ = push.choose(
            pool, np.array([1.0, 0.2, 0.1, 0.0]), nothing.astype(np.uint32), nothing, weight, 3
        )
        assert places.tolist() == best


def test_choose_takes_more_than_two_copies_only_where_nothing_else_is_left():
    texts = ["the river of Ida Holm"] * 8 + ["the tide", "Tess was born"]
    names, first, keys = part([(n, ("", text)) for n, text in enumerate(texts)])
    graph, twin = WalkGraph([(names, first, None)]), SlowGraph([(names, first, None)], keys)
    pool = dict.fromkeys(range(10), 1.0) | {8: 0.5, 9: 0.25}
    push = pushed(graph, {}, pool, {})
    nothing, values = np.empty(0), np.array([*pool.values()])
    for count, best in [(3, [0, 1, 8]), (5, [0, 1, 8, 9, 2]), (10, [0, 1, 8, 9, *range(2, 8)])]:
        places, _ = push.choose(
            np.array([*pool], np.uint32), values, nothing.astype(np.uint32), nothing, 0.0, count
        )
        assert places.tolist() == best == [*twin.choose({}, pool, {}, 0.0, count)]


@settings(max_examples=100, deadline=None)
@given(st.data(), corpora)
def test_a_choice_equals_its_twin(data, corpus):
    names, first, keys = part(list(enumerate(corpus)))
    graph, twin = WalkGraph([(names, first, None)]), SlowGraph([(names, first, None)], keys)
    stems = question_words("directed river born").stems.tolist()
    asks, worth = dict.fromkeys(stems, 0.3), dict(zip(stems, [0.5, 0.25, 0.125], strict=True))
    drawn = weights(data.draw, sorted(twin.spans))
    # No two gains are alike: which of them comes first does not hang on the last bits.
    pool = {chunk: value + place**0.5 / 97 for place, (chunk, value) in enumerate(drawn.items())}
    push = pushed(graph, asks, dict.fromkeys(pool, 0.5), {})
    places, gains = push.choose(
        np.array([*pool], np.uint32), np.array([*pool.values()], np.float64),
        np.array(stems, np.uint32), np.array([*worth.values()]), 1.5, 3,
    )  # fmt: skip
    expected = twin.choose(asks, pool, worth, 1.5, 3)
    assert gains.tolist() == pytest.approx([*expected.values()], rel=1e-9)
    assert [[*pool][place] for place in places] == [*expected]


def test_leads_are_names_with_their_stems():
    names, first, _ = part([(0, ("", "river of Ida Holm")), (1, ("Ida Holm", "the tide"))])
    push = pushed(WalkGraph([(names, first, None)]), {}, {0: 1.0}, {})
    ((name, gain, place, rarity, stems),) = push.leads(2, 8)
    assert name == int(read_title("Ida Holm")[0][0])
    assert gain > 0 and rarity > 0
    assert place == (0, 2, 2)
    assert stems == question_words("Ida Holm").stems.tolist()


def test_held_words_are_those_of_text_and_title():
    names, first, _ = part([(0, ("Oslo", "river born")), (1, ("", "tide"))])
    stems = question_words("river Oslo tide").stems
    held = WalkGraph([(names, first, None)]).held(np.array([1, 0], np.uint32), stems)
    assert held.reshape(2, 3).tolist() == [[0, 0, 1], [1, 1, 0]]


def test_what_does_not_fit_is_refused():
    names, first, _ = part([(0, ("", "river"))])
    with pytest.raises(ValueError, match="first_chunk"):
        WalkGraph([(names, first[:1], None)])
    with pytest.raises(ValueError, match="alive"):
        WalkGraph([(names, first, np.ones(3, np.uint8))])
    graph = WalkGraph([(names, first, None)])
    with pytest.raises(IndexError):
        pushed(graph, {}, {7: 1.0}, {})
    two, _, _ = part([(0, ("", "river")), (1, ("", "tide"))])
    with pytest.raises(ValueError, match="first_chunk"):
        WalkGraph([(two, np.array([0, 0, 2], np.uint32), None)])


@pytest.mark.parametrize(
    ("option", "inside", "outside"),
    [
        ("restart", [0.01, 1.0], [0.0, 1.1, math.nan]),
        ("rounds", [1, 64], [0, 65]),
        ("frontier", [1, 4096], [0, 4097]),
        ("width", [1, 4096], [0, 4097]),
        ("near_weight", [0.0, 9.0], [-1.0, math.inf, math.nan]),
        ("near_words", [0.1], [0.0, math.inf]),
        ("definition_weight", [1.0, 64.0], [0.5, 65.0]),
        ("degree_power", [0.5, 1.0], [0.4, 1.1]),
    ],
)
def test_an_option_out_of_range_is_refused(option, inside, outside):
    names, first, _ = part([(0, ("", "river"))])
    for value in inside:
        assert WalkGraph([(names, first, None)], **{option: value}).chunks == 1
    for value in outside:
        with pytest.raises(ValueError, match=f"option.*{option}"):
            WalkGraph([(names, first, None)], **{option: value})
