"""Work is shared by threads; what follows from it keeps the order, and is bounded."""

import threading
import time

import pytest

from bridgerag.ingest.in_order import InOrder

LARGE = 1 << 20  # a group of its own


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("size", [100, 9_000, LARGE])
def test_what_follows_keeps_the_order_whoever_is_done_first(threads, size):
    def slow_first(number):
        time.sleep(0.002 * (number % 3 == 0))
        return number * number

    told = []
    work = InOrder(slow_first, threads)
    for number in range(50):
        work.give(number, size, lambda square, number=number: told.append((number, square)))
        if number % 10 == 9:
            work.then(lambda number=number: told.append(f"after {number}"))
    work.drain()
    work.stop()
    expected = []
    for number in range(50):
        expected.append((number, number * number))
        if number % 10 == 9:
            expected.append(f"after {number}")
    assert told == expected


def test_given_nothing_to_wait_for_then_a_step_is_done_at_once():
    told = []
    work = InOrder(str, 1)
    work.then(lambda: told.append(1))
    assert told == [1]
    work.stop()


def test_no_more_is_begun_than_the_threads_need():
    begun, most, lock = [], [], threading.Lock()

    def count(number):
        with lock:
            begun.append(number)
        return number

    work = InOrder(count, 2)
    for number in range(40):
        work.give(number, LARGE, lambda done: most.append(len(begun) - done))
    work.drain()
    work.stop()
    assert max(most) <= 2 * 2 + 1


def test_an_error_is_raised_where_its_result_was_due():
    told = []
    work = InOrder(lambda number: 1 // number, 2)
    for number in (1, 0, 1):
        work.give(number, LARGE, told.append)
    with pytest.raises(ZeroDivisionError):
        work.drain()
    assert told == [1]
    work.stop()


def test_what_was_given_before_a_failure_in_one_group_is_handed_on():
    told = []
    work = InOrder(lambda number: 1 // (5 - number), 2)
    for number in range(10):
        work.give(number, 10, lambda _, number=number: told.append(number))
        work.then(lambda number=number: told.append(f"after {number}"))
    with pytest.raises(ZeroDivisionError):
        work.drain()
    work.stop()
    assert told == [each for number in range(5) for each in (number, f"after {number}")]


def test_given_steps_behind_a_small_item_then_they_do_not_wait_for_the_end():
    told = []
    work = InOrder(str, 2)
    work.give(1, 10, told.append)
    for number in range(3_000):
        work.then(lambda number=number: told.append(number))
        assert len(told) >= number - 2_000
    work.drain()
    work.stop()
    assert told == ["1", *range(3_000)]


@pytest.mark.parametrize("size", [0, 1])
def test_given_items_of_hardly_any_size_then_they_do_not_wait_for_the_end(size):
    told = []
    work = InOrder(str, 1)
    for number in range(50_000):
        work.give(number, size, told.append)
        assert len(told) >= number - 20_000
    work.drain()
    work.stop()
    assert told == [*map(str, range(50_000))]
