"""``bridgerag eval`` on a small folder: the table, the reports, JSON, refusals."""

import json

import pytest

import bridgerag
from evaluation.toy_islands import write_corpus, write_outsider

QUICK = ("--embedding", "none", "--repetitions", "0", "-k", "8", "--generator", "none")
FEW = ("--methods", "bridge,naive", "--depths", "0,2")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_corpus(tmp_path_factory.mktemp("data") / "islands")


def test_the_table_is_printed_and_the_reports_are_written(run, data, in_folder):
    result = run("eval", data, *QUICK, *FEW)
    assert result.exit_code == 0, result.output
    for words in ("islands", "bridge d=0", "bridge d=2", "naive", "recall@5"):
        assert words in result.stdout
    folder = in_folder / "bridge.eval" / "islands"
    assert {"report.html", "report.md", "report.csv", "run.json"} <= {
        path.name for path in folder.iterdir()
    }
    assert result.stderr.splitlines()[-1].endswith("bridge.eval/islands/report.html")
    again = run("eval", data, *QUICK, *FEW)
    assert again.stdout == result.stdout


def test_json_is_one_document_with_every_cell(run, data, in_folder):
    result = run("eval", data, *QUICK, *FEW, "--out", "here", "--json")
    assert result.exit_code == 0, result.output
    form = json.loads(result.stdout)
    assert form["folder"] == "here"
    assert set(form["methods"]) == {"bridge d=0", "bridge d=2", "naive"}
    assert form["questions"] == 30
    assert form["methods"]["naive"]["recall@5"]["value"] > 0.9
    assert form["methods"]["naive"]["recall@5"]["low"] is None
    assert {group["by"] for group in form["groups"]} == {"kind"}


def test_an_outsiders_documents_with_a_questions_file_of_their_own(run, tmp_path, in_folder):
    notes = write_outsider(tmp_path / "notes")
    asked = (notes / "questions.jsonl").rename(tmp_path / "asked.jsonl")
    result = run("eval", notes, "--questions", asked, "--limit", "5", *QUICK, *FEW, "--json")
    assert result.exit_code == 0, result.output
    form = json.loads(result.stdout)
    assert form["questions"] == 5
    assert "in_context" in form["methods"]["naive"]
    assert "recall@5" not in form["methods"]["naive"]
    assert any("gold_ids" in sentence for sentence in form["notes"])


def test_a_store_that_is_there_is_searched(run, data, in_folder):
    with bridgerag.open("mine.store", settings={"embedding": "none"}) as bridge:
        bridge.add(data / "corpus.jsonl")
    result = run("eval", data, *QUICK, *FEW, "--store", "mine.store")
    assert result.exit_code == 0, result.output
    assert not (in_folder / "bridge.eval" / "islands" / "stores").exists()


@pytest.mark.parametrize(
    ("words", "status", "reason"),
    [
        (["--methods", "magic"], 2, "method is 'magic'; it must be one of bridge"),
        (["--depths", "0,deep"], 2, "--depths is '0,deep'"),
        (["--depths", "-1"], 2, "depths"),
        (["-k", "0"], 2, "k is 0"),
        (["--limit", "0"], 2, "limit is 0"),
        (["--budget", "5"], 2, "budget_tokens is 5; it must be at least"),
        (["--repetitions", "-1"], 2, "repetitions is -1"),
        (["--bertscore", "no-model"], 2, "model for BERTScore"),
        (["--scope", "some"], 2, "--scope"),
        (["--questions", "missing.jsonl"], 1, "missing.jsonl"),
        (["--store", "missing.store"], 1, "there is no store"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(run, data, in_folder, words, status, reason):
    result = run("eval", data, *QUICK, *FEW, *words)
    assert result.exit_code == status, result.output
    (line,) = result.stderr.splitlines()
    assert reason in line
    assert list(in_folder.iterdir()) == []


def test_a_folder_that_is_missing_or_has_no_questions_is_refused(run, in_folder):
    for name in ("missing", "."):
        result = run("eval", name, *QUICK)
        assert result.exit_code == 2
        assert "questions.jsonl" in result.stderr


def test_a_run_with_other_settings_is_refused_with_the_remedy(run, data, in_folder):
    assert run("eval", data, *QUICK, *FEW).exit_code == 0
    result = run("eval", data, *QUICK, *FEW, "-k", "9")
    assert result.exit_code == 2
    assert "k is 9; it must be 8" in result.stderr
    assert "--out" in result.stderr
