"""Rows go into a table in blocks, in order, and no more of them are held than a block."""

import sqlite3

import pytest

from bridgerag.store.rows import RowBlocks


@pytest.mark.parametrize(
    "counts", [[], [0], [1], [128], [129], [50, 0, 78, 1, 5_000], [127, 1, 256]]
)
def test_rows_arrive_in_order_and_few_are_held(counts):
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (a, b, c, d, e, f, g)")
    drawn = 0

    def rows(count):
        nonlocal drawn
        for _ in range(count):
            (stored,) = connection.execute("SELECT count(*) FROM t").fetchone()
            assert drawn - stored <= 900 // 7
            yield (drawn, None, "x", b"y", 2, 3, 4)
            drawn += 1

    blocks = RowBlocks(connection, "t", 7)
    for count in counts:
        blocks.add(rows(count))
    blocks.flush()
    assert connection.execute("SELECT a, b, g FROM t ORDER BY rowid").fetchall() == [
        (number, None, 4) for number in range(sum(counts))
    ]
