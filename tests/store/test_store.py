"""A store that is reopened, changed, killed, copied, damaged and misused."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import bridgerag
from bridgerag.errors import (
    DocumentNotFound,
    FormatTooNew,
    InputError,
    ModelMismatch,
    NotAStore,
    StoreBusy,
    StoreDamaged,
    StoreMissing,
)
from bridgerag.store import Store

HOW = bridgerag.Settings(embedding="none", chunk_tokens=16, window=2, branching=2)


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "caching.txt").write_text(
        "Caching decisions. The Varnish Layer was dropped in May. "
        "Redis Cluster keeps the sessions. Nobody misses the Varnish Layer."
    )
    (folder / "people.md").write_text("# People\n\nIlse Varrow leads the Redis Cluster team.\n")
    return folder


@pytest.fixture
def opened(tmp_path, hashed):
    with bridgerag.open(tmp_path / "store", settings=HOW, embedder=hashed) as bridge:
        yield bridge


def hits(bridge, question="Who leads the Redis Cluster team?"):
    return [(h.document.id, h.chunk, h.score, h.text) for h in bridge.search(question).hits]


def test_given_a_store_when_reopened_then_it_answers_the_same(opened, notes, hashed):
    opened.add(notes)
    with bridgerag.open(opened.path, embedder=hashed) as again:
        assert hits(again) == hits(opened)
        assert hits(again)


def test_given_a_copied_store_then_it_opens_as_it_is(opened, notes, hashed, tmp_path):
    opened.add(notes)
    opened.close()
    shutil.copytree(opened.path, tmp_path / "copy")
    with bridgerag.open(tmp_path / "copy", embedder=hashed) as copy:
        assert hits(copy) == hits(opened)


def test_given_unchanged_files_when_added_again_then_nothing_is_written(opened, notes):
    opened.add(notes)
    before = opened.status()
    again = opened.add(notes)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 2)
    assert opened.status().segments == before.segments


def test_given_a_changed_file_then_the_new_text_replaces_the_old(opened, notes):
    opened.add(notes)
    (notes / "people.md").write_text("# People\n\nTavish Ureno leads the Redis Cluster team.\n")
    report = opened.add(notes)
    assert (report.added, report.changed, report.unchanged) == (0, 1, 1)
    texts = " ".join(text for *_, text in hits(opened))
    assert "Tavish Ureno" in texts
    assert "Ilse Varrow" not in texts
    assert opened.status().documents == 2


def test_given_a_removed_document_then_no_search_finds_it(opened, notes):
    opened.add(notes)
    (gone,) = opened.remove(str(notes / "people.md"))
    assert gone.title == "People"
    for method in ("bridge", "naive"):
        context = opened.search("Ilse Varrow Redis Cluster", method=method, k=50)
        assert context.hits
        assert all(hit.document.id != gone.id for hit in context.hits)
        assert all(entity.text != "Ilse Varrow" for entity in context.entities)
    with pytest.raises(DocumentNotFound):
        opened.text(gone.id)
    assert opened.check().problems == ()


def test_given_a_removed_document_when_added_again_then_it_is_back(opened, notes):
    opened.add(notes)
    opened.remove(str(notes / "people.md"))
    assert opened.add(notes).added == 1
    assert any("Ilse Varrow" in text for *_, text in hits(opened))


def test_given_one_unknown_name_then_nothing_is_removed(opened, notes):
    opened.add(notes)
    with pytest.raises(DocumentNotFound, match="ghost"):
        opened.remove(str(notes / "people.md"), "ghost")
    assert opened.status().documents == 2


def test_the_stored_text_is_the_extracted_text(opened, notes):
    opened.add(notes)
    text = opened.text(str(notes / "caching.txt"))
    assert text.strip() == (notes / "caching.txt").read_text()
    for hit in opened.search("Varnish Layer", k=50).hits:
        assert opened.text(hit.document.id)[hit.start : hit.end] == hit.text


def test_given_rows_that_left_their_file_then_they_are_removed(opened, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "a", "text": "Alpha Quill"}\n{"id": "b", "text": "Beta Quill"}\n')
    opened.add(rows)
    rows.write_text('{"id": "b", "text": "Beta Quill"}\n{"id": "c", "text": "Gamma Quill"}\n')
    report = opened.add(rows)
    assert (report.added, report.unchanged, report.removed) == (1, 1, 1)
    assert [d.id for d in opened.documents()] == ["b", "c"]


def test_given_two_files_with_one_id_then_the_second_is_named(opened, tmp_path):
    for name in ("one.jsonl", "two.jsonl"):
        (tmp_path / name).write_text('{"id": "same", "text": "Some text."}\n')
    report = opened.add(tmp_path / "one.jsonl", tmp_path / "two.jsonl")
    assert report.added == 1
    assert "'same' already belongs to" in report.skipped[0].reason


def test_given_several_batches_then_a_tie_goes_to_the_lower_document_id(opened):
    for name in ("c", "a", "b"):
        opened.add(documents=[bridgerag.Document(name, "", "", "The Amber Gate opens.")])
    found = opened.search("Amber Gate")
    assert [hit.document.id for hit in found.hits] == ["a", "b", "c"]


KILLED = """
    import os, signal, sys
    import bridgerag
    from bridgerag.store import writer
    settings = bridgerag.Settings(embedding="none")
    bridge = bridgerag.open(sys.argv[1], settings=settings)
    bridge.add(documents=[bridgerag.Document("kept", "", "", "The first note stays.")])
    name_segment = writer.name_segment
    def die(*args):  # the files are on the disk, the rows are in the transaction
        name_segment(*args)
        os.kill(os.getpid(), signal.SIGKILL)
    writer.name_segment = die
    bridge.add(documents=[bridgerag.Document("lost", "", "", "The second never lands.")])
