import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag._native import dot_rows, rank

DTYPES = [np.float32, np.float16, np.int8]


@st.composite
def searches(draw):
    """Small whole numbers: sums are exact in float32, and ties are real."""
    dim, count = draw(st.integers(1, 40)), draw(st.integers(1, 30))
    seed = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = seed.integers(-3, 4, (count, dim)).astype(draw(st.sampled_from(DTYPES)))
    rows = rows[seed.integers(0, count, count)]  # some repeat
    query = seed.integers(-3, 4, dim).astype(np.float32)
    pool = seed.permutation(count)[: draw(st.integers(0, count))].astype(np.uint32)
    return query, rows, pool, draw(st.integers(0, count + 2))


@given(searches())
def test_rank_agrees_with_sorting_everything(twins, search):
    query, rows, pool, k = search
    scores = twins.cosines(query, rows).astype(np.float32)
    if rows.dtype == np.int8:  # the root is rounded: take the kernel's own scores for the order
        everything = np.arange(len(rows), dtype=np.uint32)
        exact, scores = scores, dot_rows(query, rows, everything)
        np.testing.assert_allclose(scores, exact, rtol=1e-6)
    ids, found = rank(query, rows, pool, k)
    assert ids.tolist() == twins.rank_by_sorting_everything(scores, pool.tolist(), k)
    assert (found == scores[ids]).all()
    ids, found = rank(query, rows, None, k)
    assert ids.tolist() == twins.rank_by_sorting_everything(scores, range(len(rows)), k)
    assert (dot_rows(query, rows, pool) == scores[pool]).all()
    assert (dot_rows(query, rows, None) == scores).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dim", [1, 7, 384, 1001])
def test_scores_are_cosines_at_any_width(twins, dtype, dim):
    random = np.random.default_rng(dim)
    rows = random.normal(size=(50, dim))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows = (rows * 120).astype(np.int8) if dtype == np.int8 else rows.astype(dtype)
    query = random.normal(size=dim).astype(np.float32)
    query /= np.linalg.norm(query)
    np.testing.assert_allclose(dot_rows(query, rows, None), twins.cosines(query, rows), atol=2e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_scores_the_same_bits_in_a_pool_and_in_a_full_scan(dtype):
    random = np.random.default_rng(0)
    rows = (random.normal(size=(500, 384)) * 5).astype(dtype)
    query = random.normal(size=384).astype(np.float32)
    everywhere = dot_rows(query, rows, None)
    pool = random.permutation(500)[:100].astype(np.uint32)
    assert dot_rows(query, rows, pool).tobytes() == everywhere[pool].tobytes()
    ids, scores = rank(query, rows, pool, 10)
    assert scores.tobytes() == everywhere[ids].tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_row_with_a_nan_comes_last(dtype):
    rows = np.eye(4, dtype=dtype)
    rows[1, 0] = np.nan
    ids, scores = rank(np.array([1, 0, 0, 0], np.float32), rows, None, 4)
    assert ids.tolist() == [0, 2, 3, 1]
    assert scores[-1] == -np.inf


def test_an_int8_row_of_zeros_scores_zero():
    rows = np.array([[0, 0], [-3, -4], [30, 40]], np.int8)
    ids, scores = rank(np.array([0.6, 0.8], np.float32), rows, None, 3)
    assert ids.tolist() == [2, 0, 1]
    np.testing.assert_allclose(scores, [1, 0, -1], rtol=1e-6)


def test_rows_of_a_mapped_file_are_ranked_in_place(tmp_path):
    np.save(tmp_path / "rows.npy", np.eye(5, dtype=np.float16))
    rows = np.load(tmp_path / "rows.npy", mmap_mode="r")
    ids, _ = rank(np.eye(5, dtype=np.float32)[3], rows, None, 1)
    assert ids.tolist() == [3]


def test_nothing_to_rank_gives_nothing():
    query, rows = np.ones(3, np.float32), np.zeros((0, 3), np.float16)
    nothing = np.array([], np.uint32)
    for pool in (None, nothing):
        ids, scores = rank(query, rows, pool, 5)
        assert (len(ids), len(scores)) == (0, 0)


def test_what_cannot_be_is_refused_with_what_was_found():
    query, rows = np.ones(3, np.float32), np.zeros((2, 3), np.float32)
    with pytest.raises(ValueError, match="query has 3 numbers, a row 4"):
        rank(query, np.zeros((2, 4), np.float32), None, 1)
    with pytest.raises(ValueError, match="float32, float16 or int8"):
        rank(query, rows.astype(np.float64), None, 1)
    with pytest.raises(ValueError, match="k is -1; it must be 0 or more"):
        rank(query, rows, None, -1)
    with pytest.raises(IndexError, match="pool names row 2; there are 2"):
        rank(query, rows, np.array([0, 2], np.uint32), 1)
    with pytest.raises(IndexError, match="pool names row 4294967295"):
        dot_rows(query, rows, np.array([2**32 - 1], np.uint32))
    with pytest.raises(TypeError):
        rank(query, np.asfortranarray(np.zeros((4, 3), np.float32)), None, 1)
