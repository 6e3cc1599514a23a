"""Every command, on real documents in a real store."""

import json
import os
import shutil
import stat
from dataclasses import replace

import pytest

import bridgerag
from bridgerag.types import Answer, Citation

QUESTION = "How is the brass key turned before opening the dome?"


@pytest.fixture
def copy(store, tmp_path):
    """A store of one's own."""
    return shutil.copytree(store, tmp_path / "copy.store")


def form(result) -> dict:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_add_says_what_was_indexed_and_names_what_was_skipped_with_its_reason(
    run, folder, in_folder
):
    result = run("add", folder, "--embedding", "none")
    assert result.exit_code == 0
    assert result.stdout.startswith("2 added, 1 skipped; ")
    assert "broken.pdf: is not a sound PDF" in result.stdout
    assert (in_folder / "bridge.store").is_dir()
    again = run("add", folder)
    assert "2 unchanged" in again.stdout


def test_add_without_embeddings_by_its_own_name(run, folder, in_folder):
    assert run("add", folder, "--no-embeddings").exit_code == 0
    assert form(run("status", "--json"))["settings"]["embedding"] == "none"
    both = run("add", folder, "--no-embeddings", "--embedding", "minilm")
    assert both.exit_code == 2
    assert "exclude each other" in both.stderr


def test_add_json_is_one_document_with_the_skipped_files(run, folder, in_folder):
    report = form(run("add", folder, "--embedding", "none", "--json"))
    assert (report["added"], report["changed"], report["unchanged"]) == (2, 0, 0)
    (skipped,) = report["skipped"]
    assert skipped["source"].endswith("/broken.pdf")
    assert skipped["reason"]


def test_add_leaves_out_what_is_ignored(run, folder, in_folder):
    report = form(
        run(
            "add", folder, "--embedding", "none", "--ignore", "*.csv", "--ignore", "*.pdf", "--json"
        )
    )
    assert (report["added"], report["skipped"]) == (1, [])


@pytest.mark.parametrize("words", [["broken.pdf"], ["missing.md"], ["empty"]])
def test_add_ends_with_1_and_the_reason_when_nothing_could_be_indexed(
    run, folder, in_folder, words
):
    (in_folder / "empty").mkdir()
    shutil.copy(folder / "broken.pdf", in_folder)
    result = run("add", *words, "--embedding", "none", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["error"]["type"] == "NothingIndexed"
    (line,) = result.stderr.splitlines()
    assert line.startswith("bridgerag: nothing was indexed")


def test_add_shows_a_hostile_file_name_harmlessly(run, in_folder):
    name = "line\nbreak \x1b[31m [bold].pdf"
    (in_folder / name).write_bytes(b"no PDF")
    (in_folder / "good.md").write_text("# Good\n\nA good document stands here.")
    result = run("add", ".", "--embedding", "none")
    assert result.exit_code == 0
    assert r"line\nbreak \x1b[31m [bold].pdf" in result.stdout
    assert "\x1b" not in result.output


def test_settings_are_fixed_when_the_store_is_made(run, folder, copy):
    refused = run("add", folder, "--window", "3", "--store", copy)
    assert refused.exit_code == 2
    assert "as the store was built" in refused.stderr


def test_given_windows_that_follow_content_then_the_store_records_them(run, folder, tmp_path):
    place = tmp_path / "content.store"
    options = ("--windows", "content", "--embedding", "none", "--store", place)
    assert run("add", folder, *options).exit_code == 0
    assert json.loads(run("status", "--store", place, "--json").stdout)["settings"]["windows"] == (
        "content"
    )
    assert run("check", "--store", place).exit_code == 0
    refused = run("add", folder, "--windows", "some", "--store", tmp_path / "other")
    assert "windows is 'some'; it must be fixed or content" in refused.stderr


def test_given_depth_auto_then_it_is_said_which_and_why(run, store):
    result = run("search", QUESTION, "--store", store, "--depth", "auto")
    assert result.stderr.splitlines()[-1].startswith("depth ")
    form = json.loads(run("search", QUESTION, "--depth", "auto", "--json", "--store", store).stdout)
    assert f"depth {form['depth']}: {form['depth_why']}" == result.stderr.splitlines()[-1]
    assert "depth_why" not in json.loads(run("search", QUESTION, "--json", "--store", store).stdout)


def test_search_shows_place_text_and_reason(run, store):
    result = run("search", QUESTION, "--store", store)
    assert result.exit_code == 0
    first = result.stdout.split("\n\n ")[0]
    assert "handbook.md" in first
    assert "Opening the dome" in first
    assert "Turn the brass key twice" in first
    assert "    why: " in first
    assert len(result.stderr.splitlines()) == 1


def test_search_json_has_exact_offsets_and_the_row_of_a_table(run, store):
    found = form(
        run("search", "Which station has the mirror Australis?", "--store", store, "--json")
    )
    with bridgerag.open(store) as bridge:
        for hit in found["hits"]:
            text = bridge.text(hit["document"]["id"])
            assert text[hit["start"] : hit["end"]] == hit["text"]
            assert all(reason["text"] for reason in hit["why"])
    assert found["hits"][0]["row"] == 2
    assert set(found["timings_ms"]) == {"embed", "recognize", "lookup", "expand", "rank", "total"}


def test_search_gives_no_more_than_k(run, store):
    assert len(form(run("search", QUESTION, "-k", "1", "--store", store, "--json"))["hits"]) == 1


@pytest.mark.parametrize("command", ["search", "ask"])
@pytest.mark.parametrize(
    "question",
    [
        "brass\0key",
        "brass key " * 100_000,
        "🔭🔭🔭",
        "the of and",
        "?!",
        "\udcff\ud800",
        "[bold]key[/bold]\x1b[31m",
        "--help",
    ],
    ids=["nul", "megabyte", "emoji", "stop words", "signs", "no utf-8", "markup", "option"],
)
def test_odd_questions_are_answered_or_refused_in_a_line(run, store, command, question):
    result = run(command, "--store", store, "--", question)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 1, 2)
    assert "\x1b" not in result.output
    if result.exit_code:
        assert len(result.stderr.splitlines()) == 1
    assert json.loads(run(command, "--store", store, "--json", "--", question).stdout)


