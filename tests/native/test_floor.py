import numpy as np
import pytest

from bridgerag._native import chase_lines, sum_lines


def lines_of(numbers):
    lines = np.zeros((len(numbers), 8), np.uint64)
    lines[:, 0] = numbers
    return lines


def test_a_chase_follows_the_lines():
    assert [chase_lines(lines_of([2, 0, 1]), steps) for steps in range(4)] == [0, 2, 1, 0]
    assert chase_lines(lines_of([99, 0, 1]), 1) == 2  # a line that is not there is the last


@pytest.mark.parametrize("ahead", [0, 1, 3, 100])
def test_a_sum_reads_lines_in_any_order(ahead):
    order = np.array([1, 1, 0, 99], np.uint32)
    assert sum_lines(lines_of([5, 7, 11]), order, ahead) == 7 + 7 + 5 + 11
    assert sum_lines(lines_of([5]), order[:0], ahead) == 0


def test_what_is_no_line_is_refused():
    with pytest.raises(ValueError, match="1 rows of 3 numbers; it must have one row or more, of 8"):
        chase_lines(np.zeros((1, 3), np.uint64), 1)
    with pytest.raises(ValueError, match="0 rows"):
        sum_lines(np.zeros((0, 8), np.uint64), np.zeros(1, np.uint32), 1)
