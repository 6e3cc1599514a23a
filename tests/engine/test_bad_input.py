"""What a hostile file, document or question does to a whole `add` or `search`: nothing lasting."""

import os
import socket
import threading
from pathlib import Path

import pytest

import bridgerag
from bridgerag import Document
from bridgerag.errors import DocumentNotFound
from bridgerag.types import Section

HOW = bridgerag.Settings(embedding="none", chunk_tokens=16, window=2, branching=2)
OPEN_FILES = Path("/proc/self/fd")
GOOD = "The Quibble Street kettle boils water. Ada Quill built it."


@pytest.fixture
def bridge(tmp_path):
    with bridgerag.open(tmp_path / "store", settings=HOW) as bridge:
        yield bridge


def reasons(report):
    return [skipped.reason for skipped in report.skipped]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in its files")
def test_given_pipes_devices_and_sockets_when_added_then_nothing_waits(
    bridge, tmp_path, monkeypatch
):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "good.txt").write_text(GOOD)
    os.mkfifo(folder / "pipe.txt")
    (folder / "endless.txt").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(folder)  # a socket has a short name
        server.bind("socket.txt")
        report = bridge.add(folder)
    assert report.added == 1
    assert reasons(report) == [
        "is a device, not a file",
        "is a pipe, not a file",
        "is a socket, not a file",
    ]


def test_given_an_empty_path_when_added_then_the_working_folder_is_not_read(
    bridge, tmp_path, monkeypatch
):
    (tmp_path / "good.txt").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    report = bridge.add("")
    assert (report.added, reasons(report)) == (0, ["is no path"])


def test_given_lone_surrogates_everywhere_when_added_then_they_are_replaced(bridge):
    document = Document(
        "id\ud800",
        "title\udfff",
        "source\udc00",
        GOOD + " \ud83d",
        (Section(0, 60, ("heading\ud800",)),),
        {"key\ud800": "value\udc00"},
    )
    assert bridge.add(documents=[document]).added == 1
    (ref,) = bridge.documents()
    assert (ref.id, ref.title, ref.source) == ("id\ufffd", "title\ufffd", "source\ufffd")
    (hit,) = bridge.search("Quibble Street", k=1).hits
    assert hit.headings == ("heading\ufffd",)
    assert bridge.text("id\ud800")[hit.start : hit.end] == hit.text
    assert bridge.remove("id\ud800") == [ref]


@pytest.mark.parametrize(
    "sections",
    [
        (Section(0, 5000),),
        (Section(0, 3), Section(9, len(GOOD))),
        (Section(0, 20), Section(5, len(GOOD))),
        (Section(-5, len(GOOD)),),
        (Section(20, len(GOOD)), Section(0, 20)),
        (Section(0, 20),),
    ],
)
def test_given_sections_that_do_not_tile_when_added_then_only_that_document_is_skipped(
    bridge, sections
):
    report = bridge.add(
        documents=[Document("bad", "", "", GOOD, sections), Document("good", "", "", GOOD)]
    )
    assert report.added == 1
    assert "its sections" in reasons(report)[0]
    assert [ref.id for ref in bridge.documents()] == ["good"]


def test_given_numbers_that_json_cannot_hold_in_metadata_then_they_are_dropped(bridge):
    values = {"nan": float("nan"), "inf": float("inf"), "kind": "memo"}
    bridge.add(documents=[Document("d", "", "", GOOD, metadata=values)])
    assert bridge.check().problems == ()
    assert bridge.add(documents=[Document("d", "", "", GOOD, metadata=values)]).unchanged == 1


@pytest.mark.parametrize("depth", [10**9, 2**63, 10**40])
def test_given_a_huge_depth_then_it_reaches_the_roots_and_no_further(bridge, depth):
    bridge.add(documents=[Document("d", "Kettles", "", GOOD * 20)])
    deep = bridge.search("Quibble Street", depth=depth)
    high = bridge.search("Quibble Street", depth=64)
    assert not deep.fallback
    assert [hit.chunk for hit in deep.hits] == [hit.chunk for hit in high.hits]


@pytest.mark.parametrize(
    "name", ["\ud800", "\udcff.txt", "\0", "", "x" * 100_000, "*" * 100_000, "d\0*"]
)
def test_given_a_name_that_no_document_can_have_then_it_is_not_found(bridge, name):
    bridge.add(documents=[Document("d", "", "", GOOD)])
    with pytest.raises(DocumentNotFound):
        bridge.remove(name)
    with pytest.raises(DocumentNotFound):
        bridge.tree(name)


@pytest.mark.parametrize(
    "question",
    ["the of and", "😀🎉", "\0\0", "kettle\0x", "\ud800", "\u202eabc", "\u200d" * 9, "q" * 2**20],
)
def test_given_a_strange_question_then_there_is_an_answer(bridge, question):
    bridge.add(documents=[Document("d", "", "", GOOD)])
    assert bridge.ask(question).text


def test_given_an_empty_id_then_the_document_is_skipped(bridge):
    report = bridge.add(documents=[Document("", "", "", GOOD), Document("d", "", "", GOOD)])
    assert (report.added, reasons(report)) == (1, ["its id is empty"])


def test_given_a_mistyped_path_then_no_store_is_made(tmp_path):
    with bridgerag.open(tmp_path / "store", settings={"embedding": "none"}) as bridge:
        report = bridge.add(tmp_path / "ducs")
    assert [item.source for item in report.skipped] == [str(tmp_path / "ducs")]
    assert not (tmp_path / "store").exists()


def test_given_many_threads_and_closes_when_searching_then_no_one_notices(bridge):
    bridge.add(documents=[Document(f"d{i}", "", "", GOOD) for i in range(20)])
    stop, problems = threading.Event(), []

    def search():
        try:
            while not stop.is_set():
                assert len(bridge.search("Quibble Street", k=5).hits) == 5
                bridge.status()
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    for i in range(6):
        bridge.add(documents=[Document(f"new{i}", "", "", f"{GOOD} Number {i}.")])
        bridge.close()
        bridge.remove(f"new{i}")
    stop.set()
    for thread in threads:
        thread.join()
    assert problems == []


@pytest.mark.skipif(not OPEN_FILES.is_dir(), reason="open files cannot be counted")
def test_given_many_threads_that_ended_then_their_files_are_closed(bridge):
    bridge.add(documents=[Document("d", "", "", GOOD)])
    bridge.search("kettle")
    before = len(list(OPEN_FILES.iterdir()))
    threads = [threading.Thread(target=bridge.search, args=("kettle",)) for _ in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(list(OPEN_FILES.iterdir())) < before + 50