@pytest.mark.parametrize("command", ["search", "ask"])
def test_an_empty_question_is_refused_in_a_line(run, store, command):
    result = run(command, " ", "--store", store)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


def test_an_unknown_method_is_refused_with_the_known_ones(run, store):
    result = run("search", "x", "--method", "magic", "--store", store)
    assert result.exit_code == 2
    assert "bridge, walk, naive" in result.stderr


def test_ask_answers_with_sources(run, store):
    result = run("ask", QUESTION, "--store", store)
    assert result.exit_code == 0
    answer, _, sources = result.stdout.partition("\n\n")
    assert "Turn the brass key twice before opening the dome. [1]" in answer
    assert "[1] " in sources
    assert "handbook.md: " in sources


def test_ask_json_has_citations_that_resolve(run, store):
    answer = form(run("ask", QUESTION, "--store", store, "--json"))
    assert answer["model"] == "extractive"
    assert answer["citations"]
    with bridgerag.open(store) as bridge:
        for citation in answer["citations"]:
            assert citation["marker"] in answer["answer"]
            cited = bridge.text(citation["document"])[citation["start"] : citation["end"]]
            assert " ".join(cited.split()) in answer["answer"]


def test_status_counts_and_status_json_has_the_settings(run, store):
    assert "documents     2\n" in run("status", "--store", store).stdout
    status = form(run("status", "--store", store, "--json"))
    assert (status["documents"], status["dim"]) == (2, 0)
    assert status["settings"]["embedding"] == "none"


def test_the_store_may_be_named_by_the_environment(run, store, in_folder):
    assert run("status", env={"BRIDGERAG_STORE": str(store)}).exit_code == 0
    assert run("status").exit_code == 1


def test_tree_lists_the_documents_and_draws_one(run, store, folder):
    listing = run("tree", "--store", store).stdout.splitlines()
    assert len(listing) == 2
    assert listing[0].endswith("handbook.md  Handbook of the Alder Observatory")
    drawing = run("tree", folder / "handbook.md", "--store", store, env={"COLUMNS": "60"}).stdout
    assert drawing.startswith("level ")
    assert all(len(line) <= 60 for line in drawing.splitlines())
    assert form(run("tree", folder / "handbook.md", "--store", store, "--json"))["first"] == 0


def test_remove_takes_a_document_out_and_leaves_the_file(run, folder, copy):
    result = run("remove", folder / "handbook.md", "--store", copy)
    assert result.exit_code == 0
    assert result.stdout.startswith("removed ")
    assert (folder / "handbook.md").exists()
    assert form(run("status", "--store", copy, "--json"))["documents"] == 1
    again = run("remove", folder / "handbook.md", "--store", copy, "--json")
    assert again.exit_code == 1
    assert json.loads(again.stdout)["error"]["type"] == "DocumentNotFound"


