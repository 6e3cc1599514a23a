"""The commands that look after a store: check --repair, reembed, backup."""

import json
import shutil

import pytest


@pytest.fixture
def copy(store, tmp_path):
    return shutil.copytree(store, tmp_path / "copy.store")


def test_check_repair_rebuilds_a_damaged_file_and_says_so(run, copy):
    (path,) = copy.glob("segments/*/lexical.bin")
    before = path.read_bytes()
    path.write_bytes(before[:-1])
    found = run("check", "--store", copy)
    assert found.exit_code == 1
    assert "check --repair" in found.stdout
    repaired = json.loads(run("check", "--repair", "--store", copy, "--json").stdout)
    assert repaired["ok"] is True
    assert repaired["repaired"] == ["rebuilt segment 1"]
    (path,) = copy.glob("segments/*/lexical.bin")
    assert path.read_bytes() == before
    assert run("search", "brass key", "--store", copy).exit_code == 0


def test_reembed_changes_the_model_and_another_is_then_refused(run, copy):
    result = run("reembed", "--embedding", "minilm", "--store", copy)
    assert result.exit_code == 0, result.output
    assert "with minilm" in result.stdout
    status = json.loads(run("status", "--store", copy, "--json").stdout)
    assert (status["dim"], status["settings"]["embedding"]) == (384, "minilm")
    assert run("search", "brass key", "--store", copy).exit_code == 0
    back = json.loads(run("reembed", "--embedding", "none", "--store", copy, "--json").stdout)
    assert back["dim"] == 0
    assert run("reembed", "--embedding", "unheard-of", "--store", copy).exit_code == 2


def test_backup_copies_to_a_new_folder_only(run, copy, tmp_path):
    there = tmp_path / "there"
    assert run("backup", there, "--store", copy).stdout.startswith("copied ")
    assert json.loads(run("check", "--store", there, "--json").stdout)["ok"] is True
    again = run("backup", there, "--store", copy, "--json")
    assert again.exit_code == 2
    assert "new or an empty folder" in json.loads(again.stdout)["error"]["message"]


def test_status_shows_the_hash_of_the_content(run, store):
    status = json.loads(run("status", "--store", store, "--json").stdout)
    assert status["content_hash"] in run("status", "--store", store).stdout