"""


def test_given_a_writer_killed_inside_a_commit_then_the_store_is_as_before_it(tmp_path):
    store = tmp_path / "store"
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(store)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert len(list((store / "segments").iterdir())) == 2
    with bridgerag.open(store) as bridge:
        assert [d.id for d in bridge.documents()] == ["kept"]
        bridge.add(documents=[bridgerag.Document("next", "", "", "The third one lands.")])
        assert bridge.check().problems == ()
        assert [d.id for d in bridge.documents()] == ["kept", "next"]


def test_given_two_writers_then_one_waits_and_gives_up_with_a_word(opened, notes):
    opened.add(notes)
    other = Store(opened.path)
    with (
        Store(opened.path).writing(),
        pytest.raises(StoreBusy, match="another process is writing"),
        other.writing(timeout_s=0.1),
    ):
        pass


def test_given_a_reader_in_another_thread_then_it_sees_whole_commits_only(opened, notes):
    opened.add(notes)
    seen, stop = set(), threading.Event()

    def read():
        while not stop.is_set():
            seen.add(len(opened.search("Amber Gate Redis", k=50, method="naive").hits))

    reader = threading.Thread(target=read)
    reader.start()
    before = len(opened.search("Amber Gate Redis", k=50, method="naive").hits)
    made = [bridgerag.Document(f"n{i}", "", "", "The Amber Gate opens.") for i in range(3)]
    opened.add(documents=made)
    time.sleep(0.2)
    stop.set()
    reader.join()
    assert seen <= {before, before + 3}
    assert before + 3 in seen


def test_given_no_store_then_the_error_says_how_to_make_one(tmp_path):
    with pytest.raises(StoreMissing, match="bridgerag add"):
        bridgerag.open(tmp_path / "nothing").search("anything")
    assert not (tmp_path / "nothing").exists()


def test_given_a_file_or_a_full_folder_then_it_is_no_store(tmp_path, notes):
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", notes):
        with pytest.raises(NotAStore):
            bridgerag.open(path)


def test_given_another_model_then_it_is_refused_with_both_names(opened, notes, hashed):
    opened.add(notes)
    hashed.fingerprint, hashed.name = "hashed-2", "hashed two"
    with pytest.raises(ModelMismatch, match=r"model hashed two, and hashed two|hashed"):
        bridgerag.open(opened.path, embedder=hashed)


def test_given_other_settings_then_they_are_refused(opened, notes, hashed):
    opened.add(notes)
    with pytest.raises(InputError, match="window is 3; it must be 2, as the store was built"):
        bridgerag.open(opened.path, settings=bridgerag.Settings("none", 16, 3, 2), embedder=hashed)


def test_given_some_settings_by_name_then_only_those_must_agree(opened, notes, hashed):
    opened.add(notes)
    with bridgerag.open(opened.path, settings={"window": 2}, embedder=hashed) as again:
        assert again.status().documents == 2
    with pytest.raises(InputError, match="branching is 9"):
        bridgerag.open(opened.path, settings={"branching": 9}, embedder=hashed)
    with pytest.raises(InputError, match="a setting is 'lifting'"):
        bridgerag.open(opened.path, settings={"lifting": 2})


def test_given_a_later_format_then_the_remedy_is_to_upgrade(opened, notes):
    opened.add(notes)
    opened.close()
    with sqlite3.connect(opened.path / "catalog.sqlite") as catalog:
        catalog.execute("UPDATE meta SET value = '99' WHERE key = 'format'")
    catalog.close()
    with pytest.raises(FormatTooNew, match="upgrade"):
        bridgerag.open(opened.path)


@pytest.mark.parametrize("name", ["vectors.bin", "forest.bin", "entities.bin", "lexical.bin"])
def test_given_a_file_cut_short_then_opening_says_which(opened, notes, hashed, name):
    opened.add(notes)
    opened.close()
    (path,) = opened.path.glob(f"segments/*/{name}")
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(StoreDamaged, match=name):
        bridgerag.open(opened.path, embedder=hashed).search("Redis")


def test_given_an_altered_byte_then_check_names_the_file(opened, notes):
    opened.add(notes)
    opened.close()
    (path,) = opened.path.glob("segments/*/vectors.bin")
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(whole)
    (problem,) = opened.check().problems
    assert "vectors.bin" in problem
    assert "checksum" in problem


def test_given_garbage_in_place_of_the_catalog_then_it_is_damaged(opened, notes):
    opened.add(notes)
    opened.close()
    for side in opened.path.glob("catalog.sqlite-*"):
        side.unlink()
    (opened.path / "catalog.sqlite").write_bytes(b"garbage" * 1000)
    with pytest.raises(StoreDamaged):
        bridgerag.open(opened.path)


def test_status_counts_what_is_there(opened, notes):
    opened.add(notes)
    status = opened.status()
    assert (status.documents, status.segments, status.embedding) == (2, 1, "hashed")
    assert status.chunks >= 2
    assert status.settings["window"] == 2
    assert status.last_commit.endswith("+00:00")
