"""The benchmark of opening checks what processes find, and says what they hold."""

import argparse
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def store(benchmark, tmp_path_factory):
    return benchmark("_synthetic_store").kept(tmp_path_factory.mktemp("opening"), 200, 16)


@pytest.fixture(scope="module")
def opening(benchmark):
    return benchmark("speed._opening")


def test_a_store_is_made_once(benchmark, store):
    made = (store / "catalog.sqlite").stat().st_mtime_ns
    assert benchmark("_synthetic_store").kept(store.parent, 200, 16) == store
    assert (store / "catalog.sqlite").stat().st_mtime_ns == made


def test_what_is_opened_is_counted(opening, store):
    found = opening.snapshot(store)
    assert found["answer"][0] == 200
    assert found["ms"] > 0
    if Path("/proc/self/smaps").exists():
        assert found["private MB"] > 0
        assert 0 < found["touched MB"] <= found["mapped MB"]


def test_both_questions_are_answered(opening, store):
    first, second = opening.search(store, "16", "bm25", "Who is one?", "Who is two?")["answer"]
    assert len(first) <= 8
    assert len(second) <= 8


def test_every_way_has_its_ratio(benchmark, store, tmp_path):
    options = argparse.Namespace(
        quick=True, stores=tmp_path, dim=16, methods=["bridge"], runs=1, sizes=[]
    )
    rows = list(benchmark("speed.open").measure(options))
    ways = [one.way for one in rows]
    assert ways[:3] == ["SQLite, one row of the catalog", "first snapshot", "open and first bridge"]
    assert all(one.ratio for one in rows[1:])
    assert len({one.size for one in rows}) == 1


def test_a_scan_that_finds_something_else_ends_the_benchmark(benchmark, store, monkeypatch):
    module = benchmark("speed.open")
    monkeypatch.setattr(module, "_process", lambda *_: {"answer": [[["d1", 0]]]})
    with pytest.raises(SystemExit, match="a scan"):
        module._check_scan(store, ["Who?"], 16)
