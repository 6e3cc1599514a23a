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