def test_check_finds_a_sound_store_sound_and_a_damaged_one_damaged(run, copy):
    assert form(run("check", "--store", copy, "--json"))["ok"] is True
    victim = max((copy / "segments").rglob("*.bin"), key=lambda path: path.stat().st_size)
    data = bytearray(victim.read_bytes())
    data[-1] ^= 1
    victim.write_bytes(data)
    result = run("check", "--store", copy)
    assert result.exit_code == 1
    assert victim.name in result.stdout
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [["status"], ["search", "x"], ["ask", "x"], ["tree"], ["check"]])
def test_a_store_that_is_missing_or_a_file_is_refused_with_the_remedy(run, in_folder, words):
    missing = run(*words)
    assert missing.exit_code == 1
    assert "bridgerag add" in missing.stderr
    assert not (in_folder / "bridge.store").exists()
    (in_folder / "bridge.store").write_text("not a store")
    assert run(*words).exit_code == 1


def test_add_into_a_file_is_refused_in_a_line(run, folder, in_folder):
    (in_folder / "bridge.store").write_text("not a store")
    result = run("add", folder, "--embedding", "none")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_store_that_cannot_be_written_is_refused_in_a_line(run, folder, copy):
    for path in (copy, *copy.rglob("*")):
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    result = run("remove", folder / "handbook.md", "--store", copy)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1


class Shelf:
    """Answers as a model would; a real one costs money."""

    def __init__(self, context):
        self.context = context

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return None

    def ask(self, question, *, k, depth, method, where, model, on_text, rounds):
        del question, k, depth, method
        if on_text:
            for piece in ("Turn it\x1b[", "31m twice.", " [1]"):
                on_text(piece)
        citation = Citation("[1]", self.context.hits[0].document.id, 10, 20)
        note = "1 marker was taken out\x1b[0m"
        context = replace(self.context, follow_ups=("Which key\x1b[1m?",) * (rounds - 1))
        return Answer("Turn it twice. [1]", (citation,), context, model, (note,))


def test_ask_passes_the_model_and_prints_notes_on_stderr(run, monkeypatch, context):
    monkeypatch.setattr(bridgerag, "open", lambda _store: Shelf(context))
    result = run("ask", "x", "--model", "some-model")
    assert result.stdout == "Turn it twice. [1]\n\n [1] /a/handbook.md: characters 10-20\n"
    assert result.stderr == "1 marker was taken out\\x1b[0m\n"
    assert json.loads(run("ask", "x", "--model", "some-model", "--json").stdout)["model"] == (
        "some-model"
    )


def test_ask_in_rounds_says_what_was_searched_for(run, monkeypatch, context):
    monkeypatch.setattr(bridgerag, "open", lambda _store: Shelf(context))
    result = run("ask", "x", "--model", "some-model", "--rounds", "2")
    assert "round 2 searched for: Which key\\x1b[1m?\n" in result.stderr
    answer = json.loads(run("ask", "x", "--rounds", "2", "--json").stdout)
    assert answer["follow_ups"] == ["Which key\x1b[1m?"] and answer["hits"][0]["round"] == 1


@pytest.mark.parametrize("rounds", ["0", "9", "many"])
def test_rounds_out_of_range_are_wrong_usage(run, store, rounds):
    result = run("ask", "x", "--store", store, "--rounds", rounds)
    assert result.exit_code == 2 and "--rounds" in result.stderr


def test_rounds_without_a_model_are_refused_in_one_line(run, store, monkeypatch):
    monkeypatch.delenv("BRIDGERAG_MODEL", raising=False)
    result = run("ask", QUESTION, "--store", store, "--rounds", "2")
    assert result.exit_code == 2
    assert "name one by --model or BRIDGERAG_MODEL" in result.stderr.splitlines()[-1]


def test_on_a_terminal_an_answer_is_streamed_once_and_harmlessly(run, monkeypatch, context):
    monkeypatch.setattr(bridgerag, "open", lambda _store: Shelf(context))
    monkeypatch.setattr("bridgerag.cli.ask.on_terminal", lambda: True)
    shown = run("ask", "x").stdout
    assert shown.startswith("Turn it\\x1b[31m twice. [1]\n\n [1] ")
    assert shown.count("twice") == 1
