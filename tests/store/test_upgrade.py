"""A store of an early format works without what it lacks, and `check --repair` adds that."""

import shutil
from pathlib import Path

import pytest

import bridgerag
from bridgerag.errors import StoreOutdated
from bridgerag.store import repair
from golden.make import HOW, TEXTS, ToyVectors, found

GOLDEN = Path(__file__).parents[1] / "golden" / "format-1" / "toy"


class CannotEmbed(ToyVectors):
    """The store's model, where nothing may be embedded."""

    def embed(self, texts, on_done=None):
        raise AssertionError("embedded again")


@pytest.fixture
def store(tmp_path):
    shutil.copytree(GOLDEN, tmp_path / "store")
    return tmp_path / "store"


def names_of(bridge):
    with bridge._stores.open().reading() as snapshot:
        return [live.segment.names for live in snapshot.segments]


def files(path, name):
    return [file.read_bytes() for file in sorted(path.glob(f"segments/*/{name}"))]


def test_given_format_1_then_names_are_refused_with_the_remedy_and_all_else_works(store):
    with bridgerag.open(store, embedder=ToyVectors()) as bridge:
        with pytest.raises(
            StoreOutdated, match=r"format 1 .* format 2 .*`bridgerag check --repair`"
        ):
            names_of(bridge)
        for method in ("bridge", "naive", "bm25", "hybrid"):
            assert bridge.search("Amber Gate", method=method).hits
        (problem,) = bridge.check().problems
        assert "format 1" in problem
        assert "check --repair" in problem
        assert bridge.status().format == 1


def test_given_format_1_when_repaired_then_it_has_names_and_what_it_had(store):
    vectors = files(store, "vectors.bin")
    with bridgerag.open(store, embedder=ToyVectors()) as bridge:
        before = found(bridge)
    with bridgerag.open(store, embedder=CannotEmbed()) as bridge:
        report = bridge.check(repair=True)
        assert report.repaired == ("raised the format of the store from 1 to 2",)
        assert report.problems == ()
        assert bridge.status().format == 2
        assert sum(names.documents for names in names_of(bridge)) == len(TEXTS) - 1
        assert bridge.check(repair=True).repaired == ()
    with bridgerag.open(store, embedder=ToyVectors()) as bridge:
        assert found(bridge) == before
        assert len(files(store, "vectors.bin")) == len(vectors)
        bridge.compact()
        fresh_path = store.parent / "fresh"
        with bridgerag.open(fresh_path, settings=HOW, embedder=ToyVectors()) as fresh:
            texts = {key: text for key, text in TEXTS.items() if key != "gone"}
            fresh.add(documents=[bridgerag.Document(k, k.title(), "", t) for k, t in texts.items()])
    for name in ("names.bin", "entities.bin", "vectors.bin"):
        assert files(store, name) == files(fresh_path, name)


def test_given_format_1_when_documents_are_added_then_it_stays_of_format_1(store):
    with bridgerag.open(store, embedder=ToyVectors()) as bridge:
        bridge.add(documents=[bridgerag.Document("new", "New", "", "The Copper Gate is new.")])
        assert len(files(store, "names.bin")) == 1
        assert bridge.status().format == 1
        with pytest.raises(StoreOutdated):
            names_of(bridge)
        bridge.backup(store.parent / "copy")
        assert len(files(store.parent / "copy", "names.bin")) == 1
        bridge.compact()
        assert files(store, "names.bin") == []
        assert bridge.check(repair=True).problems == ()
        (names,) = names_of(bridge)
        assert names.documents == len(TEXTS)


def test_given_an_upgrade_that_ends_early_then_the_next_one_goes_on(store, monkeypatch):
    add_names = repair._add_names

    def first_only(writer, settings, segment, recipe):
        if segment.number > 1:
            raise KeyboardInterrupt
        add_names(writer, settings, segment, recipe)

    with bridgerag.open(store, embedder=ToyVectors()) as bridge:
        before = found(bridge)
        monkeypatch.setattr(repair, "_add_names", first_only)
        with pytest.raises(KeyboardInterrupt):
            bridge.check(repair=True)
        assert bridge.status().format == 1
        assert len(files(store, "names.bin")) == 1
        assert found(bridge) == before
        monkeypatch.undo()
        assert bridge.check(repair=True).problems == ()
        assert bridge.status().format == 2
        assert found(bridge) == before


def test_given_a_damaged_file_of_format_1_then_repair_rebuilds_and_upgrades(store):
    (store / "segments" / "00000001" / "lexical.bin").unlink()
    with bridgerag.Bridge(store, embedder=CannotEmbed()) as bridge:
        assert len(bridge.check().problems) == 2
        report = bridge.check(repair=True)
        assert report.problems == ()
        assert report.repaired[0] == "rebuilt segment 1"
        assert bridge.status().format == 2


def test_given_damaged_texts_then_the_format_is_not_raised(store):
    (store / "segments" / "00000001" / "lexical.bin").unlink()
    catalog = bridgerag.store.catalog.connect(store / "catalog.sqlite", write=True)
    catalog.execute("UPDATE chunks SET text = replace(text, 'Gate', 'Door')")
    catalog.close()
    with bridgerag.Bridge(store, embedder=ToyVectors()) as bridge:
        problems = bridge.check(repair=True).problems
        assert any("format 1, which lacks an index of names" in problem for problem in problems)
