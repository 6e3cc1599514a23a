"""The JSON forms, which programs rely on."""

import dataclasses
import json
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bridgerag import serialize
from bridgerag.types import (
    AddReport,
    Answer,
    CheckReport,
    Citation,
    DocumentRef,
    Skipped,
    TreeNode,
)

TIMINGS = ("embed", "recognize", "lookup", "expand", "rank", "total")
any_text = st.text(st.characters(codec=None))


def test_a_search_has_the_names_and_shapes_of_the_public_surface(context):
    form = serialize.context_json(context)
    assert list(form) == [
        "question",
        "method",
        "depth",
        "entities",
        "hits",
        "abstracts",
        "fallback",
        "timings_ms",
    ]
    (hit,) = form["hits"]
    assert set(hit) == {
        *("rank", "score", "text", "document", "chunk", "start", "end", "abstracts", "why"),
        *("headings", "page", "row"),
    }
    assert set(hit["document"]) == {"id", "title", "source"}
    assert hit["why"][0]["text"] == "names brass key"
    assert form["entities"] == [{"text": "dome", "abstracts": [7], "ignored": None}]


def test_an_answer_adds_itself_to_its_search(context):
    citation = Citation("[1]", "/a/handbook.md", 10, 35)
    form = serialize.answer_json(Answer("Twice. [1]", (citation,), context, "extractive"))
    assert form["answer"] == "Twice. [1]"
    assert form["model"] == "extractive"
    assert form["citations"] == [
        {"marker": "[1]", "document": "/a/handbook.md", "start": 10, "end": 35, "supported": True}
    ]
    assert set(serialize.context_json(context)) < set(form)
    assert not {"text", "context"} & set(form)


def test_a_report_names_what_was_skipped_and_a_check_says_whether_all_is_well():
    skipped = (Skipped("a.pdf", "is encrypted"),)
    report = AddReport(1, 0, 0, 0, 3, skipped, 0.5, Path("bridge.store"))
    assert serialize.report_json(report)["skipped"] == [
        {"source": "a.pdf", "reason": "is encrypted", "row": None}
    ]
    assert serialize.check_json(CheckReport(Path("s"), 1, 1, 1, 1, ()))["ok"] is True
    assert serialize.check_json(CheckReport(Path("s"), 1, 1, 1, 1, ("cut short",)))["ok"] is False


def test_a_tree_is_nested_and_a_listing_keeps_its_order():
    leaf = TreeNode(7, 0, "below", 0, 2)
    assert serialize.tree_json(TreeNode(9, 1, "above", 0, 2, (leaf,)))["children"] == [
        {"id": 7, "level": 0, "summary": "below", "first": 0, "count": 2, "children": []}
    ]
    documents = [DocumentRef("b", "B", "/b"), DocumentRef("a", "A", "/a")]
    assert [d["id"] for d in serialize.listing_json("documents", documents)["documents"]] == [
        "b",
        "a",
    ]


@given(any_text, st.floats(width=32))
def test_whatever_a_record_holds_its_form_is_json_in_utf8(text, number):
    report = AddReport(np.int64(1), 0, 0, 0, 0, (Skipped(text, text),), np.float32(number), Path())
    read = json.loads(serialize.dumps(serialize.report_json(report)).encode("utf-8"))
    assert read["added"] == 1
    assert read["seconds"] == (number if np.isfinite(number) else None)
    assert len(read["skipped"][0]["reason"]) <= len(text)


@given(st.text())
def test_sound_text_comes_through_unchanged(text):
    assert serialize.error_json("Kind", text)["error"]["message"] == text


def test_every_field_of_a_hit_is_in_its_form(hit):
    fields = {field.name for field in dataclasses.fields(hit())}
    assert set(serialize.tree_json(hit())) == fields
