"""Power iteration over the whole graph passes on what the bounded push passes on."""

import numpy as np
import pytest

from bridgerag.store import Store

CHUNKS, ROUNDS, ALL = 600, 4, 4096


@pytest.fixture(scope="module")
def speed(benchmark):
    return benchmark("speed.walk")


@pytest.fixture(scope="module")
def questions(benchmark):
    return benchmark("_walk_starts")


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
def starts(questions, made, snapshot):
    found = list(questions.prepared(made, snapshot, 12))
    assert len(found) == 12
    return found


def as_row(push):
    chunks, weights = push.heaviest(ALL)
    row = np.zeros(CHUNKS)
    row[chunks] = weights
    return row


def test_a_push_without_a_frontier_gives_every_passage_the_weight_of_power_iteration(
    questions, power, snapshot, starts
):
    for start in starts:
        pushed = as_row(questions.graph_of(snapshot, ALL).push(*start.columns()))
        rest = power(start.asked, start.passages, start.names, ROUNDS)
        assert np.allclose(rest.passages, pushed, rtol=0, atol=1e-11)  # it rounds to 2 ** -48
        assert rest.rounds == ROUNDS


def test_the_frontier_leaves_most_of_the_best_five(speed, questions, power, snapshot, starts):
    graph = questions.graph_of(snapshot, 32)
    pushed = [speed.pushed(graph, start) for start in starts]
    found = speed.heaviest(power, starts, ROUNDS)
    shared = [len(set(one) & set(other.top)) for one, other in zip(pushed, found, strict=True)]
    assert sum(shared) > 0.8 * 5 * len(starts)
    agreement = speed.agreement(pushed, found)
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


def test_the_walk_is_clocked_and_finds_what_leads_on(speed, snapshot, starts):
    row = speed.walked("600 chunks", snapshot, starts)
    assert row.facts["gold %"] > 50
    assert 0 < row.median <= row.facts["p99 ms"]


def test_the_best_are_those_of_most_weight_and_then_the_lower_number(benchmark):
    best = benchmark("_power_iteration").best
    assert best(np.array([0.1, 0.0, 0.5, 0.1, 0.5]), 3) == [2, 4, 0]
    assert best(np.array([0.0, 0.2]), 5) == [1]


def test_agreement_counts_questions_as_far_as_there_is_an_oracle(speed):
    expected = [speed.Best([2, 1], {1, 2}), speed.Best([3, 9], {3, 4, 9})]
    found = [[1, 2], [3, 4], [5, 6]]
    assert speed.agreement(found, expected) == {"same %": 50, "near %": 100}
    assert speed.agreement(found, []) == {}
