"""`none` finds nothing, and everything above it takes that calmly."""

import json

import pytest
from click.testing import CliRunner

import bridgerag
from bridgerag import Document
from bridgerag.cli.app import cli

QUESTION = "What did Zorvex Quillan say?"


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "store"
    with bridgerag.open(path, settings={"embedding": "none"}) as bridge:
        bridge.add(documents=[Document("a", "Note", "", "Zorvex Quillan said nothing.")])
    return path


def test_nothing_is_found_whatever_is_asked(store):
    with bridgerag.open(store) as bridge:
        assert bridge.search(QUESTION).hits
        context = bridge.search(QUESTION, method="none")
    assert (context.hits, context.entities, context.abstracts) == ((), (), ())
    assert (context.background, context.fallback, context.method) == ((), False, "none")


def test_an_answer_without_a_model_says_so(store):
    pieces = []
    with bridgerag.open(store) as bridge:
        answer = bridge.ask(QUESTION, method="none", on_text=pieces.append)
    assert answer.text == "".join(pieces) == "No passage was found."
    assert answer.citations == ()


@pytest.mark.parametrize("command", ["search", "ask"])
def test_the_command_line_says_so_and_json_keeps_its_form(store, command):
    words = [command, QUESTION, "--store", str(store), "--method", "none"]
    shown = CliRunner().invoke(cli, words)
    assert shown.exit_code == 0
    assert "o passage was found" in shown.stdout + shown.stderr
    form = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)
    assert (form["method"], form["hits"], form["entities"], form["fallback"]) == (
        "none", [], [], False,
    )  # fmt: skip
    if command == "ask":
        assert (form["answer"], form["citations"]) == ("No passage was found.", [])
