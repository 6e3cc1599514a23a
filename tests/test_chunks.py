"""Chunks in columns are the chunks that they were made of."""

import pytest

from bridgerag.chunks import Chunks
from bridgerag.types import Chunk

CHUNKS = [
    Chunk(1, 9, 5, ((1, 4), (5, 9)), ("A", "b"), 2, None),
    Chunk(9, 12, 3, ((9, 12),)),
    Chunk(13, 20, 7, ((13, 15), (15, 17), (18, 20)), (), None, 4),
]


def test_chunks_come_back_as_they_were():
    columns = Chunks.of(CHUNKS)
    assert list(columns) == CHUNKS
    assert len(columns) == 3
    assert columns[-1] == CHUNKS[-1]
    assert columns[1:] == CHUNKS[1:]
    assert columns[::-2] == CHUNKS[::-2]
    assert Chunks.of(columns) is columns
    with pytest.raises(IndexError):
        columns[3]


def test_columns_say_what_the_chunks_do():
    columns = Chunks.of(CHUNKS)
    assert columns.starts == [1, 9, 13]
    assert columns.ends == [9, 12, 20]
    assert columns.headings == [("A", "b"), (), ()]


def test_there_may_be_no_chunk():
    assert list(Chunks.of([])) == []
    assert Chunks.of([]).starts == Chunks.of([]).ends == []
