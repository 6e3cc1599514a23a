"""A store that follows a folder: what is read again, embedded again, removed, and what is not."""

import gzip
import itertools
import os
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bridgerag
from bridgerag.errors import DocumentNotFound, UnreadableFile
from bridgerag.ingest import changes, watch
from bridgerag.ingest import reading as ingest

HOW = bridgerag.Settings(embedding="none", chunk_tokens=16, window=2, branching=2)
LONG_AGO = 1_500_000_000


@pytest.fixture
def counted(hashed):
    """An embedder that notes what it is asked to embed."""
    embed, hashed.texts = hashed.embed, []

    def noting(texts, on_done=None):
        hashed.texts += texts
        return embed(texts, on_done)

    hashed.embed = noting
    return hashed


@pytest.fixture
def bridge(tmp_path, counted):
    with bridgerag.open(tmp_path / "store", settings=HOW, embedder=counted) as bridge:
        yield bridge


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    write(folder / "gate.md", "# Gate\n\n" + "The Amber Gate opens at noon. " * 12)
    write(folder / "team.md", "# Team\n\nIlse Varrow leads the Redis Cluster team.\n")
    return folder


def write(path, text, modified=LONG_AGO):
    """Write a file as if it had lain there for years."""
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (modified, modified))


def forbid_reading(monkeypatch):
    def refuse(*args):
        raise AssertionError("a file was read")

    monkeypatch.setattr(ingest, "load", refuse)
    monkeypatch.setattr(changes.hashlib, "file_digest", refuse)


def segments(bridge):
    bridge.compact()
    return {path.name: path.read_bytes() for path in bridge.path.glob("segments/*/*")}


# ---- what has not changed


def test_given_unchanged_files_then_they_are_not_even_opened(bridge, folder, monkeypatch):
    bridge.add(folder)
    forbid_reading(monkeypatch)
    assert bridge.add(folder).unchanged == 2
    assert len(bridge.sync(folder).unchanged) == 2


def test_given_a_touched_file_then_it_is_hashed_once_and_not_read(bridge, folder, monkeypatch):
    bridge.add(folder)
    os.utime(folder / "team.md", (LONG_AGO + 9, LONG_AGO + 9))
    monkeypatch.setattr(ingest, "load", None)
    assert bridge.add(folder).unchanged == 2
    forbid_reading(monkeypatch)
    assert bridge.add(folder).unchanged == 2


def test_given_a_change_within_the_tick_of_its_reading_then_it_is_noticed(bridge, folder):
    note, now = folder / "team.md", time.time()
    write(note, "# Team\n\nIlse Varrow leads them all.\n", now)
    bridge.add(folder)
    write(note, "# Team\n\nOtto Varrow leads them all.\n", now)  # same size, same time
    assert bridge.add(folder).changed == 1
    assert "Otto" in bridge.text(str(note))


# ---- what need not be embedded again


def test_given_a_moved_file_then_nothing_is_embedded_and_the_bytes_are_the_same(
    bridge, folder, counted, tmp_path
):
    bridge.add(folder)
    (folder / "old").mkdir()
    (folder / "gate.md").rename(folder / "old" / "gate.md")
    counted.texts.clear()
    report = bridge.sync(folder)
    assert counted.texts == []
    (move,) = report.moved
    assert (move.old, move.new) == (str(folder / "gate.md"), str(folder / "old" / "gate.md"))
    assert (report.added, report.changed, report.removed) == ((), (), ())
    assert sorted(ref.source for ref in bridge.documents()) == [
        str(folder / "old" / "gate.md"),
        str(folder / "team.md"),
    ]
    with bridgerag.open(tmp_path / "fresh", settings=HOW, embedder=counted) as fresh:
        fresh.add(folder)
        assert segments(bridge) == segments(fresh)


def test_given_a_file_that_grew_then_only_its_new_chunks_are_embedded(bridge, folder, counted):
    bridge.add(folder)
    gate = folder / "gate.md"
    write(gate, gate.read_text() + "\n\nA porter named Odile Fenn keeps the key.\n", LONG_AGO + 9)
    counted.texts.clear()
    assert bridge.add(folder).changed == 1
    assert counted.texts
    assert all("Odile" in text for text in counted.texts)


