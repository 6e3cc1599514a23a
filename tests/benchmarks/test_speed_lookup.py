"""`python -m benchmarks lookup`: every way agrees, whatever its size, and so does the floor."""

import argparse
from itertools import pairwise

import numpy as np
import pytest


@pytest.fixture(scope="session")
def lookup(benchmark):
    return benchmark("speed.lookup")


@pytest.fixture(scope="session")
def baselines(benchmark):
    return benchmark("speed._lookup_baselines")


def test_every_size_has_rows_against_the_dict(lookup):
    rows = list(lookup.measure(argparse.Namespace(sizes=[50, 400], quick=True)))
    assert [one.size for one in rows] == sorted((one.size for one in rows), key=len)
    ways = {one.way for one in rows if one.size == "400 entities"}
    assert {"dict.get", "lookup_many", "count_many, absent", "NumPy searchsorted"} <= ways
    assert all(one.ratio is not None for one in rows if one.way != "dict.get")
    (ours,) = [one for one in rows if one.way == "lookup_many" and one.size == "400 entities"]
    assert 16 < ours.facts["bytes an entity"] < 24
    assert ours.facts["times the floor"] > ours.facts["times the floor with lists"] > 0


def test_a_way_that_answers_wrongly_stops_the_benchmark(lookup, tmp_path):
    made = lookup._prepare(300, tmp_path)
    with pytest.raises(SystemExit, match="300 entities: bad and the dict disagree"):
        lookup._expect_same(made, {"bad": lambda: made.index.lookup_many(made.absent)})


def test_plain_ways_find_the_lists_of_some_keys_and_none_of_others(baselines):
    made = baselines.Entities.random(200, np.random.default_rng(3))
    table = baselines.dict_of_lists(made)
    keys = np.concatenate([made.keys[::3], made.keys[:5] + np.uint64(1)])
    wanted = [table.get(key, []) for key in keys.tolist()]
    for offsets, ids in (
        baselines.NumberedDict(made, iter(table)).find(keys.tolist()),
        baselines.SortedKeys(made).find(keys),
    ):
        found = [ids[a:b].tolist() for a, b in pairwise(offsets.tolist())]
        assert found == wanted


def test_made_lists_ascend_and_most_have_one_id(baselines):
    made = baselines.Entities.random(5000, np.random.default_rng(4))
    lists = baselines.dict_of_lists(made)
    assert len(lists) == 5000
    assert all(a < b for ids in lists.values() for a, b in pairwise(ids))
    assert sum(len(ids) == 1 for ids in lists.values()) > 3000
    assert max(len(ids) for ids in lists.values()) > 20


def test_the_floor_reads_every_size_on_each_kind_of_page(benchmark):
    floor = benchmark("speed._floor")
    assert floor.reads(1 << 20)() >= 0
    for _, lines in floor._memories(64 * 16):
        following = lines[:, 0].tolist()
        seen, at = set(), 0
        while at not in seen:
            seen.add(at)
            at = following[at]
        assert len(seen) == 16  # one circle through all of them
