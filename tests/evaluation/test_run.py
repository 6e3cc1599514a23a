"""Runs of a comparison on small real data: what is measured, what is resumed, what is refused."""

import json
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import bridgerag
from bridgerag.errors import InputError, MissingExtra, StoreMissing, UnreadableFile
from bridgerag.evaluation.dataset import load_dataset
from bridgerag.evaluation.results import RunFolder
from bridgerag.evaluation.run import evaluate
from bridgerag.evaluation.summary import summarize
from bridgerag.retrieval import METHODS, Found
from bridgerag.settings import Settings
from bridgerag.types import Footprint
from evaluation.toy_islands import write_corpus, write_outsider

PLAIN = Settings(embedding="none", chunk_tokens=16)
FAST = {
    "methods": ("bridge", "naive"), "depths": (0, 2), "repetitions": 0, "settings": PLAIN,
    "generator": "none", "k": 8,
}  # fmt: skip
ANSWERED = {**FAST, "generator": "extractive"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return load_dataset(write_corpus(tmp_path_factory.mktemp("data") / "islands"))


@pytest.fixture(scope="module")
def outsider(tmp_path_factory):
    return load_dataset(write_outsider(tmp_path_factory.mktemp("data") / "notes"))


@pytest.fixture(scope="module")
def run(corpus, tmp_path_factory):
    """A whole run that tests only read."""
    how = {**ANSWERED, "methods": ("naive", "bridge", "bridge-no-lift"), "repetitions": 3}
    return evaluate(corpus, tmp_path_factory.mktemp("run"), **how)


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def quality(run):
    """Return every number of the table that no clock had a part in."""
    shown = summarize(run, resamples=200)
    kept = [c.key for c in shown.columns if c.part in ("retrieval", "answers")]
    return {
        (row.label, key): (row.cells[key].value, row.cells[key].low, row.cells[key].high)
        for row in shown.rows
        for key in (*kept, "prompt_tokens")
    }


def test_every_method_answers_every_question_in_the_order_of_the_data(run, corpus):
    assert run.methods == ("bridge d=0", "bridge d=2", "bridge no-lift", "naive")
    assert [item.id for item in run.questions] == [item.id for item in corpus.questions]
    assert run.questions == corpus.questions
    assert run.finished
    assert not run.failed
    for method in run.methods:
        assert not np.isnan(run.values(method, "recall@5")).any()
        assert not np.isnan(run.values(method, "in_context")).any()
        assert run.values(method, "prompt_tokens").max() <= 3000


def test_the_metrics_are_those_of_what_was_found(run):
    for item in run.questions:
        found = run.outcomes["naive", item.id]
        assert len(set(found.ranked)) == len(found.ranked)
        assert list(found.ranked) == list(dict.fromkeys(name for name, _, _ in found.hits))
        assert found.metrics["recall@2"] == float(item.gold_ids[0] in found.ranked[:2])
        assert "[1]" not in found.answer
    assert run.values("naive", "recall@5").mean() > 0.9
    assert run.values("naive", "f1").mean() > 0.1


def test_the_stores_differ_in_lifting_alone(run):
    assert set(run.stores) == {"default", "no-lift"}
    with bridgerag.open(run.folder / "stores" / "no-lift") as bridge:
        assert bridge.status().settings == {**run_settings(run), "lift": 1.0}
    assert run.stores["default"].documents == 20
    assert run.stores["default"].seconds > 0


def run_settings(run):
    return {name: run.settings[name] for name in Settings.__slots__}


def test_latency_is_raw_and_the_same_questions_met_every_method(run):
    asked = {row.method: {r.question for r in run.latencies if r.method == row.method}
             for row in run.latencies}  # fmt: skip
    assert set(asked) == {*run.methods, "embed"}
    assert len(set(map(frozenset, asked.values()))) == 1
    count = run.latency_plan["questions"]
    for method in run.methods:
        assert run.latency(method).shape == (3 * count,)
        stages = sum(run.latency(method, stage) for stage in ("recognize", "lookup", "rank"))
        assert (run.latency(method) > 0).all()
        assert (stages <= run.latency(method) + 1e-3).all()


def test_two_runs_with_one_seed_have_the_same_quality(run, corpus, tmp_path):
    again = evaluate(corpus, tmp_path / "again", **{**ANSWERED, "depths": (2,)})
    whole = quality(run)
    assert quality(again) == {key: whole[key] for key in whole if key[0] in again.methods}
    assert again.methods == ("bridge d=2", "naive")


def test_a_complete_run_is_not_asked_again(run, corpus):
    before = (run.folder / "questions.jsonl").read_bytes()
    how = {**ANSWERED, "methods": ("naive", "bridge", "bridge-no-lift"), "repetitions": 3}
    again = evaluate(corpus, run.folder, **how)
    assert (run.folder / "questions.jsonl").read_bytes() == before
    assert again.latencies == run.latencies
    assert again.started == run.started
    assert quality(again) == quality(run)


def test_methods_can_be_added_and_those_that_are_there_stay(corpus, tmp_path):
    one = evaluate(corpus, tmp_path, **{**FAST, "methods": ("naive",)})
    assert one.methods == ("naive",)
    two = evaluate(corpus, tmp_path, **{**FAST, "methods": ("bridge",), "depths": (1,)})
    assert two.methods == ("bridge d=1", "naive")
    assert two.outcomes["naive", "q00"] == one.outcomes["naive", "q00"]


def test_a_run_that_was_killed_goes_on_and_ends_with_the_same_table(corpus, tmp_path):
    script = textwrap.dedent(
        """
        import os, signal, sys
        from pathlib import Path
        from bridgerag.evaluation.dataset import load_dataset
        from bridgerag.evaluation.run import evaluate
        from bridgerag.settings import Settings

        def die(stage, done, total):
            if stage == "questions" and done == total // 2:
                os.kill(os.getpid(), signal.SIGKILL)

        evaluate(
            load_dataset(Path(sys.argv[1])), Path(sys.argv[2]), methods=("bridge", "naive"),
            depths=(0, 2), repetitions=0, generator="none", k=8, progress=die,
            settings=Settings(embedding="none", chunk_tokens=16),
        )
        """
    )
    data, folder = corpus.documents.parent, tmp_path / "killed"
    killed = subprocess.run([sys.executable, "-c", script, data, folder], check=False)
    assert killed.returncode == -signal.SIGKILL
    half = RunFolder(folder).read()
    assert len(half.outcomes) == 45
    assert half.finished is None
    assert half.methods == ("bridge d=0",)
    assert "not complete" in summarize(half, resamples=10).notes[0]
    whole = evaluate(corpus, folder, **FAST)
    assert quality(whole) == quality(evaluate(corpus, tmp_path / "unharmed", **FAST))
    rows = lines(folder / "questions.jsonl")
    assert len({(row["method"], row["question"]) for row in rows}) == len(rows) == 90


def test_an_outsiders_folder_is_measured_by_its_answers_and_says_why(outsider, tmp_path):
    run = evaluate(outsider, tmp_path, **{**ANSWERED, "depths": (2,)})
    shown = summarize(run, resamples=100)
    keys = {column.key for column in shown.columns}
    assert {"in_context", "em", "f1", "rougeL", "bleu"} <= keys
    assert not keys & {"recall@2", "recall@5", "recall@10", "precision@5", "ndcg@10", "mrr"}
    assert any("gold_ids" in sentence for sentence in shown.notes)
    assert run.stores["default"].documents == 20
    assert run.values("naive", "in_context").mean() > 0.9


def test_a_run_inside_the_folder_of_documents_does_not_become_a_document(tmp_path):
    folder = write_outsider(tmp_path / "notes")
    for _ in range(2):  # the second time the results are there
        run = evaluate(load_dataset(folder), folder / "bridge.eval" / "notes", **FAST)
        assert run.stores["default"].documents == 20


def test_questions_are_searched_in_their_scope_and_indexes_built_once_a_scope(
    tmp_path, monkeypatch, hashed
):
    built = []

    class Indexed:
        """Returns what `naive` does, over an index of its own."""

        def prepare(self, snapshot):
            built.append(snapshot.documents)
            return Footprint(0.5, 10, 1, 7, "nothing")

        def __call__(self, *arguments):
            return METHODS["naive"]()(*arguments)

    monkeypatch.setitem(METHODS, "indexed", Indexed)
    folder = write_corpus(tmp_path / "islands")
    rows = lines(folder / "questions.jsonl")
    for number, row in enumerate(rows):
        row["gold_ids"] += [f"island-{19 - number % 2:02}", f"island-{number % 2:02}"]
        row["gold_ids"] = sorted({*row["gold_ids"], "island-05"}) if number else ["island-00"]
    rows[2:] = [{**row, "gold_ids": rows[number % 2]["gold_ids"]} for number, row in
                enumerate(rows[2:])]  # fmt: skip
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = evaluate(
        load_dataset(folder, scope="gold"), tmp_path / "run",
        **{**FAST, "methods": ("naive", "indexed")}, embedder=hashed,
    )  # fmt: skip
    assert built == [1, len(rows[1]["gold_ids"])]
    assert run.footprints["indexed"] == Footprint(1.0, 20, 2, 14, "nothing")
    for item in run.questions:
        assert set(run.outcomes["indexed", item.id].ranked) <= set(item.scope)
    assert any("their own documents" in sentence for sentence in summarize(run).notes)


def test_methods_that_cannot_run_are_named_with_the_reason_and_the_others_go_on(
    corpus, tmp_path, monkeypatch
):
    def missing():
        raise MissingExtra("clustering", "eval")

    def gives_up(snapshot, question, k, depth, timings):
        if "boats" in question.text:
            raise InputError("the store", "none", "one with vectors")
        return Found([], [], fallback=False)

    monkeypatch.setitem(METHODS, "needs", missing)
    monkeypatch.setitem(METHODS, "picky", lambda: gives_up)
    how = {**FAST, "methods": ("needs", "picky", "naive")}
    run = evaluate(corpus, tmp_path / "run", **{**how, "repetitions": 2})
    assert run.methods == ("naive",)
    assert "pip install 'bridgerag[eval]'" in run.failed["needs"]
    assert "one with vectors" in run.failed["picky"]
    notes = summarize(run, resamples=10).notes
    assert any(sentence.startswith("needs is left out: ") for sentence in notes)
    assert {row.method for row in run.latencies} == {"naive", "embed"}
    monkeypatch.setitem(METHODS, "needs", METHODS["naive"])  # as when the extra is installed
    assert evaluate(corpus, tmp_path / "run", **how).methods == ("naive", "needs")
    with pytest.raises(InputError, match="with vectors"):
        evaluate(corpus, tmp_path / "other", **{**how, "methods": ("picky",)})


def test_a_store_that_is_there_is_used_and_not_written(corpus, tmp_path):
    store = tmp_path / "mine.store"
    with bridgerag.open(store, settings=PLAIN) as bridge:
        bridge.add(corpus.documents)
        before = bridge.status()
    how = {**FAST, "settings": None}
    run = evaluate(corpus, tmp_path / "run", store=store, **how)
    assert not (run.folder / "stores").exists()
    assert run.stores["default"].seconds is None
    assert run.settings["chunk_tokens"] == 16
    shown = summarize(run, resamples=10)
    assert "build_seconds" not in {column.key for column in shown.columns}
    with bridgerag.open(store) as bridge:
        assert bridge.status() == before
        bridge.remove("island-03")
    with pytest.raises(InputError, match="store is"):  # it is another one now
        evaluate(corpus, run.folder, store=store, **how)
    with pytest.raises(InputError, match="as the store was built"):
        evaluate(corpus, tmp_path / "other", store=store, **{**how, "settings": Settings()})
    with pytest.raises(StoreMissing):
        evaluate(corpus, tmp_path / "other", store=tmp_path / "none.store", **how)


def test_the_generator_none_writes_nothing_and_the_table_says_so(corpus, tmp_path):
    run = evaluate(corpus, tmp_path, **FAST)
    assert run.outcomes["naive", "q00"].answer is None
    shown = summarize(run, resamples=10)
    assert {c.key for c in shown.columns if c.part == "answers"} == {"in_context"}
    assert any("generator none" in sentence for sentence in shown.notes)


def test_bertscore_names_its_model(corpus, tmp_path):
    class Letters:
        """A vector for each letter."""

        name = "letters"

        def token_states(self, text):
            return np.eye(128, dtype=np.float32)[[ord(letter) % 128 for letter in text]]

    small = load_dataset(corpus.documents.parent, limit=3)
    run = evaluate(small, tmp_path, token_model=Letters(), **ANSWERED)
    assert run.settings["bertscore"] == "letters"
    assert (run.values("naive", "bertscore") > 0).all()
    assert any("letters" in sentence for sentence in summarize(run, resamples=10).notes)


def test_leaked_questions_and_gold_that_is_no_document_are_found(tmp_path):
    folder = write_corpus(tmp_path / "islands")
    rows = lines(folder / "questions.jsonl")
    rows[3]["gold_ids"] = ["island-99"]
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (folder / "corpus.jsonl").open("a") as file:
        text = f"{rows[0]['question']} {rows[0]['answers'][0]}. The sea is wide and cold."
        file.write(json.dumps({"id": "leak", "title": "Quiz", "text": text}) + "\n")
    run = evaluate(load_dataset(folder), tmp_path / "run", **FAST)
    assert ("pair", "q00", "leak") in {(k.kind, k.question_id, k.document_id) for k in run.leaks}
    notes = " ".join(summarize(run, resamples=10).notes)
    assert "leak check" in notes
    assert "island-99" in notes


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"methods": ("bridge", "magic")}, "method is 'magic'; it must be one of bridge"),
        ({"methods": ()}, "at least one"),
        ({"depths": (1, -1)}, "depths"),
        ({"depths": ()}, "depths"),
        ({"k": 0}, "k is 0; it must be between 1 and 10,000"),
        ({"budget_tokens": 10}, "budget_tokens is 10; it must be at least"),
        ({"repetitions": -1}, "repetitions is -1"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_made(corpus, tmp_path, change, words):
    with pytest.raises(InputError, match=words):
        evaluate(corpus, tmp_path / "run", **{**FAST, **change})
    assert not (tmp_path / "run").exists()


def test_documents_that_cannot_be_read_are_named(tmp_path):
    folder = write_outsider(tmp_path / "notes")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    run = evaluate(load_dataset(folder), tmp_path / "run", **FAST)
    assert any("broken.pdf" in sentence for sentence in run.notes)
    only = tmp_path / "only"
    only.mkdir()
    (only / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    (folder / "questions.jsonl").rename(only / "questions.jsonl")
    with pytest.raises(UnreadableFile, match="nothing was indexed"):
        evaluate(load_dataset(only), tmp_path / "other", **FAST)
