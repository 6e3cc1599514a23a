"""What a run stores: lines that survive a crash, a folder that does not mix runs."""

import json
import threading

import numpy as np
import pytest

from bridgerag.errors import InputError, StoreBusy, UnreadableFile
from bridgerag.evaluation.results import EMBED, SCHEMA, Latency, Outcome, RunFolder
from bridgerag.types import Footprint

FIXED = {"dataset": {"fingerprint": "f00d"}, "settings": {"k": 20, "generator": "none", "seed": 0}}
QUESTIONS = [
    {
        "id": name, "question": f"Which {name}?", "answers": ["x"], "gold_ids": [], "kind": None,
        "hops": None, "scope": None,
    }
    for name in ("a", "b", "c")
]  # fmt: skip
METHODS = {name: {"method": name, "depth": 2, "store": "default"} for name in ("bridge", "naive")}


@pytest.fixture
def results(tmp_path):
    return RunFolder(tmp_path / "run")


def begin(results):
    results.update(
        dataset={"name": "toy", "fingerprint": "f00d", "has_gold": False},
        questions=QUESTIONS,
        methods=METHODS,
    )


def outcome(method="naive", question="a", **fields):
    given = {"ranked": ("d1", "d2"), "hits": (("d1", 0, 0.5),), "metrics": {"f1": 0.25}}
    return Outcome(method, question, **{**given, **fields})


def test_what_is_appended_comes_back_as_it_was(results):
    rows = [
        outcome(answer="an answer\nof “two” lines", timings_ms={"rank": 1.5}),
        outcome(
            question="b", metrics={}, footprint=Footprint(1.5, 10, 2, 30, "the first sentence")
        ),
        outcome("bridge", "a", hits=(), ranked=("\ud800",)),
    ]
    with results.writing(**FIXED):
        for row in rows:
            results.append(row)
        assert list(results.outcomes()) == rows  # readers need not wait for the end
    assert list(RunFolder(results.path).outcomes()) == rows
    assert results.done() == {("naive", "a"), ("naive", "b"), ("bridge", "a")}


@pytest.mark.parametrize("torn", [b'{"method": "naive", "ques', b"\0\0\0\0\0\0", b"17\n"])
def test_a_torn_last_line_counts_for_nothing_and_is_written_over(results, torn):
    with results.writing(**FIXED):
        results.append(outcome())
    lines = results.path / "questions.jsonl"
    with lines.open("ab") as file:
        file.write(torn)
    assert results.done() == {("naive", "a")}
    with results.writing(**FIXED):
        results.append(outcome(question="b"))
    assert results.done() == {("naive", "a"), ("naive", "b")}
    assert lines.read_bytes().count(b"\n") == 2


def test_a_line_that_lacks_only_its_end_is_torn_too(results):
    with results.writing(**FIXED):
        results.append(outcome())
    lines = results.path / "questions.jsonl"
    lines.write_bytes(lines.read_bytes().rstrip(b"\n"))
    assert results.done() == set()


def test_values_are_aligned_with_the_questions_and_nan_where_there_are_none(results):
    with results.writing(**FIXED):
        begin(results)
        for question, f1 in (("c", 0.75), ("a", 0.25)):
            results.append(outcome(question=question, metrics={"f1": f1}))
        run = results.read()
        assert run.methods == ()
        assert run.unfinished == ("bridge", "naive")
        results.append(outcome(question="b", metrics={}))
    run = results.read()
    assert [item.id for item in run.questions] == ["a", "b", "c"]
    assert run.methods == ("naive",)
    np.testing.assert_array_equal(run.values("naive", "f1"), [0.25, np.nan, 0.75])
    assert np.isnan(run.values("naive", "recall@5")).all()
    assert np.isnan(run.values("bridge", "f1")).all()


def test_the_cost_of_indexes_is_summed_over_the_scopes(results):
    with results.writing(**FIXED):
        begin(results)
        for question in ("a", "b", "c"):
            results.append(outcome(question=question, footprint=Footprint(2.0, 100, 1, 10, "x")))
    assert results.read().footprints["naive"] == Footprint(6.0, 300, 3, 30, "x")
    assert results.read().footprints["bridge"] == Footprint()


def test_latencies_are_replaced_as_a_whole(results):
    with results.writing(**FIXED):
        begin(results)
        results.write_latencies([Latency("naive", "a", {"total": (9.0,)})])
        results.write_latencies(
            [
                Latency(EMBED, "a", {"embed": (7.0, 8.0)}),
                Latency("naive", "a", {"rank": (0.5, 1.5), "total": (1.0, 2.0)}),
                Latency("naive", "b", {"rank": (2.5, 3.5), "total": (3.0, 4.0)}),
            ]
        )
    run = results.read()
    assert run.latency("naive").tolist() == [1.0, 2.0, 3.0, 4.0]
    assert run.latency("naive", "rank").tolist() == [0.5, 1.5, 2.5, 3.5]
    assert run.latency("naive", "embed").tolist() == run.latency("bridge", "embed").tolist()
    assert run.latency("bridge").size == 0


def test_a_run_with_other_settings_is_refused_by_name_and_leaves_the_first_alone(results):
    with results.writing(**FIXED):
        results.append(outcome())
    other = {**FIXED, "settings": {**FIXED["settings"], "k": 10}}
    with pytest.raises(InputError, match=r"k is 10; it must be 20, .* --out"):
        results.writing(**other).__enter__()
    other = {**FIXED, "dataset": {"fingerprint": "beef"}}
    with pytest.raises(InputError, match="fingerprint is 'beef'"):
        results.writing(**other).__enter__()
    assert results.done() == {("naive", "a")}


def test_one_process_writes_at_a_time(results):
    with results.writing(**FIXED):
        errors = []

        def write():
            try:
                with RunFolder(results.path).writing(**FIXED):
                    pass
            except StoreBusy as error:
                errors.append(error)

        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
        assert len(errors) == 1
    with RunFolder(results.path).writing(**FIXED):
        pass


def test_a_missing_run_is_refused_with_the_command_that_makes_one(results):
    with pytest.raises(UnreadableFile, match="bridgerag eval"):
        results.read()


@pytest.mark.parametrize(
    ("schema", "remedy"), [(SCHEMA + 1, "upgrade"), (0, "anew"), (None, "anew"), ("1", "anew")]
)
def test_a_run_of_another_schema_is_refused_with_the_remedy(results, schema, remedy):
    with results.writing(**FIXED):
        begin(results)
    path = results.path / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "schema": schema}))
    with pytest.raises(UnreadableFile, match=remedy):
        results.read()
    with pytest.raises(UnreadableFile, match=remedy):
        results.writing(**FIXED).__enter__()


def test_a_damaged_run_is_refused(results):
    with results.writing(**FIXED):
        pass
    (results.path / "run.json").write_bytes(b"{")
    with pytest.raises(UnreadableFile, match="not sound"):
        results.read()


def test_a_run_among_the_documents_is_none_of_them(results):
    from bridgerag.documents import find_files

    with results.writing(**FIXED):
        results.append(outcome())
    (results.path.parent / "note.md").write_text("A note.")
    assert [path.name for path in find_files([results.path.parent])] == ["note.md"]
