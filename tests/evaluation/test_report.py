"""What a report says, in words and in the tables for the terminal, Markdown and CSV."""

import csv
import io
from dataclasses import replace
from itertools import pairwise
from math import isnan, nan

import pytest
from rich.console import Console

from bridgerag.evaluation.columns import QUALITY
from bridgerag.evaluation.dataset import load_dataset
from bridgerag.evaluation.report import csv_table, make_report, markdown, print_report
from bridgerag.evaluation.report.findings import against_baseline, best, losses, wins
from bridgerag.evaluation.report.meanings import meanings
from bridgerag.evaluation.report.model import difference, verdict
from bridgerag.evaluation.report.wording import listed, milliseconds, quantity, signed
from bridgerag.evaluation.run import evaluate
from bridgerag.evaluation.summary import Cell
from bridgerag.settings import Settings
from evaluation.toy_islands import write_corpus
from evaluation.toy_report import BASE, METHODS, toy_report

REPORT = toy_report()
RECALL = next(column for column in REPORT.summary.columns if column.key == "recall@5")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A real run, small and quick."""
    folder = tmp_path_factory.mktemp("run")
    settings = Settings(embedding="none", chunk_tokens=16)
    how = {"methods": ("naive", "bridge"), "depths": (0, 2), "repetitions": 2, "generator": "none"}
    return evaluate(
        load_dataset(write_corpus(folder / "islands")), folder / "out", settings=settings, **how
    )


def row(label):
    return next(row for row in REPORT.summary.rows if row.label == label)


def altered(label, key, cell):
    """Return the report with one cell changed."""
    rows = tuple(
        replace(each, cells={**each.cells, key: cell}) if each.label == label else each
        for each in REPORT.summary.rows
    )
    return replace(REPORT, summary=replace(REPORT.summary, rows=rows))


def printed(report, width=80, **how):
    console = Console(file=io.StringIO(), width=width, **how)
    print_report(report, console)
    return console.file.getvalue()


def test_the_best_is_judged_as_printed_and_none_is_best_where_all_are_alike():
    leader = best(REPORT, RECALL)
    assert [each.label for each in leader] == ["hippo"]
    shared = altered("tree", "recall@5", Cell(row("hippo").cells["recall@5"].value + 1e-6))
    assert {each.label for each in best(shared, RECALL)} == {"hippo", "tree"}
    alike = next(c for c in REPORT.summary.columns if c.key == "llm_tokens")
    assert best(REPORT, alike) == []
    part = next(c for c in REPORT.summary.columns if c.key == "rank p50")
    assert best(REPORT, part) == []


def test_answering_without_retrieval_is_never_the_cheapest_method():
    fastest = next(c for c in REPORT.summary.columns if c.key == "total p50")
    assert row("none").cells["total p50"].value < row("bm25").cells["total p50"].value
    assert [each.label for each in best(REPORT, fastest)] == ["bm25"]


def test_what_is_lost_is_said_with_the_winner_and_both_values():
    told = " ".join(losses(REPORT))
    hippo, ours = row("hippo").cells["recall@5"].value, row("bridge d=3").cells["recall@5"].value
    assert f"recall@5 ({100 * hippo:.1f}; bridge d=3 {100 * ours:.1f})" in told
    assert "bm25: total p50 (0.400 ms; bridge d=0 0.600 ms)" in told
    won = wins(REPORT).partition(":")[2]
    assert "recall@2" in won
    assert "recall@5" not in won


def test_nothing_is_said_of_us_where_none_of_ours_was_run():
    others = tuple(each for each in REPORT.summary.rows if not REPORT.ours(each.label))
    report = replace(REPORT, summary=replace(REPORT.summary, rows=others, groups=()))
    assert report.main_row() is None
    assert (wins(report), losses(report), against_baseline(report)) == ("", [], [])
    assert "bridge" not in markdown([report]).replace("bridgerag", "")


def test_the_main_row_is_that_of_the_usual_depth_not_the_best_one():
    assert REPORT.main_row().label == "bridge d=2"
    assert row("bridge d=3").cells["recall@5"].value > row("bridge d=2").cells["recall@5"].value


def test_better_worse_and_tie_are_told_apart():
    said = against_baseline(
        altered(
            "bridge d=2", "mrr", Cell(row(BASE).cells["mrr"].value - 0.1, -0.2, -0.05, False, False)
        )
    )
    assert said[0].startswith("bridge d=2 is better than naive: recall@2 (+")
    assert said[1] == "bridge d=2 is worse than naive: MRR (−10.0)."
    tied = altered("bridge d=2", "f1", Cell(0.5, -0.01, 0.01, True))
    assert against_baseline(tied)[-1] == "No difference between bridge d=2 and naive is shown: F1."
    assert verdict(Cell(0.5)) == ""
    assert difference(REPORT.summary, row(BASE), RECALL) is None


def test_numbers_are_written_with_what_they_are_worth():
    assert [signed(value) for value in (1.26, -1.26, -0.04, 0.0)] == ["+1.3", "−1.3", "0.0", "0.0"]
    assert [milliseconds(v) for v in (0.01234, 0.5, 12.34, 1234.5, 0)] == [
        "0.0123", "0.500", "12.3", "1,234", "0",
    ]  # fmt: skip
    assert quantity(0.6412, "%") == "64.1"
    assert quantity(nan, "%") == "–"
    assert [quantity(v, "bytes") for v in (0.0, 900.0, 23_400_000.0)] == [
        "0 bytes",
        "900 bytes",
        "23.4 MB",
    ]
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "", "a", "a and b", "a, b and c",
    ]  # fmt: skip


def test_every_column_has_a_meaning():
    told = meanings(REPORT.summary.columns)
    assert all(
        column.title in told or column.part == "latency" for column in REPORT.summary.columns
    )
    assert {"total", "p95"} <= set(told)


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_no_table_on_a_terminal_is_wider_than_it(width):
    text = printed(REPORT, width)
    assert max(map(len, text.splitlines())) <= width
    for column in REPORT.summary.columns:
        assert (column.title in text) == (
            column.brief or column.title in "".join([*losses(REPORT), wins(REPORT)])
        )
    assert "tie [" in text
    assert "66.8*" in text


def test_all_columns_come_when_asked_for():
    console = Console(file=io.StringIO(), width=100)
    print_report(REPORT, console, every_column=True)
    assert all(column.title in console.file.getvalue() for column in REPORT.summary.columns)


def test_colour_is_for_terminals_and_not_where_it_is_unwanted(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" not in printed(REPORT)
    assert "\x1b[32m" in printed(REPORT, force_terminal=True, color_system="standard")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in printed(REPORT, force_terminal=True, color_system="standard")


def test_a_terminal_gets_nothing_it_could_act_on_and_only_what_it_can_write():
    evil = replace(REPORT.summary, dataset="a\x1b[31m\n[bold]ß\u202e", notes=("\x07 – naïve",))
    raw = io.BytesIO()
    console = Console(file=io.TextIOWrapper(raw, "ascii"), width=60)
    print_report(replace(REPORT, summary=evil), console)
    console.file.flush()
    text = raw.getvalue().decode("ascii")
    assert "\x1b" not in text
    assert "\x07" not in text
    assert r"a\x1b[31m\n[bold]\xdf\u202e" in text


def test_the_csv_has_a_row_for_each_number_and_says_what_is_compared():
    rows = list(csv.DictReader(io.StringIO(csv_table([REPORT]))))
    known = [
        (each.label, column.key)
        for each in REPORT.summary.rows
        for column in REPORT.summary.columns
        if not isnan(each.cells[column.key].value)
    ]
    assert [(each["method"], each["metric"]) for each in rows] == known
    one = next(r for r in rows if (r["method"], r["metric"]) == ("bridge d=2", "recall@5"))
    cell = row("bridge d=2").cells["recall@5"]
    assert float(one["value"]) == pytest.approx(cell.value, abs=1e-6)
    assert float(one["low"]) < float(one["difference"]) < float(one["high"])
    assert (one["unit"], one["tie"]) == ("share", "false")
    alone = next(r for r in rows if r["method"] == BASE)
    assert [alone[name] for name in ("difference", "low", "high", "tie")] == [""] * 4


def test_markdown_has_sound_tables_with_every_method():
    lines = markdown([REPORT]).splitlines()
    tables = [line for line in lines if line.startswith("|")]
    assert len({line.count(" | ") for line in tables if line.startswith("| none")}) > 1
    for before, after in pairwise(lines):
        if before.startswith("|") and after.startswith("|"):
            assert before.count("|") == after.count("|")
    assert "**66.8** (+" in "\n".join(tables)
    assert "(tie [−" in "\n".join(tables)
    assert len(tables) == 5 * (2 + len(METHODS))


def test_markdown_shows_foreign_names_as_they_are():
    groups = tuple(replace(group, name="a|b\n# <img src=x> `c`") for group in REPORT.summary.groups)
    evil = replace(REPORT.summary, dataset="[x](javascript:1)\n# y", groups=groups)
    text = markdown([replace(REPORT, summary=evil, command="bridgerag eval 'a```\nrm b'")])
    assert r"## \[x\](javascript:1) \# y" in text
    assert r"a\|b \# \<img src=x\> \`c\` (80)" in text
    assert "````sh\nbridgerag eval 'a``` rm b'\n````" in text


def test_the_same_report_gives_the_same_bytes():
    again = toy_report()
    assert csv_table([again]) == csv_table([REPORT])
    assert markdown([again]) == markdown([REPORT])
    assert printed(again) == printed(REPORT)


def test_a_report_on_a_real_run_knows_all_that_was_measured(run):
    report = make_report(run)
    assert report.documents == 20
    assert report.depths == {"bridge d=0": 0, "bridge d=2": 2}
    for label in run.methods:
        assert list(report.percentiles[label]) == sorted(report.percentiles[label])
        cells = next(each.cells for each in report.summary.rows if each.label == label)
        assert report.percentiles[label][2] == pytest.approx(cells["total p50"].value)
    assert [column.key for column in report.headline] == ["recall@5", "in_context"]
    assert report.conditions["Search"] == "20 chunks a question, 3,000 tokens a prompt"
    assert report.command == (
        "bridgerag eval PATH/islands --methods bridge,naive --depths 0,2 --repetitions 2 "
        "--generator none --embedding none --store STORE"
    )
    assert {group.name for group in report.summary.groups} == {"boats", "who"}
    assert report.series("bridge d=2") == "bridge"


def test_a_report_holds_no_text_of_the_data_and_no_address_of_a_server(run):
    settings = {
        **run.settings,
        "embedding": "e5@http://me:secret@host/v1",
        "embedding_model": "e5@http://me:secret@host/v1",
    }
    told = repr(make_report(replace(run, settings=settings)))
    assert "secret" not in told
    assert "--embedding e5@URL" in told
    for item in run.questions:
        assert item.question not in told
        assert not any(answer in told for answer in item.answers if not answer.isdigit())


def test_a_run_without_gold_is_drawn_by_what_was_measured():
    kept = tuple(c for c in REPORT.summary.columns if c.part != "retrieval")
    report = replace(REPORT, summary=replace(REPORT.summary, columns=kept))
    assert [column.key for column in report.headline] == ["in_context", "f1"]
    only = tuple(c for c in QUALITY if c.key == "mrr")
    assert replace(REPORT, summary=replace(REPORT.summary, columns=only)).headline == list(only)
    assert replace(REPORT, summary=replace(REPORT.summary, columns=())).headline == []
