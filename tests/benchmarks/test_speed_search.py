"""The benchmarks of expansion, ranking and search: that they run, and that all ways agree."""

import sys
from argparse import Namespace

import numpy as np
import pytest


@pytest.fixture
def no_faiss(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)


def test_all_ways_to_expand_agree(benchmark):
    expand = benchmark("speed.expand")
    rows = list(expand.measure(Namespace(quick=True, sizes=[], questions=20)))
    assert [row.way for row in rows[:3]] == ["Python sets", "NumPy", "forest"]
    assert {row.size.partition("seeds: ")[2] for row in rows} == {"1", "10", "100"}
    assert all(row.median > 0 and row.facts["pool chunks"] >= 1 for row in rows)


def test_all_ways_to_rank_agree(benchmark, no_faiss, capsys):
    rank = benchmark("speed.rank")
    rows = list(rank.measure(Namespace(quick=True, sizes=[], dim=32, questions=4)))
    assert {row.size.split()[-2] for row in rows} == {"float32", "float16", "int8"}
    assert all(row.facts["GB s"] > 0 for row in rows)
    assert "faiss skipped: pip install faiss-cpu" in capsys.readouterr().out


def test_a_search_and_its_twin_agree(benchmark, no_faiss, tmp_path):
    search = benchmark("speed.search")
    options = Namespace(quick=True, sizes=[], stores=tmp_path, questions=12, dim=32)
    rows = {row.way: row for row in search.measure(options)}
    for way in (
        "bridge, all of it",
        "bridge, retrieval",
        "bridge as dict + NumPy",
        "walk, all of it",
    ):
        assert rows[way].median > 0
        assert rows[way].than == "exact scan, NumPy"
        assert 0 < rows[way].facts["gold %"] <= 100
    assert rows["exact scan, NumPy"].facts["of exact %"] == 100
    assert rows["bridge, all of it"].facts["gold %"] == rows["bridge, retrieval"].facts["gold %"]


def test_the_numpy_twin_expands_as_the_forest_does(benchmark):
    from bridgerag.forest import grow, join

    twin = benchmark("speed._reach_twin")
    forest = join([grow(size, 2, 3) for size in (1, 40, 7, 19)])[0].native()
    chance = np.random.default_rng(3)
    for depth in range(4):
        seeds = np.unique(chance.integers(0, len(forest), 5)).astype(np.uint32)
        found = twin.expanded(forest, seeds, depth)
        assert found.tolist() == forest.expand(seeds, depth).tolist()
        assert twin.pool_of(forest, found).tolist() == forest.pool(found).tolist()
