"""Power iteration over the whole graph passes on what the bounded push passes on."""

import numpy as np
import pytest

from bridgerag.store import Store

CHUNKS, ROUNDS, ALL = 600, 4, 4096


@pytest.fixture(scope="module")
def speed(benchmark):
    return benchmark("walk_speed")


@pytest.fixture(scope="module")
def made(benchmark):
    return benchmark("_synthetic").Synthetic(CHUNKS, seed=3)


@pytest.fixture(scope="module")
def power(benchmark, made):
    return benchmark("_power_iteration").PowerIteration(made)


@pytest.fixture(scope="module")
def snapshot(benchmark, made, tmp_path_factory):
    path = tmp_path_factory.mktemp("power") / "store"
    benchmark("_synthetic_store").make(path, made, 16)
    store = Store(path)
    with store.reading() as snapshot:
        yield snapshot
    store.close()


@pytest.fixture(scope="module")
def starts(speed, made, snapshot):
    found = list(speed.prepared(made, snapshot, 12))
    assert len(found) == 12
    return found


def as_row(push):
    chunks, weights = push.heaviest(ALL)
    row = np.zeros(CHUNKS)
    row[chunks] = weights
    return row


def test_a_push_without_a_frontier_gives_every_passage_the_weight_of_power_iteration(
    speed, power, snapshot, starts
):
    for start in starts:
        pushed = as_row(speed.graph_of(snapshot, ALL).push(*start.columns()))
        rest = power(start.asked, start.passages, start.names, ROUNDS)
        assert np.allclose(rest.passages, pushed, rtol=0, atol=1e-11)  # it rounds to 2 ** -48
        assert rest.rounds == ROUNDS


def test_the_frontier_leaves_most_of_the_best_five(speed, made, snapshot, starts):
    row = speed.unbounded(made, starts)
    pushed = [speed.pushed(speed.graph_of(snapshot, 32), start) for start in starts]
    agreement = speed.agreement(pushed, row["best"]["same rounds"])
    assert agreement["questions"] == len(starts)
    assert agreement["shared %"] > 80
    assert agreement["near %"] >= agreement["same %"]


def test_power_iteration_comes_to_rest(power, starts):
    for start in starts:
        rest = power(start.asked, start.passages, start.names)
        assert rest.settled
        assert rest.rounds < 500
        assert (rest.passages >= 0).all()
        assert 0 < rest.passages.sum() < 1


def test_questions_start_with_a_weight_of_one(starts):
    for start in starts:
        assert sum([*start.passages.values(), *start.names.values()]) == pytest.approx(1)
        assert start.names
        assert start.asked


def test_the_walk_is_clocked_and_finds_what_leads_on(speed, made, snapshot, starts):
    row = speed.walked(made, snapshot, starts)
    assert row["gold %"] > 50
    assert 0 < row["median, ms"] <= row["p99, ms"]


def test_the_best_are_those_of_most_weight_and_then_the_lower_number(benchmark):
    best = benchmark("_power_iteration").best
    assert best(np.array([0.1, 0.0, 0.5, 0.1, 0.5]), 3) == [2, 4, 0]
    assert best(np.array([0.0, 0.2]), 5) == [1]


def test_agreement_counts_sets_and_leaves_out_what_did_not_settle(speed):
    expected = [speed.Best([2, 1], {1, 2}), speed.Best([3, 9], {3, 4, 9}), None]
    assert speed.agreement([[1, 2], [3, 4], [5, 6]], expected) == {
        "questions": 2,
        "same %": 50,
        "near %": 100,
        "shared %": 75,
    }
    assert speed.agreement([[1]], [None]) == {"questions": 0}
