"""The best of many scores, against sorting all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.retrieval.score import top


def sorted_top(scores, pool, k):
    ids = range(len(scores)) if pool is None else pool.tolist()
    best = sorted(ids, key=lambda number: (-scores[number], number))[:k]
    return best, [float(scores[number]) for number in best]


def best_of(scores, pool, k):
    ids, values = top(scores, pool, k)
    assert ids.dtype == np.uint32
    return ids.tolist(), values.tolist()


@given(
    st.integers(0, 3_000), st.integers(1, 60), st.integers(1, 300), st.integers(0, 2**32), st.data()
)
def test_the_best_are_those_of_sorting_whatever_ties(count, k, different, seed, data):
    chance = np.random.default_rng(seed)
    scores = chance.integers(-different, different, count) / 7
    scores = scores.astype(data.draw(st.sampled_from([np.float32, np.float64])))
    assert best_of(scores, None, k) == sorted_top(scores, None, k)
    pool = np.flatnonzero(chance.random(count) < data.draw(st.floats(0, 1))).astype(np.uint32)
    assert best_of(scores, pool, k) == sorted_top(scores, pool, k)


@pytest.mark.parametrize("place", [0, 255, 256, 9_999, 10_239, 10_240, 10_300])
def test_one_high_score_is_found_wherever_it_stands(place):
    scores = np.zeros(10_301, np.float32)
    scores[place] = 1
    assert best_of(scores, None, 1) == ([place], [1.0])
