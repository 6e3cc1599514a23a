"""What an interrupted writer leaves, and damage that must not be made worse."""

import pytest

from bridgerag.errors import StoreDamaged
from crash.toy import document, open_toy


@pytest.fixture
def bridge(tmp_path):
    with open_toy(tmp_path / "store") as opened:
        for number in range(3):
            opened.add(documents=[document(number)])
        yield opened


def altered(bridge, old, new):
    """Change bytes of the catalog, as a failing disk would."""
    bridge.close()
    path = bridge.path / "catalog.sqlite"
    whole = path.read_bytes()
    assert old in whole
    path.write_bytes(whole.replace(old, new, 1))


def test_given_the_folder_of_a_writer_that_died_then_a_compaction_takes_its_place(bridge):
    left = bridge.path / "segments" / "00000004"  # the number that the next commit takes
    left.mkdir()
    (left / "vectors.bin").write_bytes(b"half")
    assert bridge.compact() == 3
    assert [folder.name for folder in left.parent.iterdir()] == [left.name]
    assert bridge.check().problems == ()


def test_given_an_altered_document_when_compacted_then_it_gets_no_new_checksum(bridge):
    altered(bridge, b'"lang":"', b'"lang":!')
    with pytest.raises(StoreDamaged, match="does not match its checksum"):
        bridge.compact()
    assert any("checksum" in problem for problem in bridge.check().problems)


def test_given_a_message_of_sqlite_that_is_no_text_then_the_store_is_damaged(bridge):
    altered(bridge, b"CREATE TABLE chunks (", b"CREATE TAB\xed\x28 chunks (")
    with pytest.raises(StoreDamaged):
        bridge.documents()
