import sys

import numpy as np
import pytest

from bridgerag.errors import MissingExtra
from bridgerag.retrieval.clusters import cluster, mixture, principal_axes, umap_axes

pytest.importorskip("sklearn.mixture", reason="scikit-learn is not installed")


@pytest.fixture(autouse=True)
def one_thread():
    """As in `cluster`; two threads that wait for each other make a slow test on a busy machine."""
    limits = pytest.importorskip("threadpoolctl").threadpool_limits
    with limits(1):
        yield


def blobs(count, size=60, dims=4, spread=0.3, seed=0):
    chance = np.random.default_rng(seed)
    centres = 10 * np.eye(max(count, dims))[:count, :dims] * chance.uniform(0.8, 1.2, (count, 1))
    points = np.repeat(centres, size, axis=0)
    return points + chance.normal(scale=spread, size=points.shape)


def topics(counts, mixed=0, dim=24, spread=0.06, seed=0):
    """Return unit vectors around one axis a topic, then some half-way between the first two."""
    chance = np.random.default_rng(seed)
    axes = np.eye(dim)
    rows = np.concatenate(
        [np.repeat(axes[i : i + 1], n, axis=0) for i, n in enumerate(counts)]
        + [np.repeat(axes[:1] + axes[1:2], mixed, axis=0)]
    )
    rows = rows + chance.normal(scale=spread, size=rows.shape)
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def lengths(vectors, tokens=10):
    return np.full(len(vectors), tokens, np.int64)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_criterion_picks_the_true_number_of_components(count):
    assert mixture(blobs(count)).shape[1] == count


def test_more_components_are_found_by_doubling_and_halving():
    chance = np.random.default_rng(3)
    centres = chance.uniform(-100, 100, (13, 5))
    points = np.repeat(centres, 40, axis=0) + chance.normal(size=(13 * 40, 5))
    assert 12 <= mixture(points).shape[1] <= 14


def test_separate_topics_become_separate_groups():
    groups = cluster(topics((40, 40, 40)), np.full(120, 10), longest=10_000)
    for rows in groups:
        assert len(set((rows // 40).tolist())) == 1
    assert set(np.concatenate(groups).tolist()) == set(range(120))


def test_a_row_between_two_topics_belongs_to_both():
    # Topics so wide that what lies half-way is about as likely to come from either.
    chance = np.random.default_rng(5)
    points = np.concatenate(
        [
            chance.normal(loc=-2, scale=1.2, size=(300, 2)),
            chance.normal(loc=2, scale=1.2, size=(300, 2)),
            [[0.0, 0.0]],
        ]
    )
    belongs = mixture(points) > 0.1
    assert belongs.shape[1] == 2
    assert belongs[-1].all()
    assert belongs.sum() < 1.2 * len(points)


def test_every_row_is_somewhere_and_no_group_is_there_twice():
    vectors = topics((50, 30), mixed=15, spread=0.15)
    groups = cluster(vectors, lengths(vectors), longest=200)
    assert set(np.concatenate(groups).tolist()) == set(range(len(vectors)))
    assert len({rows.tobytes() for rows in groups}) == len(groups)
    assert all((np.diff(rows) > 0).all() for rows in groups)


def test_a_group_that_is_too_long_is_divided_again():
    vectors = topics((90,))
    assert len(cluster(vectors, lengths(vectors), longest=10_000)) == 1
    groups = cluster(vectors, lengths(vectors), longest=100)
    assert max(map(len, groups)) <= 10


def test_what_cannot_be_told_apart_is_cut_evenly():
    vectors = np.tile(topics((1,)), (40, 1))
    groups = cluster(vectors, lengths(vectors), longest=100)
    assert sorted(np.concatenate(groups).tolist()) == list(range(40))
    assert max(map(len, groups)) <= 10


def test_a_single_row_may_be_too_long():
    vectors = topics((3,))
    groups = cluster(vectors, lengths(vectors, 5000), longest=100)
    assert sorted(rows.tolist() for rows in groups) == [[0], [1], [2]]


@pytest.mark.parametrize("count", [1, 2, 11])
def test_few_rows_stay_together(count):
    vectors = topics((count,))
    assert [rows.tolist() for rows in cluster(vectors, lengths(vectors), 10_000)] == [
        list(range(count))
    ]


def test_the_same_rows_make_the_same_groups():
    vectors = topics((60, 60), mixed=20, spread=0.2)
    first, second = (cluster(vectors, lengths(vectors), 300) for _ in range(2))
    assert [rows.tolist() for rows in first] == [rows.tolist() for rows in second]


def test_another_reduction_can_be_given():
    asked = []

    def first_two(vectors, neighbours):
        asked.append((len(vectors), neighbours))
        return vectors[:, :2].astype(np.float64)

    vectors = topics((50, 50))
    cluster(vectors, lengths(vectors), 10_000, first_two)
    assert asked[0] == (100, 10)  # global: the root of the number of rows
    assert {neighbours for _, neighbours in asked[1:]} == {10}


def test_principal_axes_keep_the_widest_directions():
    points = principal_axes(topics((40, 40)))
    assert points.shape == (80, 10)
    assert np.all(np.diff(points.var(axis=0)) <= 1e-12)
    assert abs(points[:40, 0].mean() - points[40:, 0].mean()) > 1
    assert principal_axes(topics((20,))[:, :4]).shape == (20, 4)


@pytest.mark.parametrize(
    ("module", "work", "extra"),
    [
        ("sklearn.mixture", lambda rows: cluster(rows, lengths(rows), 100), "eval"),
        ("umap", lambda rows: umap_axes(rows, 5), "umap"),
    ],
)
def test_given_a_missing_library_then_its_extra_is_named(monkeypatch, module, work, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"bridgerag\[{extra}\]"):
        work(topics((20,)))
