import sys

import pytest

from bridgerag.errors import InputError, MissingExtra
from bridgerag.retrieval.tree_ann import tree_ann
from retrieval.tree_toy import TEXTS, ask, snapshot_of


@pytest.fixture
def snapshot(tmp_path, hashed):
    pytest.importorskip("faiss", reason="faiss-cpu is not installed")
    with snapshot_of(tmp_path, hashed) as snapshot:
        yield snapshot


@pytest.mark.parametrize(
    ("depth", "expected"), [(0, {"bergen"}), (1, {"bergen", "norway", "oslo"})]
)
def test_the_trees_are_entered_at_the_nearest_entity(snapshot, hashed, depth, expected):
    # Only this text names Bergen: the vectors are the same.
    method = tree_ann(entities=1)
    found, reasons = ask(method, snapshot, hashed, TEXTS["bergen"], k=len(expected), depth=depth)
    assert [seeds.text for seeds in found.seeds] == ["Bergen"]
    assert set(reasons) == expected


def test_two_builds_answer_alike(snapshot, hashed):
    answers = []
    for _ in range(2):
        method = tree_ann(entities=3)
        answers.append([ask(method, snapshot, hashed, text) for text in TEXTS.values()])
    assert [reasons for _, reasons in answers[0]] == [reasons for _, reasons in answers[1]]
    assert [found.notes for found, _ in answers[0]] == [found.notes for found, _ in answers[1]]


def test_a_store_without_embeddings_is_refused_as_by_the_others_that_need_vectors(tmp_path):
    pytest.importorskip("faiss", reason="faiss-cpu is not installed")
    with (
        snapshot_of(tmp_path, None) as snapshot,
        pytest.raises(InputError, match="reembed"),
    ):
        ask(tree_ann(), snapshot, None, "Is Oslo the capital?", k=2)


def test_what_stands_in_is_said(snapshot):
    assert tree_ann().prepare(snapshot).stand_in == "lexical patterns, mean vectors"


def test_given_no_faiss_then_the_extra_is_named(tmp_path, hashed, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with (
        snapshot_of(tmp_path, hashed) as snapshot,
        pytest.raises(MissingExtra, match=r"bridgerag\[eval\]"),
    ):
        ask(tree_ann(), snapshot, hashed, "Oslo?")
