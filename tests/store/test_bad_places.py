"""Stores that are damaged, half deleted, read-only, on a full disk, or made twice at once."""

import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
import threading
from contextlib import closing

import pytest

import bridgerag
from bridgerag import Document
from bridgerag.errors import BridgeError, NotAStore, StoreDamaged, StoreError, StoreReadOnly
from bridgerag.store import catalog, store

HOW = bridgerag.Settings(embedding="none", chunk_tokens=16, window=2, branching=2)
WORDS = "The Quibble Street kettle boils water. Ada Quill built it in Lisbon. "


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "store"
    with bridgerag.open(path, settings=HOW) as bridge:
        bridge.add(documents=[Document(f"d{i}", "Kettles", "", WORDS * 9) for i in range(3)])
        bridge.remove("d1")
    return path


def use(path):
    """Do everything once; return how many calls were refused with an error of ours."""
    refused = 0
    for call in (
        lambda bridge: bridge.search("Who built the Quibble Street kettle?", k=50),
        lambda bridge: bridge.search("water", method="naive"),
        lambda bridge: bridge.ask("Who built the kettle?"),
        lambda bridge: bridge.status(),
        lambda bridge: bridge.tree("d0"),
        lambda bridge: bridge.text("d0"),
        lambda bridge: bridge.check(),
        lambda bridge: bridge.add(documents=[Document("new", "", "", WORDS)]),
        lambda bridge: bridge.remove("d2"),
    ):
        try:
            with bridgerag.open(path) as bridge:
                call(bridge)
        except BridgeError as error:
            assert "\n" not in str(error)
            refused += 1
    return refused


