"""Reading in processes gives what reading here gives, whatever happens to a process."""

import os
import signal
import subprocess
import sys
from io import BytesIO
from pathlib import Path

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


def test_stopping_breaks_off_a_process_that_is_only_starting(files, monkeypatch):
    monkeypatch.setattr(apart, "_PROGRAM", "import sys; sys.stdin.read()")
    readers = apart.Readers(1)
    begun = readers.read(files[0])
    while not readers._busy:
        assert not begun.done()
    readers.stop()
    assert "broke off" in begun.result()[0].reason
    assert readers._served is False


def test_given_it_was_stopped_then_no_process_starts_and_nothing_is_read_here(files, monkeypatch):
    readers = apart.Readers(1)
    readers.stop()
    monkeypatch.setattr(apart, "load", lambda path: pytest.fail(f"{path} is read"))
    assert "broke off" in readers._read(files[0])[0].reason
    assert not readers._busy


def test_given_a_program_that_never_answers_then_files_are_read_here(readers, files, monkeypatch):
    monkeypatch.setattr(apart, "_PROGRAM", "import sys; sys.stdin.read()")
    monkeypatch.setattr(apart, "_START_S", 0.2)
    assert readers.read(files[0]).result() == list(load(files[0]))


@pytest.fixture
def started(monkeypatch):
    """The processes that are started."""
    begun = []
    popen = subprocess.Popen

    def start(*args, **options):
        begun.append(popen(*args, **options))
        return begun[-1]

    monkeypatch.setattr(apart.subprocess, "Popen", start)
    return begun


@pytest.mark.parametrize(
    ("name", "value"), [("executable", None), ("executable", ""), ("frozen", True)]
)
def test_given_no_interpreter_to_start_then_none_is_and_files_are_read_here(
    readers, files, started, monkeypatch, name, value
):
    monkeypatch.setattr(sys, name, value, raising=False)
    assert readers.read(files[0]).result() == list(load(files[0]))
    assert not started


def test_given_a_process_that_did_not_start_then_no_other_is_tried(files, started, monkeypatch):
    monkeypatch.setattr(apart, "_PROGRAM", "raise SystemExit")
    readers = apart.Readers(1)
    for path in files:
        assert readers.read(path).result() == list(load(path))
    assert len(started) == 1
    readers.stop()


def test_given_a_path_object_among_the_import_paths_then_it_is_left_out(
    readers, files, started, tmp_path, monkeypatch
):
    monkeypatch.setattr(sys, "path", [*sys.path, Path(tmp_path)])
    assert readers.read(files[0]).result() == list(load(files[0]))
    assert started


def test_what_imports_print_is_no_answer(readers, files, started, monkeypatch):
    printing = "import os; os.write(1, b'hello\\nno end of line'); "
    monkeypatch.setattr(apart, "_PROGRAM", printing + apart._PROGRAM)
    for path in files:
        assert readers.read(path).result() == list(load(path))
    assert len(started) <= 2


def test_what_is_typed_at_a_terminal_does_not_reach_a_process(readers, files, started):
    readers.read(files[0]).result()
    assert os.getpgid(started[0].pid) != os.getpgid(0)


def test_given_its_reader_has_gone_then_a_process_ends_without_a_word(files):
    program = "import sys; sys.stdin.readline(); " + apart._PROGRAM
    worker = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    worker.stdout.close()
    worker.stdin.write(b"go\n")
    worker.stdin.close()
    assert worker.stderr.read() == b""
    assert worker.wait() == 0
    worker.stderr.close()


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
