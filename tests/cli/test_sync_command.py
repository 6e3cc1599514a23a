"""Following a folder from the command line, and metadata given and asked for there."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import bridgerag

# A shell may have its background processes ignore interrupts.
FOLLOW = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from bridgerag.cli import main
main()
"""


@pytest.fixture
def notes(in_folder):
    folder = in_folder / "notes"
    folder.mkdir()
    (folder / "gate.md").write_text("# Gate\n\nThe Amber Gate opens at noon.\n")
    (folder / "team.md").write_text("# Team\n\nIlse Varrow leads the team.\n")
    return folder


def test_sync_prints_the_difference_first_and_then_makes_it_none(run, notes):
    run("add", "notes", "--embedding", "none")
    (notes / "later").mkdir()
    (notes / "gate.md").rename(notes / "later" / "gate.md")
    (notes / "team.md").unlink()
    (notes / "new.md").write_text("# New\n\nA new note.\n")
    lines = run("sync", "notes", "--dry-run").stdout.splitlines()
    assert lines == [
        "  added    notes/new.md",
        "  removed  notes/team.md",
        "  moved    notes/gate.md -> notes/later/gate.md",
        "1 added, 1 moved, 1 removed; nothing was done, as --dry-run asks",
    ]
    assert run("sync", "notes").stdout.splitlines()[:3] == lines[:3]
    form = json.loads(run("sync", "notes", "--json").stdout)
    assert (form["added"], form["moved"], form["removed"]) == ([], [], [])
    assert len(form["unchanged"]) == 2
    assert form["done"]["unchanged"] == 2


def test_sync_of_a_missing_folder_is_refused_in_a_line(run, notes):
    run("add", "notes", "--embedding", "none")
    result = run("sync", "elsewhere", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["error"]["type"] == "UnreadableFile"
    assert "nothing was changed" in result.stderr


def test_remove_takes_a_pattern(run, notes):
    run("add", "notes", "--embedding", "none")
    assert run("remove", "notes/t*").stdout == "removed notes/team.md\n"
    again = run("remove", "notes/t*")
    assert again.exit_code == 1
    assert "no document is called 'notes/t*'" in again.stderr


def test_metadata_is_given_with_add_and_asked_for_with_where(run, notes):
    words = ("year=2020", "lang=en", "final=true", 'code="007"', "zip=007", "odd=NaN", "a=b=c")
    given = [word for pair in words for word in ("--meta", pair)]
    assert run("add", "notes", "--embedding", "none", *given).exit_code == 0
    for command in ("search", "ask"):
        for where, found in {
            "year >= 2020 and final = true": True,
            "code = '007' and zip = '007' and odd = 'NaN' and a = 'b=c'": True,
            "lang != 'en'": False,
        }.items():
            form = json.loads(run(command, "Amber Gate", "--where", where, "--json").stdout)
            assert bool(form["hits"]) == found
    wrong = run("search", "Amber Gate", "--where", "year >")
    assert (wrong.exit_code, len(wrong.stderr.splitlines())) == (2, 1)
    assert run("add", "notes", "--meta", "year").exit_code == 2


def test_watch_follows_one_folder_and_looks_now_and_then(run, notes):
    assert run("add", "--watch", "notes", "notes").exit_code == 2
    assert run("add", "--watch", "notes", "--interval", "0").exit_code == 2
    assert run("add", "--watch", "missing").exit_code == 1


def test_watch_syncs_what_has_come_to_rest_until_it_is_interrupted(notes, in_folder):
    words = ("add", "--watch", "notes", "--interval", "0.4", "--embedding", "none")
    with subprocess.Popen(
        [sys.executable, "-c", FOLLOW, *words], stdout=subprocess.PIPE, text=True, cwd=in_folder
    ) as follower:
        try:
            assert {next(follower.stdout) for _ in range(2)} == {
                "  added    notes/gate.md\n",
                "  added    notes/team.md\n",
            }
            with (notes / "log.txt").open("w") as growing:
                for number in range(20):
                    growing.write(f"Line {number} of the growing log.\n")
                    growing.flush()
                    os.fsync(growing.fileno())
                    time.sleep(0.05)
            assert next(follower.stdout) == "  added    notes/log.txt\n"
            (notes / "gate.md").rename(notes / "door.md")
            assert next(follower.stdout) == "  moved    notes/gate.md -> notes/door.md\n"
            (notes / "team.md").unlink()
            assert next(follower.stdout) == "  removed  notes/team.md\n"
            follower.send_signal(signal.SIGINT)
            rest = follower.stdout.read()
        finally:
            follower.kill()
    assert rest == "watched until now: 3 added, 0 changed, 1 moved, 1 removed\n"
    assert follower.returncode == 0
    with bridgerag.open(in_folder / "bridge.store") as bridge:
        assert "Line 19 of the growing log." in bridge.text(str(notes / "log.txt"))
        assert len(bridge.documents()) == 2
