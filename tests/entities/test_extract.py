from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.entities import entity_key, extract, title_keys
from bridgerag.entities.aliases import find_aliases, long_form
from bridgerag.types import Chunk


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("The Beatles", ["The Beatles", "Beatles"]),
        ("James Scott (actor)", ["James Scott actor", "James Scott"]),
        ("Gideon and Samson: Great Leaders", ["Gideon and Samson", "Great Leaders"]),
        ("sec_NETFLIX_2023Q2_10Q.pdf", ["sec NETFLIX 2023Q2 10Q"]),
        ("Super_Bowl_50", ["Super Bowl 50"]),
        ("机器学习", ["机器学习"]),
        ("1984", ["1984"]),
    ],
)
def test_a_title_names_its_document_with_and_without_what_is_around_the_name(title, names):
    assert {entity_key(name) for name in names} <= set(title_keys(title))


@pytest.mark.parametrize("title", ["", "7", "2.1", "🤖", "..."])
def test_a_title_without_a_name_names_nothing(title):
    assert title_keys(title) == []


def test_the_title_belongs_to_the_document_and_a_heading_to_its_chunks(read):
    document, chunks, words = read("one thing here\nanother thing there", "The Alpha", 1)
    chunks = [chunks[0], replace(chunks[1], headings=("Report", "Beta Gamma"))]
    mentions = extract(document, chunks, words)
    pairs = set(zip(mentions.keys.tolist(), mentions.chunks.tolist(), strict=True))
    assert mentions.document_keys.tolist() == sorted(title_keys("The Alpha"))
    assert entity_key("Alpha") not in mentions.keys
    assert {(entity_key("Report"), 1), (entity_key("Beta Gamma"), 1)} <= pairs
    assert (entity_key("Beta Gamma"), 0) not in pairs


@pytest.mark.parametrize(
    ("short", "before", "long"),
    [
        ("WHO", "funded by the World Health Organization", "World Health Organization"),
        ("MRI", "patients had magnetic resonance imaging", "magnetic resonance imaging"),
        ("TB", "a case of tuberculosis", "tuberculosis"),
        ("FDA", "the Food and Drug Administration", "Food and Drug Administration"),
        ("MOUs", "run by midwife obstetric units", "midwife obstetric units"),
        ("WHO", "who had health; only", None),
        ("XYZ", "nothing that fits", None),
        ("AB", "", None),
    ],
)
def test_a_short_form_finds_its_long_form(short, before, long):
    assert long_form(short, before) == long


def test_each_name_of_an_alias_pair_is_mentioned_where_the_other_is(read):
    text = "the World Health Organization (WHO) met\nnothing to see\nthen the WHO left"
    text += "\nworld health organization again"
    document, chunks, words = read(text, sentences_per_chunk=1)
    mentions = extract(document, chunks, words)
    for name in ("WHO", "World Health Organization"):
        assert mentions.chunks[mentions.keys == entity_key(name)].tolist() == [0, 2, 3]


def test_a_short_form_before_its_long_form_is_found_too():
    text = "The NHS (National Health Service) pays."
    (alias,) = find_aliases(text, [Chunk(0, len(text), 9, ((0, len(text)),))])
    assert alias == (entity_key("NHS"), entity_key("National Health Service"), 0)


def test_given_many_meanings_of_one_short_form_then_the_first_counts():
    text = " ".join(f"Alpha{i} Beta{i} (AB);" for i in range(100))
    aliases = find_aliases(text, [Chunk(0, len(text), 9, ((0, len(text)),))])
    assert [alias.long for alias in aliases] == [entity_key("Alpha0 Beta0")]


@given(st.text(st.sampled_from("ABab ()\n.-"), max_size=200))
def test_any_brackets_are_survived_and_a_long_form_is_part_of_the_text(text):
    for alias in find_aliases(text, [Chunk(0, len(text) + 1, 1, ((0, len(text)),))]):
        assert alias.short != alias.long
        assert alias.chunk == 0


def test_a_document_without_chunks_or_words_mentions_nothing(read):
    for text in ("", "🤖", "the of and"):
        mentions = extract(*read(text))
        assert len(mentions.keys) == len(mentions.chunks) == len(mentions.document_keys) == 0
