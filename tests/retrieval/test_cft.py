import random

import pytest

from bridgerag.entities import entity_key
from bridgerag.retrieval.cft import cft
from bridgerag.retrieval.tree import tree
from retrieval.tree_toy import ask, documents, snapshot_of

NAMES = [
    f"{first}{second}" for first in ("Bal", "Dor", "Kem", "Tul") for second in ("an", "ov", "ir")
]


def places(seed):
    """Documents that say at random which of a dozen places belongs to which."""
    draw = random.Random(seed)
    pairs = [draw.sample(NAMES, 2) for _ in range(30)]
    texts = {f"d{i:02}": f"{a} belongs to {b} since {i}." for i, (a, b) in enumerate(pairs)}
    return documents(texts)


@pytest.mark.parametrize("seed", range(4))
def test_the_table_finds_what_breadth_first_search_finds(tmp_path, hashed, seed):
    with snapshot_of(tmp_path, hashed, places(seed)) as snapshot:
        slow, fast = tree(), cft()
        for number, name in enumerate(NAMES):
            question = f"Where is {name} beside {NAMES[number - 1]}?"
            for depth in range(4):
                expected, reasons = ask(slow, snapshot, hashed, question, k=5, depth=depth)
                found, found_reasons = ask(fast, snapshot, hashed, question, k=5, depth=depth)
                assert found_reasons == reasons
                assert found.notes == expected.notes
                assert [s.score for s in found.selected] == [s.score for s in expected.selected]
                assert [s.text for s in found.seeds] == [s.text for s in expected.seeds]


def test_an_entity_in_several_trees_is_found_at_all_its_nodes(tmp_path, hashed):
    texts = {"a": "Oslo belongs to Norway.", "b": "Oslo is a harbour.", "c": "Cod is a fish."}
    with snapshot_of(tmp_path, hashed, documents(texts)) as snapshot:
        found, _ = ask(cft(), snapshot, hashed, "Oslo?", depth=1)
    assert set(found.notes) == {"Oslo belongs to Norway.", "Oslo is a harbour."}


def test_what_is_asked_for_is_heated(tmp_path, hashed):
    with snapshot_of(tmp_path, hashed) as snapshot:
        method = cft()
        for _ in range(3):
            ask(method, snapshot, hashed, "How quiet is Frogner?")
        table = method._kept.of(snapshot)[1]._table
        assert table.temperature(entity_key("Frogner")) == 3
        assert table.temperature(entity_key("Paris")) == 0
