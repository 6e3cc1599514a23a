"""Damage is noticed before it changes an answer; `check` names it, and repairs what it can."""

import random
import shutil
import sqlite3
from dataclasses import replace

import pytest

import bridgerag
from bridgerag.errors import BridgeError, StoreDamaged
from bridgerag.store.segment import FILES

HOW = bridgerag.Settings(embedding="none", chunk_tokens=16, window=2, branching=2)
NAMES = ["Zorvex Quillan", "Brandor Pellix", "Mirthe Okonda"]


def document(number):
    chance = random.Random(number)
    text = " ".join(
        f"{chance.choice(NAMES)} met {chance.choice(NAMES)} about topic {chance.randrange(9)}."
        for _ in range(chance.randrange(2, 20))
    )
    return bridgerag.Document(f"d{number:02}", f"Note {number}", "", text, metadata={"n": number})


@pytest.fixture(params=["fixed", "content"])
def how(request):
    return replace(HOW, windows=request.param)


@pytest.fixture
def store(tmp_path, hashed, how):
    with bridgerag.open(tmp_path / "store", settings=how, embedder=hashed) as bridge:
        bridge.add(documents=[document(n) for n in range(6)])
        bridge.add(documents=[document(n) for n in range(6, 12)])
        bridge.remove("d08")
    return tmp_path / "store"


def files(store):
    return {path.name: path.read_bytes() for path in store.glob("segments/00000001/*")}


def answers(bridge):
    seen = [bridge.documents(), [bridge.text(d.id) for d in bridge.documents()]]
    for method, where in (("bridge", None), ("naive", None), ("naive", "n > 3")):
        found = bridge.search("Did Zorvex Quillan meet?", k=40, method=method, where=where)
        seen.append([(h.document, h.chunk, h.score, h.text, h.headings) for h in found.hits])
    status = bridge.status()
    return seen, (status.documents, status.chunks, status.abstracts, status.content_hash)


def flip(path, position, bit=3):
    whole = bytearray(path.read_bytes())
    whole[position] ^= 1 << bit
    path.write_bytes(whole)


@pytest.mark.parametrize("seed", range(4))
def test_given_random_damage_then_every_answer_is_an_error_or_the_same(
    store, hashed, tmp_path, seed
):
    with bridgerag.open(store, embedder=hashed) as bridge:
        expected = answers(bridge)
    chance = random.Random(seed)
    whole = [path for path in sorted(store.rglob("*")) if path.is_file() and path.stat().st_size]
    for number in range(25):
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(store, copy)
        path = copy / chance.choice(whole).relative_to(store)
        if number % 5:
            flip(path, chance.randrange(path.stat().st_size), chance.randrange(8))
        else:
            path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])
        with bridgerag.Bridge(copy, embedder=hashed) as bridge:
            try:
                got = answers(bridge)
            except BridgeError:
                assert not sound(bridge), f"check does not see {path}"
            else:
                assert got == expected, f"{path} changed an answer"


