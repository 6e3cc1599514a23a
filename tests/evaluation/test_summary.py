"""From a run to a table: means, intervals against the baseline, ties, groups, notes."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from bridgerag.evaluation.columns import COLUMNS, QUALITY
from bridgerag.evaluation.leaks import Leak
from bridgerag.evaluation.questions import QuestionItem
from bridgerag.evaluation.records import EMBED, Latency, Outcome, Run, StoreCost
from bridgerag.evaluation.summary import summarize, summary_form
from bridgerag.types import Footprint

COUNT = 40
QUESTIONS = tuple(
    QuestionItem(
        f"q{n}", "Which?", ("x",), (f"d{n}",), kind="who" if n % 4 else "when", hops=2 + n % 2
    )
    for n in range(COUNT)
)
# By how much a method is above naive at question n.
GAINS = {
    "naive": lambda n: 0.0,
    "better": lambda n: 0.2 + 0.1 * (n % 2),
    "worse": lambda n: -0.1 if n % 3 else -0.2,
    "alike": lambda n: 0.1 if n % 2 else -0.1,
}


def made(**changes):
    outcomes = {
        (method, item.id): Outcome(
            method, item.id,
            metrics={"recall@5": 0.4 + gain(n), "f1": 0.5, "prompt_tokens": 100.0 + n},
        )
        for method, gain in GAINS.items()
        for n, item in enumerate(QUESTIONS)
    }  # fmt: skip
    fields = {
        "folder": Path("run"),
        "dataset": {"name": "toy", "fingerprint": "f00d", "has_gold": True},
        "settings": {"seed": 0, "generator": "extractive", "bertscore": None},
        "questions": QUESTIONS,
        "methods": tuple(GAINS),
        "depths": dict.fromkeys(GAINS, 2),
        "failed": {},
        "unfinished": (),
        "leaks": (),
        "notes": (),
        "stores": {"default": StoreCost(40, 80, 1000, 3.0)},
        "store_of": dict.fromkeys(GAINS, "default"),
        "footprints": {
            **dict.fromkeys(GAINS, Footprint()),
            "alike": Footprint(2.0, 500, 3, 70, "the first sentence"),
        },
        "latency_plan": {},
        "machine": {},
        "started": "2026-01-01T00:00:00+00:00",
        "finished": "2026-01-01T00:01:00+00:00",
        "outcomes": outcomes,
        "latencies": (),
    }
    return Run(**{**fields, **changes})


def row(summary, label):
    return next(row.cells for row in summary.rows if row.label == label)


def test_a_difference_is_better_or_worse_and_one_whose_interval_holds_0_is_a_tie():
    summary = summarize(made())
    better, worse, alike = (row(summary, name)["recall@5"] for name in ("better", "worse", "alike"))
    assert better.value == pytest.approx(0.65)
    assert 0.2 < better.low < 0.25 < better.high < 0.3
    assert (better.tie, better.better) == (False, True)
    assert -0.2 < worse.low < worse.high < 0
    assert (worse.tie, worse.better) == (False, False)
    assert alike.low < 0 < alike.high
    assert (alike.tie, alike.better) == (True, None)
    naive = row(summary, "naive")["recall@5"]
    assert math.isnan(naive.low)
    assert (naive.tie, naive.better) == (False, None)


def test_the_same_run_gives_the_same_intervals():
    assert summary_form(summarize(made())) == summary_form(summarize(made()))


def test_only_columns_with_a_value_are_shown_and_in_their_order():
    summary = summarize(made(), resamples=10)
    keys = [column.key for column in summary.columns]
    assert keys[:3] == ["recall@5", "f1", "prompt_tokens"]
    assert keys == [column.key for column in COLUMNS if column.key in keys]
    assert "total p50" not in keys
    assert all(set(cells.cells) >= set(keys) for cells in summary.rows)


def test_costs_are_those_of_the_store_and_of_the_methods_own_index():
    summary = summarize(made(), resamples=10)
    assert row(summary, "naive")["build_seconds"].value == 3.0
    assert row(summary, "alike")["build_seconds"].value == 5.0
    assert row(summary, "alike")["own_seconds"].value == 2.0
    assert row(summary, "alike")["index_bytes"].value == 1500
    assert row(summary, "alike")["llm_tokens"].value == 70
    assert row(summary, "alike")["prompt_tokens"].value == 119.5
    assert any(
        note == "alike: where its paper has a language model, it has the first sentence here."
        for note in summary.notes
    )


def test_an_unknown_build_time_is_no_number_and_is_explained():
    summary = summarize(made(stores={"default": StoreCost(40, 80, 1000, None)}), resamples=10)
    assert math.isnan(row(summary, "alike")["build_seconds"].value)
    assert row(summary, "alike")["own_seconds"].value == 2.0
    assert any("how long" in note.lower() for note in summary.notes)


def test_quantiles_come_from_the_raw_values():
    latencies = (
        Latency(EMBED, "q0", {"embed": tuple(range(1, 101))}),
        *(Latency("naive", f"q{n}", {"total": tuple(range(100 * n, 100 * n + 100))})
          for n in range(2)),
    )  # fmt: skip
    summary = summarize(
        made(latencies=latencies, latency_plan={"questions": 2, "repetitions": 100}), resamples=10
    )
    cells = row(summary, "naive")
    assert cells["total p50"].value == np.percentile(range(200), 50)
    assert cells["total p99"].value == np.percentile(range(200), 99)
    assert cells["embed p95"].value == row(summary, "better")["embed p95"].value
    assert math.isnan(row(summary, "better")["total p50"].value)
    assert any("100 repetitions of 2 questions" in note for note in summary.notes)


def test_groups_are_by_kind_and_by_hops():
    groups = {(group.by, group.name): group for group in summarize(made(), resamples=10).groups}
    assert set(groups) == {("kind", "when"), ("kind", "who"), ("hops", "2"), ("hops", "3")}
    assert groups["kind", "when"].questions == 10
    assert groups["hops", "3"].questions == 20
    cells = next(row.cells for row in groups["hops", "3"].rows if row.label == "better")
    assert cells["recall@5"].value == pytest.approx(0.7)
    assert set(cells) == {column.key for column in QUALITY}
    alone = tuple(QuestionItem(f"q{n}", "Which?", ("x",), ("d",)) for n in range(COUNT))
    assert summarize(made(questions=alone), resamples=10).groups == ()


def test_without_the_baseline_there_are_no_intervals_and_a_note_says_so():
    summary = summarize(made(methods=("better", "alike")), resamples=10)
    assert summary.baseline is None
    assert math.isnan(row(summary, "better")["recall@5"].low)
    assert row(summary, "better")["recall@5"].better is None
    assert any("naive was not run" in note for note in summary.notes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dataset": {"name": "toy", "has_gold": False}}, "gold_ids"),
        ({"questions": tuple(QuestionItem(f"q{n}", "W?") for n in range(COUNT))}, "an answer"),
        ({"questions": (*QUESTIONS[:30], QuestionItem("q39", "W?"))}, "30 of 31 questions"),
        ({"questions": QUESTIONS[:29]}, "so few questions"),
        ({"settings": {"seed": 0, "generator": "none", "bertscore": None}}, "generator none"),
        ({"settings": {"seed": 0, "generator": "x", "bertscore": "small"}}, "model small"),
        ({"finished": None, "unfinished": ("slow",)}, "not complete (slow)"),
        ({"failed": {"raptor": "it needs an extra"}}, "raptor is left out: it needs an extra"),
        ({"leaks": (Leak("pair", "q1", "d1", "copied"),)}, "1 finding"),
        ({"notes": ("Two files were skipped.",)}, "Two files were skipped."),
    ],
)
def test_what_a_reader_must_know_is_said(changes, words):
    assert any(words in note for note in summarize(made(**changes), resamples=10).notes)


def test_a_run_in_which_nothing_is_done_yet_has_a_table_without_rows():
    summary = summarize(made(methods=(), finished=None), resamples=10)
    assert (summary.rows, summary.columns, summary.groups) == ((), (), ())


def test_the_form_is_json_without_nan():
    form = summary_form(summarize(made(), resamples=10))
    again = json.loads(json.dumps(form, allow_nan=False))
    assert again == form
    assert form["methods"]["naive"]["recall@5"]["low"] is None
    assert form["methods"]["better"]["recall@5"]["better"] is True
    assert [column["key"] for column in form["columns"]] == list(form["methods"]["naive"])
