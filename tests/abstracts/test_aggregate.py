"""An abstract's vector is the direction of the mean of its chunks."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.abstracts.aggregate import aggregate
from bridgerag.forest import grow, join


@given(st.lists(st.integers(1, 30), min_size=1, max_size=3), st.integers(1, 4), st.integers(2, 4))
def test_an_abstracts_vector_is_the_direction_of_its_chunks_mean(sizes, window, branching):
    forest, _, _ = join([grow(size, window, branching) for size in sizes])
    rows = np.random.default_rng(sum(sizes)).normal(size=(sum(sizes), 6))
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    found = aggregate(vectors, forest)
    for number, row in enumerate(found):
        first, count = int(forest.first_chunk[number]), int(forest.chunk_count[number])
        mean = vectors[first : first + count].astype(np.float64).mean(axis=0)
        np.testing.assert_allclose(row, mean / np.linalg.norm(mean), atol=1e-5)


def test_given_no_embeddings_then_the_rows_are_empty():
    assert aggregate(np.zeros((7, 0), np.float32), grow(7, 5, 5)).shape == (3, 0)