DAMAGE = {
    "cut to nothing": lambda data: b"",
    "cut in half": lambda data: data[: len(data) // 2],
    "zeroed": lambda data: bytes(len(data)),
    "zeroed behind its header": lambda data: data[:64] + bytes(max(len(data) - 64, 0)),
    "filled with ones": lambda data: data[:64] + b"\xff" * max(len(data) - 64, 0),
    "longer": lambda data: data + b"garbage!",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_given_any_file_damaged_then_every_call_answers_or_refuses(path, tmp_path, damage):
    names = [
        file.relative_to(path) for file in path.rglob("*") if file.suffix in (".bin", ".sqlite")
    ]
    assert len(names) > 3
    for name in names:
        copy = tmp_path / "copy"
        shutil.copytree(path, copy)
        file = copy / name
        file.write_bytes(DAMAGE[damage](file.read_bytes()))
        use(copy)
        shutil.rmtree(copy)


def test_given_any_file_or_folder_missing_then_every_call_refuses(path, tmp_path):
    names = [entry.relative_to(path) for entry in path.rglob("*") if entry.name != "writer.lock"]
    for name in names:
        copy = tmp_path / "copy"
        shutil.copytree(path, copy)
        entry = copy / name
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        if not name.name.endswith(("-wal", "-shm")):
            assert use(copy) >= 8, name  # `check` reports instead
        shutil.rmtree(copy)


def test_given_rows_missing_from_the_catalog_then_the_store_is_damaged(path):
    with closing(sqlite3.connect(path / "catalog.sqlite")) as catalog, catalog:
        catalog.execute("DELETE FROM chunks")
    with bridgerag.open(path) as bridge, pytest.raises(StoreDamaged, match="missing"):
        bridge.search("Quibble Street")


@pytest.mark.parametrize("change", ["DELETE FROM meta WHERE key = 'settings'",
    "UPDATE meta SET value = '[1]' WHERE key = 'settings'",
    "UPDATE meta SET value = 'x' WHERE key = 'format'",
    "UPDATE meta SET value = 'x' WHERE key = 'embedding_dim'",
    "DROP TABLE documents"])  # fmt: skip
def test_given_a_catalog_with_nonsense_in_it_then_it_is_damaged(path, change):
    with closing(sqlite3.connect(path / "catalog.sqlite")) as catalog, catalog:
        catalog.execute(change)
    with pytest.raises(StoreDamaged):
        bridgerag.open(path)


def test_given_a_finished_add_then_the_catalog_alone_is_the_whole_store(path, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(path, copy, ignore=shutil.ignore_patterns("*-wal", "*-shm", "*.lock"))
    with bridgerag.open(copy) as bridge:
        assert [ref.id for ref in bridge.documents()] == ["d0", "d2"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_given_a_store_that_cannot_be_written_then_it_is_read_and_not_changed(path):
    path.chmod(0o555)
    try:
        with bridgerag.open(path) as bridge:
            assert bridge.search("Quibble Street").hits
            with pytest.raises(StoreReadOnly):
                bridge.remove("d0")
    finally:
        path.chmod(0o755)


def test_given_a_catalog_that_refuses_to_grow_then_add_says_so_and_nothing_is_lost(
    path, monkeypatch
):
    def connect_to_full_disk(*args, **kwargs):
        connection = catalog.connect(*args, **kwargs)
        connection.execute("PRAGMA max_page_count = 1")
        return connection

    monkeypatch.setattr(store, "connect", connect_to_full_disk)
    with bridgerag.open(path) as bridge:
        with pytest.raises(StoreError, match="full"):
            bridge.add(documents=[Document("large", "", "", WORDS * 1000)])
        assert bridge.search("Quibble Street").hits
        assert [ref.id for ref in bridge.documents()] == ["d0", "d2"]
        assert bridge.check().problems == ()


def test_given_processes_that_make_a_store_at_once_then_all_succeed(tmp_path):
    (tmp_path / "note.txt").write_text(WORDS)
    code = (
        "import bridgerag, sys; bridge = bridgerag.open('store', settings=bridgerag.Settings("
        "embedding='none')); sys.stdin.readline(); bridge.add('note.txt')"
    )
    makers = [
        subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdin=subprocess.PIPE)
        for _ in range(3)
    ]
    for maker in makers:
        maker.stdin.write(b"go\n")
        maker.stdin.close()
    assert [maker.wait(60) for maker in makers] == [0, 0, 0]
    with bridgerag.open(tmp_path / "store") as bridge:
        assert (bridge.status().documents, bridge.check().problems) == (1, ())


def test_given_threads_that_make_a_store_at_once_then_all_succeed(tmp_path):
    problems = []

    def make(i):
        try:
            with bridgerag.open(tmp_path / "store", settings=HOW) as bridge:
                bridge.add(documents=[Document(f"d{i}", "", "", WORDS)])
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=make, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    with bridgerag.open(tmp_path / "store") as bridge:
        assert bridge.status().documents == 6


def test_given_a_creation_that_broke_off_then_the_next_add_completes_it(tmp_path):
    path = tmp_path / "store"
    (path / "segments").mkdir(parents=True)
    (path / "writer.lock").touch()
    (path / "catalog.new").write_bytes(b"half")
    with bridgerag.open(path, settings=HOW) as bridge:
        assert bridge.add(documents=[Document("d", "", "", WORDS)]).added == 1


def test_given_a_store_without_its_catalog_then_it_is_not_made_anew_over_the_segments(path):
    for name in ("catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm"):
        (path / name).unlink(missing_ok=True)
    with pytest.raises(NotAStore), bridgerag.open(path) as bridge:
        bridge.add(documents=[Document("d", "", "", WORDS)])
    assert any((path / "segments").iterdir())


def run_alone(code, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def many(tmp_path):
    with bridgerag.open(tmp_path / "store", settings=HOW) as bridge:
        text = "The river Volgarra runs through town. " * 8
        bridge.add(documents=[Document(f"d{i:03}", "", "", text) for i in range(300)])
        yield bridge.path


def test_a_catalog_cut_short_under_a_reader_is_an_error_and_no_crash(many):
    code = """
        import os, sys
        from pathlib import Path
        from bridgerag.errors import StoreDamaged
        from bridgerag.store import Store
        path = Path(sys.argv[1])
        try:
            with Store(path).reading() as snapshot:
                os.truncate(path / "catalog.sqlite", 8192)
                snapshot.all_documents()
        except StoreDamaged as error:
            print(error)
    """
    returned, said = run_alone(code, many)
    assert returned == 0, said
    assert "is damaged" in said


@pytest.mark.skipif(os.name == "nt", reason="no limit of open files to set")
def test_given_no_file_left_to_open_then_permissions_alone_are_not_blamed(many):
    code = """
        import os, resource, sys
        from pathlib import Path
        from bridgerag.errors import StoreError
        from bridgerag.store import Store
        store = Store(Path(sys.argv[1]))
        store.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        try:
            while True:
                os.open(os.devnull, os.O_RDONLY)
        except OSError:
            pass
        try:
            with store.reading():
                pass
        except StoreError as error:
            print(error)
    """
    returned, said = run_alone(code, many)
    assert returned == 0, said
    assert "as many are open as the system allows" in said
