from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from bridgerag.errors import InputError
from bridgerag.evaluation.bootstrap import Interval, mean_interval, paired_interval

scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, None, nan]), min_size=1, max_size=30)


def test_the_interval_of_a_known_sample():
    """Computed once, written down: any machine and release must give these very numbers."""
    values = [0.0, 0.5, 1.0, 1.0, 0.5, 0.0, 1.0, 0.25]
    found = paired_interval(values, [0.5] * 8, seed=7)
    assert found == Interval(-0.25, 0.3125, 0.03125, 8)
    assert found.tie


def test_one_seed_gives_one_interval():
    values = np.random.default_rng(1).random(50).tolist()
    first = mean_interval(values, seed=3)
    assert first == mean_interval(values, seed=3) != mean_interval(values, seed=4)


@pytest.mark.parametrize(("effect", "tie"), [(0.0, True), (0.3, False), (-0.3, False)])
def test_a_difference_is_a_tie_unless_the_interval_leaves_0(effect, tie):
    random = np.random.default_rng(5)
    baseline = random.random(200)
    values = baseline + random.normal(0, 0.5, 200)
    values += baseline.mean() + effect - values.mean()
    assert paired_interval(values.tolist(), baseline.tolist(), seed=0).tie is tie


def test_equal_methods_tie_at_exactly_0():
    values = [0.1, 0.7, 1 / 3] * 40
    found = paired_interval(values, values, seed=0)
    assert (found.low, found.high, found.mean, found.tie) == (0, 0, 0, True)


def test_pairs_without_a_value_are_left_out():
    values, baseline = [1.0, None, 0.5, nan, 0.0], [0.0, 1.0, None, 1.0, 0.0]
    assert paired_interval(values, baseline, seed=0) == paired_interval([1, 0], [0, 0], seed=0)
    nothing = paired_interval([None], [1.0], seed=0)
    assert (nothing.count, nothing.tie) == (0, True)
    assert isnan(nothing.mean)


def test_the_means_of_all_resamples_are_drawn_in_blocks_without_a_seam():
    values = np.random.default_rng(2).random(5000).tolist()  # more than one block
    wide = mean_interval(values, seed=0, resamples=1000)
    exact = np.std(values) / np.sqrt(5000) * 1.96
    assert (wide.high - wide.low) / 2 == pytest.approx(exact, rel=0.1)


def test_95_percent_intervals_hold_the_truth_about_95_times_in_100():
    random = np.random.default_rng(11)
    truth, held = 0.1, 0
    for seed in range(400):
        baseline = random.integers(0, 2, 80) * 0.5
        values = baseline + random.choice([-0.5, 0.0, 0.5, 1.0], 80, p=[0.2, 0.5, 0.2, 0.1])
        found = paired_interval(values.tolist(), baseline.tolist(), seed=seed, resamples=500)
        held += found.low <= truth <= found.high
    assert 0.92 <= held / 400 <= 0.975


def test_other_levels_give_nested_intervals():
    values = np.random.default_rng(3).random(60).tolist()
    narrow, wide = (mean_interval(values, seed=0, level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


@limits(max_examples=40)
@given(scores)
def test_an_interval_is_ordered_and_inside_what_was_seen(values):
    found = mean_interval(values, seed=0, resamples=200)
    seen = [value for value in values if value is not None and not isnan(value)]
    assert found.count == len(seen)
    if seen:
        assert min(seen) <= found.low <= found.high <= max(seen)
        assert found.mean == pytest.approx(sum(seen) / len(seen))


def test_arguments_out_of_range_are_refused():
    with pytest.raises(InputError, match="length of the baseline is 1"):
        paired_interval([1, 2], [1], seed=0)
    with pytest.raises(InputError, match="resamples is 0"):
        mean_interval([1], seed=0, resamples=0)
    with pytest.raises(InputError, match="level is 95"):
        mean_interval([1], seed=0, level=95)