def sound(bridge):
    try:
        return not bridge.check().problems
    except BridgeError:
        return False


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("missing", [False, True])
def test_given_a_damaged_file_when_repaired_then_it_has_its_bytes_again(
    store, hashed, name, missing
):
    before = files(store)
    path = store / "segments" / "00000001" / name
    path.unlink() if missing else flip(path, path.stat().st_size // 2)
    with bridgerag.Bridge(store, embedder=hashed) as bridge:
        (problem,) = bridge.check().problems
        assert name in problem
        assert "check --repair" in problem
        report = bridge.check(repair=True)
        assert report.repaired == ("rebuilt segment 1",)
        assert report.problems == ()
    (rebuilt,) = store.glob("segments/00000004")
    assert {path.name: path.read_bytes() for path in rebuilt.iterdir()} == before


def test_given_a_damaged_segment_with_removed_documents_then_repair_leaves_them_out(
    store, hashed, how
):
    flip(store / "segments" / "00000002" / "entities.bin", 100)
    with bridgerag.Bridge(store, embedder=hashed) as bridge:
        with pytest.raises(StoreDamaged, match=r"entities\.bin"):
            answers(bridge)
        assert bridge.check(repair=True).problems == ()
        assert bridge.status().documents == 11
        fresh = bridgerag.open(store.parent / "fresh", settings=how, embedder=hashed)
        fresh.add(documents=[document(n) for n in range(12) if n != 8])
        assert answers(fresh)[0] == answers(bridge)[0]
        fresh.close()


def change(store, statement, *values):
    catalog = sqlite3.connect(store / "catalog.sqlite")
    with catalog:
        catalog.execute(statement, values)
    catalog.close()


def test_given_a_lost_summary_then_repair_writes_it_again(store, hashed):
    with bridgerag.open(store, embedder=hashed) as bridge:
        tree = bridge.tree("d03")
    change(store, "DELETE FROM abstracts WHERE address = (SELECT number << 32 FROM documents "
           "WHERE id = 'd03')")  # fmt: skip
    with bridgerag.open(store, embedder=hashed) as bridge:
        with pytest.raises(StoreDamaged):
            bridge.tree("d03")
        (problem,) = bridge.check().problems
        assert "summaries of 'd03'" in problem
        assert bridge.check(repair=True).problems == ()
        assert bridge.tree("d03") == tree


def test_given_altered_text_then_it_is_refused_and_named_and_nothing_is_made_up(store, hashed):
    change(store, "UPDATE chunks SET text = replace(text, 'met', 'hit')")
    with bridgerag.open(store, embedder=hashed) as bridge:
        with pytest.raises(StoreDamaged, match="checksum"):
            bridge.search("Zorvex Quillan")
        problems = bridge.check(repair=True).problems
        assert any("'d03'" in problem and "add it again" in problem for problem in problems)


def test_given_altered_settings_then_they_are_refused(store, hashed):
    change(store, "UPDATE meta SET value = replace(value, '\"window\":2', '\"window\":3')")
    with pytest.raises(StoreDamaged, match="settings"):
        bridgerag.open(store, embedder=hashed)


def test_given_a_lost_segment_row_then_the_store_is_refused(store, hashed):
    change(store, "DELETE FROM segments WHERE number = 2")
    with pytest.raises(StoreDamaged):
        bridgerag.open(store, embedder=hashed)
    with bridgerag.Bridge(store, embedder=hashed) as bridge:
        assert any("in no segment" in problem for problem in bridge.check().problems)


def test_given_orphan_rows_and_folders_then_repair_sweeps_them(store, hashed):
    change(store, "INSERT INTO abstracts VALUES (99 << 32, 'ghost', 0)")
    (store / "segments" / "00000077").mkdir()
    with bridgerag.open(store, embedder=hashed) as bridge:
        (problem,) = bridge.check().problems
        assert "belong to no document" in problem
        assert bridge.check(repair=True).problems == ()
    assert not (store / "segments" / "00000077").exists()


def test_given_a_segment_that_its_texts_do_not_give_then_check_says_so(store, hashed, tmp_path):
    """A file that is whole but belongs to other texts: only making it anew can tell."""
    with bridgerag.open(tmp_path / "other", settings=HOW, embedder=hashed) as other:
        changed = [document(n) for n in range(6)]
        text = changed[2].text.replace("Zorvex", "Zarvex")
        changed[2] = bridgerag.Document("d02", "Note 2", "", text)
        other.add(documents=changed)
    for name in ("entities.bin", "lexical.bin"):
        theirs = tmp_path / "other" / "segments" / "00000001" / name
        shutil.copy(theirs, store / "segments" / "00000001" / name)
    with bridgerag.Bridge(store, embedder=hashed) as bridge:
        problems = bridge.check().problems
        assert any(
            "entity index" in problem or "the catalog says" in problem for problem in problems
        )
        assert bridge.check(repair=True).problems == ()


def test_given_a_damaged_segment_then_merging_refuses_to_copy_it(store, hashed):
    flip(store / "segments" / "00000001" / "vectors.bin", 500)
    with (
        bridgerag.open(store, embedder=hashed) as bridge,
        pytest.raises(StoreDamaged, match=r"vectors\.bin"),
    ):
        bridge.compact()