def test_given_a_renamed_file_whose_title_is_its_name_then_it_is_embedded_by_its_new_title(
    bridge, folder, counted
):
    write(folder / "plain.txt", "The brass key opens the dome.")
    bridge.add(folder)
    (folder / "plain.txt").rename(folder / "dome.txt")
    counted.texts.clear()
    assert len(bridge.sync(folder).moved) == 1
    assert counted.texts == ["dome\nThe brass key opens the dome."]


def test_given_damaged_vectors_then_they_are_not_taken_over(bridge, folder, counted):
    write(folder / "more.md", "# More\n\n" + "There is more that stays as it is. " * 20)
    bridge.add(folder)
    (path,) = bridge.path.glob("segments/*/vectors.bin")
    damaged = bytearray(path.read_bytes())
    damaged[70] ^= 1
    path.write_bytes(damaged)
    (folder / "gate.md").rename(folder / "moved.md")
    counted.texts.clear()
    bridge.sync(folder)
    assert counted.texts


# ---- making the store equal the folder


def test_sync_adds_changes_and_removes_until_store_and_folder_are_equal(bridge, folder):
    bridge.add(folder)
    write(folder / "gate.md", "# Gate\n\nThe Amber Gate is shut.\n", LONG_AGO + 9)
    write(folder / "new.md", "# New\n\nA new note.\n")
    (folder / "team.md").unlink()
    expected = {
        "added": (str(folder / "new.md"),),
        "changed": (str(folder / "gate.md"),),
        "removed": (str(folder / "team.md"),),
    }
    first = bridge.sync(folder, dry_run=True)
    assert {name: getattr(first, name) for name in expected} == expected
    assert first.done is None
    assert len(bridge.documents()) == 2
    assert "opens at noon" in bridge.text(str(folder / "gate.md"))
    report = bridge.sync(folder)
    assert {name: getattr(report, name) for name in expected} == expected
    assert (report.done.added, report.done.changed, report.done.removed) == (1, 1, 1)
    assert [d.source for d in bridge.documents()] == [
        str(folder / "gate.md"),
        str(folder / "new.md"),
    ]
    assert not bridge.sync(folder).differs
    assert bridge.check().problems == ()


def test_sync_leaves_alone_what_is_not_of_the_folder(bridge, folder, tmp_path):
    write(tmp_path / "notes2" / "other.md", "# Other\n\nAnother folder.\n")
    bridge.add(folder, tmp_path / "notes2", documents=[bridgerag.Document("d", "", "web", "Hm.")])
    (folder / "team.md").unlink()
    assert bridge.sync(folder).removed == (str(folder / "team.md"),)
    assert len(bridge.documents()) == 3


def test_given_a_file_that_cannot_be_read_now_then_its_old_documents_stay(bridge, folder):
    bridge.add(folder)
    write(folder / "team.md", "", LONG_AGO + 9)
    report = bridge.sync(folder)
    assert [skipped.source for skipped in report.skipped] == [str(folder / "team.md")]
    assert not report.differs
    assert "Ilse Varrow" in bridge.text(str(folder / "team.md"))


def test_given_a_file_that_breaks_off_then_the_documents_not_reached_stay(bridge, folder):
    rows = folder / "rows.jsonl.gz"
    text = "".join(f'{{"id": "r{n}", "text": "Row {n} {n**9}."}}\n' for n in range(2000))
    rows.write_bytes(gzip.compress(text.encode()))
    bridge.add(folder)
    rows.write_bytes(gzip.compress(text.encode())[:-4000])
    report = bridge.sync(folder)
    assert len(report.skipped) == 1
    assert report.done.removed == 0
    assert len(bridge.documents()) == 2002
    rows.write_bytes(gzip.compress(text.encode()))
    assert bridge.sync(folder).skipped == ()


def test_given_a_folder_that_cannot_be_looked_into_then_what_it_held_stays(
    bridge, folder, monkeypatch
):
    write(folder / "deep" / "well.md", "# Well\n\nDeep down.\n")
    bridge.add(folder)
    listdir = os.listdir

    def deny(path):
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied")
        return listdir(path)

    monkeypatch.setattr(os, "listdir", deny)
    report = bridge.sync(folder)
    assert not report.differs
    assert report.skipped[0].source == str(folder / "deep")
    assert len(bridge.documents()) == 3


