"""Refusals: one line, the right exit status, never a traceback."""

import json
import shutil
import subprocess
import sys

import pytest

import bridgerag
from bridgerag.errors import StoreBusy, StoreMissing

COMMAND = [sys.executable, "-m", "bridgerag"]


def the_line(result) -> str:
    assert result.exception is None or isinstance(result.exception, SystemExit)
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["search", "x", "-k", "0"], "-k is 0; it must be 1 or more"),
        (["ask", "x", "-k", "-3"], "-k is -3; it must be 1 or more"),
        (["search", "x", "-k", "9" * 30], "it must be between 1 and 10,000"),
        (["search", "x", "-k", "many"], "'many' is not a valid integer"),
        (["search", "x", "--depth", "-1"], "--depth is -1; it must be 0 or more"),
        (["search", "x", "--depth", "deep"], "--depth is deep; it must be 0 or more, or auto"),
        (["search"], "Missing argument 'QUESTION'"),
        (["search", "-"], "ask in words"),
        (["ask", "-"], "ask in words"),
        (["ask", "one", "two"], "unexpected extra argument"),
        (["add"], "Missing argument 'PATH...'"),
        (["remove"], "Missing argument 'DOC...'"),
        (["add", "x", "--chunk-tokens", "3"], "chunk_tokens is 3; it must be between"),
        (["add", "x", "--window", "0"], "window is 0"),
        (["add", "x", "--branching", "1"], "branching is 1"),
        (["add", "x", "--lift", "nan"], "lift is nan"),
        (["status", "--store", ""], "--store is no path"),
        (["status", "--store", "a\0b"], "--store is no path"),
        (["serach"], "No such command"),
        (["--no-such-option"], "No such option"),
        (["status", "--no-such\x1b[31m\n-option"], r"\x1b[31m\n"),
    ],
)
def test_given_wrong_usage_then_one_line_with_the_remedy_and_status_2(run, words, says):
    result = run(*words)
    assert result.exit_code == 2
    assert the_line(result).startswith("bridgerag: ")
    assert says in result.stderr
    assert result.stdout == ""


def test_given_json_then_a_refusal_is_a_json_document_on_stdout_as_well(run):
    result = run("search", "x", "-k", "0", "--json")
    error = json.loads(result.stdout)["error"]
    assert result.exit_code == 2
    assert error["type"] == "UsageError"
    assert error["message"] in the_line(result)


def test_given_a_double_dash_then_json_behind_it_is_not_an_option(run):
    assert run("search", "-k", "0", "--", "--json").stdout == ""


@pytest.mark.parametrize(
    ("raised", "refusal"),
    [
        (StoreMissing("bridge.store"), (1, "StoreMissing")),
        (StoreBusy("bridge.store", 30), (1, "StoreBusy")),
        (OSError(28, "No space left on device"), (1, "OSError")),
        (KeyboardInterrupt(), (130, "Interrupted")),
    ],
)
@pytest.mark.parametrize("words", [["status"], ["search", "x"], ["ask", "x"], ["add", "x"]])
def test_given_the_library_refuses_then_one_line_and_the_exit_status_says_so(
    run, monkeypatch, raised, refusal, words
):
    def refuse(*_args, **_options):
        raise raised

    monkeypatch.setattr(bridgerag, "open", refuse, raising=False)
    result = run(*words, "--json")
    assert the_line(result)
    assert (result.exit_code, json.loads(result.stdout)["error"]["type"]) == refusal


def test_given_a_programming_error_then_it_is_not_hidden(run, monkeypatch):
    monkeypatch.setattr(bridgerag, "open", lambda *_args, **_options: 1 / 0, raising=False)
    assert isinstance(run("status").exception, ZeroDivisionError)


def test_given_a_message_of_a_megabyte_then_the_line_is_cut(run, monkeypatch):
    def refuse(*_args, **_options):
        raise StoreMissing("x" * 1_000_000)

    monkeypatch.setattr(bridgerag, "open", refuse, raising=False)
    assert len(the_line(run("status"))) < 1100


def test_given_no_command_then_help(run):
    assert run().exit_code == 0
    assert run().stdout == run("--help").stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell with pipes")
@pytest.mark.parametrize("words", ["--help", "status --help", "status --json --store missing"])
def test_given_a_reader_that_leaves_then_no_complaint(words):
    shell = f"{sys.executable} -m bridgerag {words} 2> >(grep -v 'no store' >&2) | :"
    run = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert run.stderr == ""


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is a Linux device")
def test_given_a_full_disk_behind_stdout_then_one_line():
    with open("/dev/full", "w") as full:  # noqa: PTH123
        run = subprocess.run(
            [*COMMAND, "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert run.returncode == 1
    assert run.stderr == "bridgerag: the system refused: [Errno 28] No space left on device\n"
