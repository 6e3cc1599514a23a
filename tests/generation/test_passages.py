"""Which passages a prompt shows, and that they still are spans of their documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.generation.citations import resolve
from bridgerag.generation.passages import Told, arranged, fitting, fresh
from bridgerag.generation.prompt import build_prompt
from bridgerag.types import Context, DocumentRef, Hit


def cut(name: str, chunks: Sequence[str], gap: str = "\n\n") -> tuple[str, list[Hit]]:
    """Return a document's text and a hit for each of its chunks, ranked in their order."""
    text, hits = "Before. ", []
    for number, chunk in enumerate(chunks):
        text += gap if number else ""
        where = DocumentRef(name, name.title(), "memory")
        start, end = len(text), len(text) + len(chunk)
        hits.append(Hit(number + 1, 1 / (number + 1), chunk, where, number, start, end, (), ()))
        text += chunk
    return text, hits


def ranked(hits: Sequence[Hit]) -> list[Hit]:
    return [replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1)]


def context(hits: Sequence[Hit]) -> Context:
    return Context("Who came?", "naive", 0, (), tuple(hits), (), False, {})


def count_words(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def same_but_for_space(shown: str, written: str) -> bool:
    return len(shown) == len(written) and all(
        a == b or (a.isspace() and b.isspace()) for a, b in zip(shown, written, strict=True)
    )


gaps = st.sampled_from(["", " ", "\n", "\n\n", " \n \n", " " * 20, "\n" * 21])
documents = st.lists(st.tuples(st.integers(1, 9), gaps), min_size=1, max_size=4)


@given(documents, st.randoms(use_true_random=False))
def test_passages_are_spans_of_their_documents_and_hold_each_chosen_chunk_once(shapes, lot):
    texts, chunks = {}, []
    for number, (count, gap) in enumerate(shapes):
        name = f"doc-{number}"
        texts[name], hits = cut(name, [f"Part {n} of {name}." for n in range(count)], gap)
        chunks += hits
    chosen = ranked(lot.sample(chunks, lot.randint(1, len(chunks))))
    passages = arranged(chosen)
    assert [p.number for p in passages] == list(range(1, len(passages) + 1))
    shown = "\n".join(p.hit.text for p in passages)
    for hit in chosen:
        assert shown.count(hit.text) == 1
    for passage in passages:
        hit = passage.hit
        assert same_but_for_space(hit.text, texts[hit.document.id][hit.start : hit.end])
        assert hit.rank == min(c.rank for c in chosen if c.text in hit.text)
    best = {}
    for hit in chosen:
        best.setdefault(hit.document.id, hit.rank)
    order = [(best[p.hit.document.id], p.hit.start) for p in passages]
    assert order == sorted(order)


@given(st.sets(st.integers(0, 9), min_size=1))
def test_chunks_in_a_row_are_one_passage_and_others_are_not(numbers):
    _, hits = cut("report", [f"Part {n} says a thing." for n in range(10)])
    chosen = ranked([hits[n] for n in sorted(numbers, key=lambda n: n * 7 % 10)])
    rows = [n for n in numbers if n - 1 not in numbers]  # where a row of numbers begins
    assert [p.hit.chunk for p in arranged(chosen)] == sorted(rows)


def test_what_stands_under_another_heading_or_on_another_page_is_a_passage_of_its_own():
    _, (a, b, c) = cut("book", ["One came.", "Two came.", "Three came."])
    hits = [replace(a, headings=("Arrivals",)), replace(b, page=2), replace(c, page=2)]
    assert [p.hit.text for p in arranged(hits)] == ["One came.", "Two came.\n\nThree came."]


def test_overlapping_spans_of_one_document_are_joined_and_contained_ones_vanish():
    text, (whole,) = cut("book", ["One came. Two came. Three came."])
    part = replace(whole, text="One came. Two came.", end=whole.start + 19)
    rest_start = whole.start + text[whole.start :].index("Two")
    rest = replace(whole, text="Two came. Three came.", start=rest_start, rank=2)
    inner = replace(whole, text="Two", start=rest_start, end=rest_start + 3, rank=3)
    for hits in ([part, rest], [rest, inner, part], [whole, inner, rest]):
        (passage,) = arranged(hits)
        assert passage.hit.text == text[passage.hit.start : passage.hit.end] == whole.text


def test_spans_that_overlap_but_disagree_are_kept_apart():
    _, (new,) = cut("book", ["One came. Two came."])
    old = replace(new, text="Nobody came at all.", start=new.start + 4, end=new.end + 4, rank=2)
    assert len(arranged([new, old])) == 2


def test_a_citation_into_joined_chunks_points_at_the_sentence_in_the_document():
    text, hits = cut("tale", ["Ann lit the lamp. Bo slept.", "Cy rang the bell. Di left."])
    passages = arranged(hits)
    _, (citation,), _ = resolve("Cy rang the bell [1].", passages)
    assert text[citation.start : citation.end] == "Cy rang the bell."
    assert citation.supported and len(passages) == 1


LONG = "The {} ferry crossed the northern sound at dawn and nobody on board had slept at all. " * 3


def distinct(hits: Sequence[Hit]) -> list[Hit]:
    return list(fresh(hits, Told()))


def lone(name: str, text: str, **changes) -> Hit:
    return replace(cut(name, [text])[1][0], **changes)


def test_a_copy_in_another_document_is_shown_once_whatever_its_case_and_spacing():
    first = LONG.format("first", "second", "third")
    copy = first.upper().replace("NORTHERN ", "NORTHERN\n")
    assert distinct([lone("a", first), lone("b", copy)]) == [lone("a", first)]


def test_a_copy_that_is_cut_elsewhere_is_recognised_by_its_sentences():
    parts = [LONG.format("first", "second", "third"), LONG.format("fourth", "fifth", "sixth")]
    hits = [lone("a", parts[0]), lone("b", parts[1])]
    third = LONG.format("first", "fourth", "sixth")
    assert distinct([*hits, lone("c", third)]) == hits
    assert distinct([*hits, lone("c", third + "But then a thing happened that was new.")])[2:]


def test_another_number_makes_another_text():
    text = "Costs were 40 in the north. " + LONG.format("first", "second", "third")
    other = text.replace("40", "41")
    assert len(distinct([lone("a", text), lone("b", other)])) == 2


@pytest.mark.parametrize("headings", [(), ("Ships",)])
def test_a_short_text_under_another_title_says_something_else(headings):
    hits = [lone("lisbon", "Status: open."), lone("porto", "Status: open.", headings=headings)]
    assert distinct(hits) == hits
    assert len(distinct([hits[1], hits[1]])) == 1


def test_hits_enter_by_rank_and_a_neighbour_costs_its_text_only():
    _, hits = cut("a very long title of many words", [f"Word {n} here." for n in range(4)])
    alone = count_words("[1] A Very Long Title Of Many Words\nWord 0 here.") + 1
    chosen, room = fitting(hits, count_words, alone + 3 * 5)
    assert (chosen, room) == (hits, 0)
    far = [replace(hit, chunk=2 * hit.chunk) for hit in hits]
    assert len(fitting(far, count_words, alone + 3 * 5)[0]) < 4


def test_a_hit_that_was_cut_is_not_joined_to_what_follows_it():
    text, (first, second) = cut("tale", ["Ann came. No. " + "Bo slept well. " * 9, "Cy left."])
    for room in range(20, 80):
        chosen, _ = fitting(ranked([second, first]), count_words, room)
        for passage in arranged(chosen):
            hit = passage.hit
            assert same_but_for_space(hit.text, text[hit.start : hit.end])


def test_a_note_tells_of_copies():
    text = LONG.format("first", "second", "third")
    prompt = build_prompt(context([lone("a", text), lone("b", text)]), count_words)
    assert [p.hit.document.id for p in prompt.passages] == ["a"]
    assert prompt.notes == ("1 of 2 passages repeat others, left out",)