@pytest.mark.parametrize("state", ["missing", "empty", "file"])
def test_given_a_folder_that_is_missing_or_empty_then_nothing_is_removed(bridge, folder, state):
    bridge.add(folder)
    for path in folder.iterdir():
        path.unlink()
    if state != "empty":
        folder.rmdir()
    if state == "file":
        folder.write_text("x")
    with pytest.raises(UnreadableFile, match="nothing was changed"):
        bridge.sync(folder)
    assert len(bridge.documents()) == 2


def test_given_no_store_yet_then_a_dry_run_makes_none(bridge, folder):
    assert len(bridge.sync(folder, dry_run=True).added) == 2
    assert not bridge.path.exists()
    assert len(bridge.sync(folder).added) == 2


def test_given_rows_that_moved_with_their_file_then_they_stay(bridge, folder, counted):
    write(folder / "a.jsonl", '{"id": "one", "text": "Alpha."}\n{"id": "two", "text": "Beta."}\n')
    bridge.add(folder)
    (folder / "a.jsonl").rename(folder / "b.jsonl")
    counted.texts.clear()
    assert len(bridge.sync(folder).moved) == 1
    assert {d.id: d.source for d in bridge.documents()}["two"] == str(folder / "b.jsonl")
    assert not bridge.sync(folder).differs
    assert len(bridge.documents()) == 4


def test_given_an_id_that_was_taken_then_the_file_is_read_again_once_it_is_free(bridge, folder):
    write(folder / "a.jsonl", '{"id": "one", "text": "Alpha."}\n')
    write(folder / "b.jsonl", '{"id": "one", "text": "Beta."}\n{"id": "two", "text": "Gamma."}\n')
    assert "already belongs" in bridge.sync(folder).skipped[0].reason
    (folder / "a.jsonl").unlink()
    bridge.sync(folder)
    assert not bridge.sync(folder).skipped
    assert bridge.text("one") == "Beta."


def test_given_rows_whose_old_file_is_now_ignored_then_they_move_at_once(bridge, folder):
    write(folder / "a.jsonl", '{"id": "one", "text": "Alpha."}\n')
    bridge.add(folder)
    write(folder / "b.jsonl", '{"id": "one", "text": "Alpha."}\n')
    report = bridge.sync(folder, ignore=["a.jsonl"])
    assert report.skipped == ()
    assert {d.id: d.source for d in bridge.documents()}["one"] == str(folder / "b.jsonl")
    assert not bridge.sync(folder, ignore=["a.jsonl"]).differs


CHANGES = st.lists(
    st.tuples(st.sampled_from(("write", "delete", "move")), *[st.integers(0, 4)] * 2), max_size=5
)


def change(folder, action, name, other, clock):
    path = folder / f"{name}.md"
    if action == "write":
        text = f"# Note\n\n{'The Amber Gate opens. ' * (other + 1)}Then Otto Varrow leaves.\n"
        write(path, text, next(clock))
    elif path.exists() and action == "delete":
        path.unlink()
    elif path.exists():
        path.rename(folder / f"{other}.md")


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(rounds=st.lists(CHANGES, min_size=1, max_size=4))
def test_after_any_changes_a_synced_store_is_the_store_of_the_folder(hashed, rounds):
    with tempfile.TemporaryDirectory() as work, ExitStack() as stack:
        folder, clock = Path(work) / "notes", itertools.count(LONG_AGO)
        write(folder / "kept.md", "# Kept\n\nThis stays.\n")
        synced, fresh = (
            stack.enter_context(bridgerag.open(Path(work) / name, settings=HOW, embedder=hashed))
            for name in ("synced", "fresh")
        )
        for changes_made in rounds:
            for made in changes_made:
                change(folder, *made, clock)
            synced.sync(folder)
            assert not synced.sync(folder).differs
        fresh.add(folder)
        assert synced.documents() == fresh.documents()
        assert segments(synced) == segments(fresh)


# ---- metadata


