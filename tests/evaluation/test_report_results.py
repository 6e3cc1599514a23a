"""docs/results.md: made from stored summaries alone, and found stale when it is not."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridgerag.errors import InputError
from bridgerag.evaluation.dataset import load_dataset
from bridgerag.evaluation.report import html
from bridgerag.evaluation.run import evaluate
from bridgerag.settings import Settings
from evaluation.toy_islands import questions, write_corpus
from evaluation.toy_report import toy_report

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def results():
    """The module ``benchmarks.results``, which is not installed with the package."""
    sys.path.insert(0, str(ROOT))
    try:
        yield importlib.import_module("benchmarks.results")
    finally:
        sys.path.remove(str(ROOT))


@pytest.fixture
def stored(results, tmp_path):
    """A folder with one summary, and a page made from it, by the command's own options."""
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "toy.json").write_text(results.dumps(toy_report()))
    options = ["--results", str(folder), "--page", str(tmp_path / "results.md")]
    assert results.main(options) == 0
    return folder, tmp_path / "results.md", options


def test_the_page_in_docs_is_what_the_stored_results_say():
    command = [sys.executable, "-m", "benchmarks.results", "--check"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=60)


def test_a_stored_report_comes_back_as_it_was(results):
    text = results.dumps(toy_report())
    again = results.from_json(json.loads(text))
    assert results.dumps(again) == text
    assert html([again]).count("<tr") == html([toy_report()]).count("<tr")
    assert again.depths == toy_report().depths
    assert len(text) < 100_000
    assert max(map(len, text.splitlines())) < 10_000


def test_an_edited_page_and_edited_results_are_found_stale(results, stored, capsys):
    folder, page, options = stored
    assert results.main([*options, "--check"]) == 0
    page.write_text(page.read_text() + "\nAnd we are the best.\n")
    assert results.main([*options, "--check"]) == 1
    assert "run `python -m benchmarks.results`" in capsys.readouterr().err
    assert results.main(options) == results.main([*options, "--check"]) == 0
    text = (folder / "toy.json").read_text()
    (folder / "toy.json").write_text(text.replace('"questions": 500', '"questions": 501'))
    assert results.main([*options, "--check"]) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda form: form.update(schema=0), "schema of toy.json is 0; it must be 1"),
        (lambda form: form.update(extra=1), "toy.json is"),
        (lambda form: form.pop("documents"), "toy.json is"),
        (lambda form: form.update(documents="many"), "toy.json.documents is 'many'"),
        (lambda form: form["summary"].update(rows=5), "toy.json.summary.rows is 5"),
        (
            lambda form: form["summary"]["rows"][1]["cells"]["mrr"].update(value=True),
            "toy.json.summary.rows[1].cells.mrr.value is True; it must be a number or null",
        ),
    ],
)
def test_a_summary_of_another_form_is_refused_with_the_place(results, stored, capsys, change, said):
    folder, _, options = stored
    form = json.loads((folder / "toy.json").read_text())
    change(form)
    (folder / "toy.json").write_text(json.dumps(form))
    assert results.main([*options, "--check"]) == 1
    assert said in capsys.readouterr().err


def test_what_is_no_json_is_refused(results, stored, capsys):
    folder, _, options = stored
    (folder / "toy.json").write_text("{")
    assert results.main([*options, "--check"]) == 1
    assert "store the run anew" in capsys.readouterr().err
    with pytest.raises(InputError, match="a JSON object"):
        results.from_json([])


def test_no_results_make_a_page_that_says_so(results, tmp_path):
    options = ["--results", str(tmp_path), "--page", str(tmp_path / "page.md")]
    assert results.main(options) == 0
    assert "No run is stored yet" in (tmp_path / "page.md").read_text()


def test_the_page_puts_the_baseline_ours_and_the_best_side_by_side(results):
    glance = "\n".join(results.at_a_glance([toy_report()]))
    assert "| toy | recall@5 (%) | 59.7 naive | 64.1 bridge d=2 | 66.8 hippo |" in glance
    assert results.page([toy_report()]) == results.page([toy_report()])


def test_a_run_is_stored_without_any_text_of_its_data(results, tmp_path):
    data = load_dataset(write_corpus(tmp_path / "Islands & more"))
    settings = Settings(embedding="none", chunk_tokens=16)
    how = {"methods": ("naive",), "repetitions": 0, "generator": "none", "settings": settings}
    evaluate(data, tmp_path / "run", **how)
    options = ["--results", str(tmp_path / "kept"), "--page", str(tmp_path / "page.md")]
    assert results.main(["--store", str(tmp_path / "run"), *options]) == 0
    text = (tmp_path / "kept" / "islands-more.json").read_text()
    for row in questions(gold=True):
        assert row["question"] not in text
        assert row["answers"][0] not in text or row["answers"][0].isdigit()
    assert "## Islands \\& more" in (tmp_path / "page.md").read_text()
    assert results.main(["--store", str(tmp_path / "nothing"), *options]) == 1


def test_what_is_missing_is_null_and_numbers_keep_six_digits(results):
    none, naive, *_ = json.loads(results.dumps(toy_report()))["summary"]["rows"]
    assert none["cells"]["recall@5"] == {"value": None}
    assert naive["cells"]["total p50"] == {"value": 1.1}
    assert len(str(naive["cells"]["recall@5"]["value"])) <= len("0.123456")
