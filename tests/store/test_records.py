"""Reading rows of the catalog by their numbers."""

import numpy as np
import pytest

import bridgerag
from bridgerag import Document
from bridgerag.errors import StoreDamaged
from bridgerag.store import address, parse_where

COUNT = 2_000  # more than fit one statement


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("records") / "store"
    with bridgerag.open(path, settings={"embedding": "none"}) as bridge:
        bridge.add(
            documents=[Document(f"d{n:04}", f"T{n}", "", f"Text {n}.") for n in range(COUNT)]
        )
        yield bridge._stores.open()


def test_many_rows_are_read_in_any_order_and_named_twice(store):
    chance = np.random.default_rng(3)
    places = [*chance.permutation(COUNT).tolist(), 7, 7, 0]
    with store.reading() as snapshot:
        (live,) = snapshot.segments
        found = live.records.documents(live.segment.number, places)
        assert found.keys() == set(range(COUNT))
        assert all(ref.id == f"d{place:04}" for place, (_, ref) in found.items())
        addresses = [address(found[place][0], 0) for place in places]
        rows = live.records.chunk_rows(addresses)
        assert [rows[where].text for where in addresses] == [f"Text {place}." for place in places]
        assert live.records.summaries(addresses).keys() == rows.keys()


def test_no_number_needs_no_row(store):
    with store.reading() as snapshot:
        records = snapshot.catalogs[0]
        assert records.documents(1, []) == records.chunk_rows([]) == records.summaries([]) == {}


def test_a_missing_row_is_damage(store):
    with pytest.raises(StoreDamaged, match="1 of 2 rows are missing"), store.reading() as snapshot:
        snapshot.catalogs[0].chunk_rows([address(1, 0), address(COUNT + 9, 0)])


def test_the_document_of_a_chunk_is_the_one_between_whose_borders_it_stands(tmp_path):
    texts = ["", "One. " * 400, "Two.", "", "Three. " * 300, ""]
    with bridgerag.open(tmp_path / "store", settings={"embedding": "none"}) as bridge:
        documents = [Document(f"d{n}", f"T{n}", "", text) for n, text in enumerate(texts)]
        bridge.add(documents=documents)
        with bridge._stores.reading() as snapshot:
            (live,) = snapshot.segments
            borders = live.segment.first_chunk.tolist()
            for chunk in range(live.segment.chunks):
                place = live.document_of_chunk(chunk)
                assert borders[place] <= chunk < borders[place + 1]


def test_what_a_search_made_is_kept_until_the_store_changes_and_not_under_a_filter(tmp_path):
    def state(bridge, where=None):
        with bridge._stores.reading(where) as snapshot:
            return snapshot.kept("chunks", lambda: [snapshot.chunks])

    with bridgerag.open(tmp_path / "store", settings={"embedding": "none"}) as bridge:
        bridge.add(documents=[Document("a", "", "", "One."), Document("b", "", "", "Two.")])
        first = state(bridge)
        assert first == [2]
        assert state(bridge) is first
        assert state(bridge, parse_where("id = 'a'")) == [1]
        assert state(bridge) is first
        bridge.remove("b")
        assert state(bridge) == [1]
