"""A copy of a store while others use it."""

import threading

import pytest

import bridgerag
from bridgerag.errors import InputError, StoreDamaged
from bridgerag.store import backup as module

HOW = bridgerag.Settings(embedding="none", chunk_tokens=16, window=2, branching=2)


def document(name, text="The Amber Gate stood open."):
    return bridgerag.Document(name, name, "", text)


@pytest.fixture
def opened(tmp_path, hashed):
    with bridgerag.open(tmp_path / "store", settings=HOW, embedder=hashed) as bridge:
        bridge.add(documents=[document("a"), document("b")])
        yield bridge


def test_given_a_backup_then_it_is_the_store(opened, hashed, tmp_path):
    opened.backup(tmp_path / "deep" / "copy")
    opened.add(documents=[document("later")])
    with bridgerag.open(tmp_path / "deep" / "copy", embedder=hashed) as copy:
        assert copy.check().problems == ()
        assert [ref.id for ref in copy.documents()] == ["a", "b"]
        copy.add(documents=[document("c")])
        assert copy.search("Amber Gate").hits


def test_given_something_at_the_destination_then_it_is_left_alone(opened, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("x")
    for place in (tmp_path / "full", tmp_path / "full" / "mine", opened.path):
        with pytest.raises(InputError, match="new or an empty folder"):
            opened.backup(place)
    assert (tmp_path / "full" / "mine").read_text() == "x"
    (tmp_path / "empty").mkdir()
    opened.backup(tmp_path / "empty")


def test_given_a_merge_between_catalog_and_segments_then_it_begins_again(
    opened, hashed, tmp_path, monkeypatch
):
    opened.add(documents=[document("c")])
    copy_segment = module._copy_segment

    def merged_meanwhile(*arguments):
        if opened.status().segments > 1:
            opened.compact()
        copy_segment(*arguments)

    monkeypatch.setattr(module, "_copy_segment", merged_meanwhile)
    opened.backup(tmp_path / "copy")
    with bridgerag.open(tmp_path / "copy", embedder=hashed) as copy:
        assert copy.status().segments == 1
        assert copy.check().problems == ()
        assert len(copy.documents()) == 3
    assert len(list((tmp_path / "copy" / "segments").iterdir())) == 1


def test_given_a_writer_that_never_rests_then_backups_are_sound(opened, hashed, tmp_path):
    stop = threading.Event()

    def write():
        with bridgerag.open(opened.path, embedder=hashed) as writer:
            number = 0
            while not stop.is_set():
                pair = [document(f"x{number}"), document(f"y{number}")]
                writer.add(documents=pair)
                number += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(5):
            opened.backup(tmp_path / f"copy{number}")
    finally:
        stop.set()
        thread.join()
    for number in range(5):
        with bridgerag.open(tmp_path / f"copy{number}", embedder=hashed) as copy:
            assert copy.check().problems == ()
            ids = [ref.id for ref in copy.documents()]
            assert {i[1:] for i in ids if i[0] == "x"} == {i[1:] for i in ids if i[0] == "y"}


def test_given_a_damaged_file_then_it_is_not_copied_as_if_it_were_sound(opened, tmp_path):
    (path,) = opened.path.glob("segments/*/lexical.bin")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(StoreDamaged, match=r"store/segments/00000001/lexical\.bin"):
        opened.backup(tmp_path / "copy")
    assert not (tmp_path / "copy" / "catalog.sqlite").exists()
