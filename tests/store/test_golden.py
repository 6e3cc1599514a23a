"""Stores that earlier releases have written open for ever, and give what they gave."""

import json
import shutil
from pathlib import Path

import pytest

import bridgerag
from golden.make import TEXTS, ToyVectors, found

GOLDEN = Path(__file__).parents[1] / "golden"
STORES = sorted(path.parent for path in GOLDEN.glob("format-*/*/catalog.sqlite"))


@pytest.fixture(params=STORES, ids=lambda path: f"{path.parent.name}-{path.name}")
def golden(request, tmp_path):
    shutil.copytree(request.param, tmp_path / "store")
    embedder = ToyVectors() if request.param.name == "toy" else None
    with bridgerag.open(tmp_path / "store", embedder=embedder) as bridge:
        expected = request.param.with_suffix(".json").read_text(encoding="utf-8")
        yield bridge, json.loads(expected)


def test_there_are_golden_stores_of_every_format():
    formats = {int(path.parent.name.removeprefix("format-")) for path in STORES}
    assert formats == set(range(1, max(formats) + 1))
    for folder in STORES:
        held = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
        assert b"/tmp" not in held  # nothing of the machine that made it
        assert b"/home" not in held
        assert b"/work" not in held


def test_given_a_golden_store_then_it_gives_what_it_gave(golden):
    bridge, expected = golden
    assert found(bridge) == expected


def damage(bridge):
    """Return the problems of a store, but that it is of an early format."""
    outdated = f"it has format {bridge.status().format}, which lacks"
    return [problem for problem in bridge.check().problems if outdated not in problem]


def test_given_a_golden_store_then_it_is_sound_and_can_be_changed(golden):
    bridge, _ = golden
    assert damage(bridge) == []
    bridge.add(documents=[bridgerag.Document("new", "New", "", "The Copper Gate is new.")])
    bridge.remove("late")
    bridge.compact()
    assert damage(bridge) == []
    found = bridge.search("Copper Gate", method="bridge").hits
    assert "new" in [hit.document.id for hit in found]
    assert {ref.id for ref in bridge.documents()} == {"new", *TEXTS} - {"gone", "late"}
