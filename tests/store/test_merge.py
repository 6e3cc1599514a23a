"""Merging: the merged segment is what building it at once would have given."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bridgerag
from bridgerag._native import NameIndex
from bridgerag.errors import StoreError
from bridgerag.store import writer
from bridgerag.store.merge import Survivor, merge, within, worth_merging
from bridgerag.store.segment import Segment, numbered

NAMES = ["Zorvex Quillan", "Brandor Pellix", "Mirthe Okonda", "Tavish Ureno"]


def document(number, version=0):
    chance = random.Random(f"{number} {version}")
    sentences = [
        f"{chance.choice(NAMES)} met {chance.choice(NAMES)} about topic {chance.randrange(9)}."
        for _ in range(chance.randrange(1, 40))
    ]
    return bridgerag.Document(f"d{number:03}", f"Note {number}", "", " ".join(sentences))


def open_store(path, hashed, **other):
    how = bridgerag.Settings(chunk_tokens=16, window=2, branching=2, embedding="none", **other)
    return bridgerag.open(path, settings=how, embedder=hashed)


def files(bridge):
    return {p.name: p.read_bytes() for p in bridge.path.glob("segments/*/*")}


@pytest.mark.parametrize("windows", ["fixed", "content"])
def test_a_compacted_store_has_the_bytes_of_one_built_at_once(tmp_path, hashed, windows):
    with open_store(tmp_path / "grown", hashed, windows=windows) as grown:
        for first in range(0, 30, 6):
            grown.add(documents=[document(n) for n in range(first, first + 6)])
        grown.add(documents=[document(n, version=1) for n in (3, 17)])
        grown.remove("d005", "d029")
        assert grown.compact() == 6
        assert grown.status().segments == 1
        assert grown.check().problems == ()
        final = [document(n, version=int(n in (3, 17))) for n in range(30) if n not in (5, 29)]
        with open_store(tmp_path / "fresh", hashed, windows=windows) as fresh:
            fresh.add(documents=final)
            assert files(grown) == files(fresh)
            for name in ("d003", "d017", "d028"):
                assert grown.text(name) == fresh.text(name)
                assert grown.tree(name).summary == fresh.tree(name).summary


def test_given_many_small_adds_then_segments_stay_few(tmp_path, hashed):
    with open_store(tmp_path / "store", hashed) as bridge:
        for number in range(40):
            bridge.add(documents=[document(number)])
        assert bridge.status().segments < 16
        assert bridge.status().documents == 40
        assert bridge.check().problems == ()
        folders = list((bridge.path / "segments").iterdir())
        assert len(folders) == bridge.status().segments


def test_given_everything_removed_then_compaction_leaves_an_empty_store(tmp_path, hashed):
    with open_store(tmp_path / "store", hashed) as bridge:
        bridge.add(documents=[document(1), document(2)])
        bridge.remove("d001", "d002")
        bridge.compact()
        assert bridge.status().segments == 0
        assert bridge.search("Zorvex Quillan").hits == ()
        bridge.add(documents=[document(3)])
        assert bridge.search("Zorvex Quillan").hits


def test_given_a_removed_document_when_compacted_then_no_byte_of_it_is_left(tmp_path, hashed):
    secret = "The heron password is plum-seventeen."
    with open_store(tmp_path / "store", hashed) as bridge:
        made = bridgerag.Document("secret", "Heron ledger", "", secret, metadata={"who": "Odile"})
        bridge.add(documents=[made, document(1)])
        bridge.remove("secret")
        bridge.compact()
        held = b"".join(p.read_bytes() for p in bridge.path.rglob("*") if p.is_file())
    for trace in (secret, "Heron ledger", "plum-seventeen", "Odile"):
        assert trace.encode() not in held


def test_given_a_reader_inside_a_snapshot_when_merged_then_it_sees_what_it_saw(
    tmp_path, hashed, monkeypatch
):
    monkeypatch.setattr(writer, "_READERS_MS", 20)
    with open_store(tmp_path / "store", hashed) as bridge:
        for number in range(3):
            bridge.add(documents=[document(number)])
        reader = open_store(bridge.path, hashed)
        with reader._stores.open().reading() as snapshot:
            before = [live.segment.number for live in snapshot.segments]
            with pytest.raises(StoreError, match="may still hold what was removed"):
                bridge.compact()
            vectors = [np.array(live.segment.vectors) for live in snapshot.segments]
            assert [live.segment.number for live in snapshot.segments] == before
            assert all(len(rows) for rows in vectors)
            assert len(snapshot.all_documents()) == 3
        assert reader.status().segments == 1
        assert bridge.compact() == 0
        reader.close()


@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 5000)), max_size=40))
def test_merging_until_it_no_longer_pays_leaves_few_segments(pairs):
    sizes = [(min(pair), max(pair)) for pair in pairs]
    for _ in range(100):
        chosen = set(worth_merging(sizes))
        if not chosen:
            break
        live = sum(sizes[i][0] for i in chosen)
        kept = [size for i, size in enumerate(sizes) if i not in chosen]
        sizes = kept + ([(live, live)] if live else [])
    assert not worth_merging(sizes)
    assert len(sizes) <= 7 * 6


class Pieces:
    """A sink that keeps all, and breaks off where it is told to."""

    def __init__(self, most=10**9):
        self.payload, self.most = bytearray(), most

    def start(self, size):
        self.payload = bytearray(size)

    def write(self, offset, piece):
        self.most -= 1
        if self.most < 0:
            raise OSError("full")
        self.payload[offset : offset + len(piece)] = piece

    def rest(self):
        pass


def merged(path):
    """Return what two segments of a store become, every third document left out."""
    folders = sorted((path / "segments").iterdir())[:2]
    parts = [Segment(folder, int(folder.name), 2) for folder in folders]
    places = [(p, d) for p, part in enumerate(parts) for d in range(part.documents)]
    return merge(parts, [Survivor(p, d) for n, (p, d) in enumerate(places) if n % 3])


def test_an_index_in_pieces_is_the_index_in_memory(tmp_path, hashed):
    with open_store(tmp_path / "store", hashed) as bridge:
        for first in (0, 15):
            bridge.add(documents=[document(n) for n in range(first, first + 15)])
        content = merged(bridge.path)
    for make in (content.make_entities, content.make_lexical, content.make_names):
        whole = make().to_bytes()
        sink = Pieces()
        make.write(sink)
        assert bytes(sink.payload) == whole
        for most in range(4):
            with pytest.raises(OSError, match="full"):
                make.write(Pieces(most))


def test_given_too_much_for_one_segment_then_a_merge_makes_several(tmp_path, hashed, monkeypatch):
    with open_store(tmp_path / "store", hashed) as bridge:
        for first in range(0, 40, 10):
            bridge.add(documents=[document(n) for n in range(first, first + 10)])
        folders = sorted((bridge.path / "segments").iterdir())
        sizes = [numbered(folder) for folder in folders]
        most = max(sizes[0] + sizes[1], sizes[2] + sizes[3])
        monkeypatch.setattr(writer, "NameIndex", SimpleNamespace(most_numbered=most))
        texts = [bridge.text(f"d{n:03}") for n in range(40)]
        assert bridge.compact() == 4
        assert bridge.status().segments == 2
        assert bridge.compact() == 0
        bridge.remove("d001")
        assert bridge.compact() == 1
        assert bridge.check().problems == ()
        kept = [n for n in range(40) if n != 1]
        assert [bridge.text(f"d{n:03}") for n in kept] == [texts[n] for n in kept]


@given(st.lists(st.integers(0, 50)), st.integers(1, 60))
def test_groups_keep_the_order_and_are_within_the_limit(sizes, most):
    groups = within(most, sizes)
    assert [i for group in groups for i in group] == list(range(len(sizes)))
    for group in groups:
        assert len(group) == 1 or sum(sizes[i] for i in group) <= most


def test_what_an_index_numbers_is_far_from_the_limit():
    index = NameIndex.build([])
    assert index.numbered == 0
    assert NameIndex.most_numbered == 2**30 - 2