def test_metadata_given_once_is_kept_when_a_file_changes_and_replaced_when_given_anew(
    bridge, folder, monkeypatch
):
    bridge.add(folder, metadata={"year": 2020})
    write(folder / "team.md", "# Team\n\nA changed note on the Redis Cluster.\n", LONG_AGO + 9)
    bridge.add(folder)
    assert bridge.search("Redis Cluster", where="year = 2020").hits
    assert len(bridge.sync(folder, metadata={"year": 2021}).changed) == 2
    assert not bridge.search("Redis Cluster", where="year = 2020").hits
    forbid_reading(monkeypatch)
    assert bridge.add(folder, metadata={"year": 2021}).unchanged == 2


def test_metadata_given_goes_with_a_file_that_moves(bridge, folder, counted):
    bridge.add(folder, metadata={"year": 2020})
    (folder / "team.md").rename(folder / "people.md")
    counted.texts.clear()
    bridge.sync(folder)
    assert counted.texts == []
    (hit, *_) = bridge.search("Ilse Varrow", where="year = 2020").hits
    assert hit.document.source == str(folder / "people.md")


def test_given_a_row_whose_id_no_file_could_hold_then_it_is_unchanged_later(bridge, folder):
    write(folder / "odd.jsonl", r'{"id": "\ud800", "text": "Odd."}' + "\n")
    bridge.add(folder)
    write(folder / "odd.jsonl", r'{"id": "\ud800", "text": "Odd."}' + "\n\n", LONG_AGO + 9)
    assert bridge.add(folder).removed == 0
    assert len(bridge.documents()) == 3


# ---- removing by pattern


def test_remove_takes_a_pattern_of_ids_or_of_paths(bridge, folder, monkeypatch, tmp_path):
    rows = [bridgerag.Document(f"row-{n}", "", "web", f"Row {n}.") for n in range(3)]
    write(folder / "2019" / "may.md", "# May\n\nA note.\n")
    write(folder / "2019" / "deep" / "june.md", "# June\n\nA note.\n")
    bridge.add(folder, documents=rows)
    monkeypatch.chdir(tmp_path)
    removed = bridge.remove("notes/2019/*", "row-[12]")
    assert [ref.id for ref in removed] == [
        str(folder / "2019" / "deep" / "june.md"),
        str(folder / "2019" / "may.md"),
        "row-1",
        "row-2",
    ]
    with pytest.raises(DocumentNotFound):
        bridge.remove("row-0", "notes/2019/*")
    assert len(bridge.documents()) == 3


def test_a_name_with_signs_of_a_pattern_means_that_document_first(bridge, tmp_path, monkeypatch):
    home = tmp_path / "[a]*"
    write(home / "note.md", "# Note\n\nHere.\n")
    write(tmp_path / "a" / "note.md", "# Note\n\nThere.\n")
    bridge.add(tmp_path / "a", home, documents=[bridgerag.Document("n*", "", "", "Star.")])
    bridge.add(documents=[bridgerag.Document("none", "", "", "No star.")])
    assert [ref.id for ref in bridge.remove("n*")] == ["n*"]
    monkeypatch.chdir(home)
    assert [ref.id for ref in bridge.remove("n*te.md")] == [str(home / "note.md")]


# ---- watching


def test_a_watched_folder_that_is_emptied_is_waited_for(bridge, folder):
    reports = bridge.watch(folder, interval_s=0.05)
    assert len(next(reports).added) == 2
    kept = {path: path.read_text() for path in folder.iterdir()}
    for path in kept:
        path.unlink()
    (skipped,) = next(reports).skipped
    assert "nothing was changed" in skipped.reason
    for path, text in kept.items():
        write(path, text)
    write(folder / "new.md", "# New\n\nA new note.\n")
    assert next(reports).skipped == ()
    while len(bridge.documents()) < 3:
        next(reports)
    reports.close()


def test_a_file_that_is_still_growing_is_left_alone(bridge, folder, monkeypatch):
    lines = []

    def sleep(_):
        if len(lines) < 6:
            lines.append("A line of the log.\n")
            write(folder / "log.txt", "".join(lines))

    monkeypatch.setattr(watch, "time", SimpleNamespace(sleep=sleep, perf_counter=time.perf_counter))
    reports = bridge.watch(folder)
    assert len(next(reports).added) == 2
    assert next(reports).added == (str(folder / "log.txt"),)
    assert bridge.text(str(folder / "log.txt")).count("line") == 6
