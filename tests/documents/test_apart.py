"""Reading in processes gives what reading here gives, whatever happens to a process."""

import os
import signal
from io import BytesIO

import pytest

import bridgerag
from bridgerag.documents import apart, load
from bridgerag.types import Skipped


@pytest.fixture
def readers():
    made = apart.Readers(2)
    yield made
    made.stop()


@pytest.fixture
def files(tmp_path):
    texts = {
        "plain.txt": "One line.\n\nAnother: “quoted”, 漢字, \U0001f916.",
        "notes.md": "---\ntitle: Notes\nyear: 2020\nratio: 0.5\n---\n# Head\n\nBody.\n\n## Sub",
        "rows.jsonl": '{"id": "a", "text": "x"}\nbroken\n{"id": "b", "text": "y", "n": null}\n',
        "table.csv": "name,year\nGate,1999\nMill,2001\n",
        "empty.txt": "",
        "broken.pdf": "no PDF",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    return [*map(tmp_path.joinpath, texts), tmp_path / "missing.txt"]


def test_documents_come_back_as_they_are_read_here(readers, files):
    begun = [readers.read(path) for path in files]
    assert [each.result() for each in begun] == [list(load(path)) for path in files]


def test_given_a_process_that_is_killed_then_its_file_is_skipped_and_others_are_read(
    readers, files
):
    assert readers.read(files[0]).result()
    worker = readers._free()
    os.kill(worker._process.pid, signal.SIGTERM)
    worker._process.wait()
    readers._idle.put(worker)
    (skipped,) = readers.read(files[0]).result()
    assert isinstance(skipped, Skipped)
    assert "broke off" in skipped.reason
    assert readers.read(files[0]).result() == list(load(files[0]))


def test_given_no_process_can_start_then_files_are_read_here(readers, files, monkeypatch):
    monkeypatch.setattr(apart.sys, "executable", "/nowhere/python")
    assert readers.read(files[0]).result() == list(load(files[0]))


def test_given_another_program_in_pythons_place_then_files_are_read_here(
    readers, files, monkeypatch
):
    monkeypatch.setattr(apart, "_PROGRAM", "print('hello')")
    assert readers.read(files[0]).result() == list(load(files[0]))


def test_stopping_breaks_off_what_is_under_way(files, monkeypatch):
    slow = "import sys; print(chr(34) + 'ready' + chr(34), flush=True); sys.stdin.read()"
    monkeypatch.setattr(apart, "_PROGRAM", slow)
    readers = apart.Readers(1)
    begun, waiting = readers.read(files[0]), readers.read(files[1])
    while not readers._busy:
        assert not begun.done()
    readers.stop()
    assert "broke off" in begun.result()[0].reason
    assert waiting.cancelled()


def test_stopping_ends_the_processes(files):
    readers = apart.Readers(1)
    readers.read(files[0]).result()
    worker = readers._free()
    readers._idle.put(worker)
    readers.stop()
    assert worker._process.returncode == 0


def test_a_folder_of_slow_files_gives_the_same_store_by_one_core_or_three(
    tmp_path, data, monkeypatch
):
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number}.docx").write_bytes(data(number))
    (folder / "5.docx").write_bytes(b"no Word file")

    def built(cores):
        monkeypatch.setattr("bridgerag.ingest.add.usable_cores", lambda: cores)
        monkeypatch.setattr("bridgerag.ingest.reading._WORTH", 1)
        path = tmp_path / f"store-{cores}"
        with bridgerag.open(path, settings=bridgerag.Settings(embedding="none")) as bridge:
            report = bridge.add(folder)
            texts = {document.id: bridge.text(document.id) for document in bridge.documents()}
        files = {p.relative_to(path): p.read_bytes() for p in path.glob("segments/*/*")}
        return files, texts, report.skipped

    one, three = built(1), built(3)
    assert one == three
    assert len(one[1]) == 11


@pytest.fixture
def data():
    """Make the bytes of a Word file by its number."""
    docx = pytest.importorskip("docx")

    def make(number):
        document = docx.Document()
        document.add_heading(f"Chapter {number}", 1)
        document.add_paragraph(f"The harbour of Varrow {number} was built in {1900 + number}.")
        buffer = BytesIO()
        document.save(buffer)
        return buffer.getvalue()

    return make
