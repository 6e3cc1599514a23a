from math import isnan, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from bridgerag.errors import InputError
from bridgerag.evaluation.ranking import ndcg_at, precision_at, recall_at, reciprocal_rank, unique

RANKED = ["a", "b", "c", "d", "e"]
names = st.sampled_from("abcdefghij")
rankings = st.lists(names, unique=True, max_size=10)
golds = st.sets(names, min_size=1, max_size=6)
cutoffs = st.integers(1, 12)


def test_worked_by_hand():
    gold = {"b", "d", "z"}
    assert recall_at(RANKED, gold, 1) == 0
    assert recall_at(RANKED, gold, 2) == pytest.approx(1 / 3)
    assert recall_at(RANKED, gold, 5) == pytest.approx(2 / 3)
    assert precision_at(RANKED, gold, 2) == 1 / 2
    assert precision_at(RANKED, gold, 10) == 2 / 10
    assert reciprocal_rank(RANKED, gold) == 1 / 2
    # gains at places 2 and 4; the best order would have them at 1, 2 and 3
    wanted = (1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3) + 1 / 2)
    assert ndcg_at(RANKED, gold, 5) == pytest.approx(wanted)
    assert ndcg_at(RANKED, gold, 2) == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))


def test_the_best_order_is_worth_1_and_nothing_found_0():
    assert ndcg_at(RANKED, {"a", "b"}, 2) == recall_at(RANKED, {"a", "b"}, 2) == 1
    assert ndcg_at(RANKED, {"a", "b", "c"}, 2) == 1  # no more than two can be shown
    for value in (recall_at, precision_at, ndcg_at):
        assert value(RANKED, {"x"}, 5) == value([], {"x"}, 5) == 0
    assert reciprocal_rank(RANKED, {"x"}) == reciprocal_rank([], {"x"}) == 0


def test_without_gold_there_is_no_value():
    assert all(isnan(value(RANKED, (), 5)) for value in (recall_at, precision_at, ndcg_at))
    assert isnan(reciprocal_rank(RANKED, ()))


def test_gold_named_twice_counts_once():
    assert recall_at(RANKED, ["a", "a", "z"], 5) == 1 / 2


def test_k_starts_at_1():
    for value in (recall_at, precision_at, ndcg_at):
        with pytest.raises(InputError, match="k is 0; it must be 1 or more"):
            value(RANKED, {"a"}, 0)


@given(st.lists(names))
def test_unique_keeps_first_places(ids):
    found = unique(iter(ids))
    assert len(set(found)) == len(found)
    assert [ids.index(name) for name in found] == sorted({ids.index(name) for name in ids})


@given(rankings, golds, cutoffs)
def test_recall_and_precision_agree_with_counting_places(ranked, gold, k):
    right = sum(1 for place, name in enumerate(ranked) if place < k and name in gold)
    assert recall_at(ranked, gold, k) == right / len(gold)
    assert precision_at(ranked, gold, k) == right / k


@given(rankings, golds, cutoffs)
def test_ndcg_agrees_with_scikit_learn(ranked, gold, k):
    # every document has a score: the ranked ones by place, the others below all of them
    universe = ranked + sorted(set("abcdefghijklmnopqrstuvwxyz") - set(ranked))
    relevance = np.array([[float(name in gold) for name in universe]])
    scores = -np.arange(len(universe), dtype=float)[None]
    relevance_shown = relevance.copy()
    relevance_shown[:, len(ranked) :] = 0  # what was not retrieved gains nothing
    gain = (relevance_shown[0][:k] / np.log2(np.arange(2, 2 + len(universe[:k])))).sum()
    full = ndcg_score(relevance, scores, k=k)
    if len(ranked) >= k or not set(universe[len(ranked) : k]) & gold:
        assert ndcg_at(ranked, gold, k) == pytest.approx(full)
    else:
        assert ndcg_at(ranked, gold, k) < full
    assert (ndcg_at(ranked, gold, k) > 0) == (gain > 0)


@given(rankings, golds)
def test_reciprocal_rank_is_the_best_place(ranked, gold):
    places = [place for place, name in enumerate(ranked, 1) if name in gold]
    assert reciprocal_rank(ranked, gold) == (1 / min(places) if places else 0)
