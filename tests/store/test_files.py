"""Files with a checksummed header: what was written is read back, what was altered is refused."""

import random

import numpy as np
import pytest

from bridgerag.errors import FormatTooNew, StoreDamaged
from bridgerag.store.files import (
    BLOCK_BYTES,
    HEADER_BYTES,
    map_file,
    verify,
    write_file,
    write_pieces,
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "numbers.bin"
    write_file(path, b"NUMB", [b"abcd", np.arange(6, dtype="<u4").tobytes()], rows=3, width=2)
    return path


def test_given_a_written_file_then_it_maps_back(file):
    mapped = map_file(file, b"NUMB")
    assert bytes(mapped.payload[:4]) == b"abcd"
    assert np.frombuffer(mapped.payload[4:], "<u4").tolist() == [0, 1, 2, 3, 4, 5]
    assert (mapped.rows, mapped.width) == (3, 2)
    verify(file, b"NUMB")


def test_given_a_private_mapping_then_the_file_stays_as_it_was(file):
    before = file.read_bytes()
    map_file(file, b"NUMB", private=True).payload[0] = 0
    assert file.read_bytes() == before


def test_given_any_flipped_header_bit_then_the_file_is_refused(file):
    whole = bytearray(file.read_bytes())
    for bit in range(HEADER_BYTES * 8 - 16 * 8):  # the last 16 bytes are padding
        whole[bit // 8] ^= 1 << bit % 8
        file.write_bytes(whole)
        with pytest.raises((StoreDamaged, FormatTooNew)):
            map_file(file, b"NUMB")
        whole[bit // 8] ^= 1 << bit % 8


def test_given_any_flipped_payload_byte_then_verify_says_so(file):
    whole = bytearray(file.read_bytes())
    for position in range(HEADER_BYTES, len(whole)):
        whole[position] ^= 0x40
        file.write_bytes(whole)
        with pytest.raises(StoreDamaged, match="checksum"):
            verify(file, b"NUMB")
        whole[position] ^= 0x40


def test_given_a_file_cut_short_anywhere_then_it_is_refused(file):
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(StoreDamaged):
            map_file(file, b"NUMB")


def test_given_another_kind_of_file_then_it_is_refused(file):
    with pytest.raises(StoreDamaged, match="expected b'VECS'"):
        map_file(file, b"VECS")


def test_given_no_file_then_the_error_says_which(tmp_path):
    with pytest.raises(StoreDamaged, match=r"gone\.bin is damaged: the file is missing"):
        map_file(tmp_path / "gone.bin", b"NUMB")


@pytest.fixture
def matrix(tmp_path):
    """A file of many blocks: 500 rows of 200 bytes, written in uneven parts."""
    path = tmp_path / "rows.bin"
    rows = np.arange(500 * 100, dtype="<u2").reshape(500, 100)
    write_file(path, b"ROWS", [rows[:7].tobytes(), rows[7:400].tobytes(), rows[400:].tobytes()])
    return path


def test_given_rows_in_other_blocks_than_the_damage_then_they_are_still_good(matrix):
    whole = bytearray(matrix.read_bytes())
    whole[HEADER_BYTES + 250 * 200] ^= 1
    matrix.write_bytes(whole)
    mapped = map_file(matrix, b"ROWS")
    mapped.check_rows(np.array([499, 3, 3, 0], np.uint32), 200)
    with pytest.raises(StoreDamaged, match="checksum"):
        mapped.check_rows(np.array([250], np.uint32), 200)
    for rows in (None, np.arange(500, dtype=np.uint32)):
        with pytest.raises(StoreDamaged, match="checksum"):
            mapped.check_rows(rows, 200)


@pytest.mark.parametrize("row_bytes", [2, 200, 20_000, 50_000])
def test_every_block_that_a_row_touches_is_checked(matrix, row_bytes):
    whole = matrix.read_bytes()
    chance = np.random.default_rng(row_bytes)
    for row in chance.integers(0, 100_000 // row_bytes, 20):
        damaged = bytearray(whole)
        at = HEADER_BYTES + int(row) * row_bytes + int(chance.integers(0, row_bytes))
        damaged[at] ^= 8
        matrix.write_bytes(damaged)
        with pytest.raises(StoreDamaged, match="checksum"):
            map_file(matrix, b"ROWS").check_rows(np.array([row], np.uint32), row_bytes)


def test_given_a_block_that_was_checked_then_it_is_not_read_again(matrix):
    mapped = map_file(matrix, b"ROWS")
    mapped.check_rows(np.array([0], np.uint32), 200)
    assert mapped.checked.tolist() == [True, *[False] * (len(mapped.checked) - 1)]
    mapped.check()
    assert mapped.checked.all()


def test_given_altered_checksums_then_the_file_is_refused(matrix):
    whole = bytearray(matrix.read_bytes())
    whole[-1] ^= 1
    matrix.write_bytes(whole)
    with pytest.raises(StoreDamaged, match="its checksums are altered"):
        map_file(matrix, b"ROWS")


def test_given_an_empty_payload_then_it_has_no_blocks(tmp_path):
    write_file(tmp_path / "none.bin", b"NONE", [])
    map_file(tmp_path / "none.bin", b"NONE").check()
    verify(tmp_path / "none.bin", b"NONE")


@pytest.mark.parametrize("size", [0, 1, BLOCK_BYTES - 1, BLOCK_BYTES, 3 * BLOCK_BYTES + 5])
def test_given_pieces_in_any_order_then_the_file_is_that_of_the_whole_payload(tmp_path, size):
    payload = bytearray(random.Random(size).randbytes(size))
    payload[100:200] = bytes(len(payload[100:200]))  # what no piece says
    starts = [at for at in range(0, size, 100) if at != 100]
    random.Random(1).shuffle(starts)

    def fill(sink):
        sink.start(size)
        for at in starts:
            sink.write(at, memoryview(payload)[at : at + 100])
            sink.rest()

    written = write_pieces(tmp_path / "pieces", b"NUMB", fill)
    assert written == write_file(tmp_path / "whole", b"NUMB", [bytes(payload)])
    assert (tmp_path / "pieces").read_bytes() == (tmp_path / "whole").read_bytes()
    verify(tmp_path / "pieces", b"NUMB")


def test_given_a_payload_that_begins_anew_then_nothing_is_left_of_what_was_written(tmp_path):
    def fill(sink):
        sink.start(3 * BLOCK_BYTES)
        sink.write(0, memoryview(b"void" * BLOCK_BYTES)[: 3 * BLOCK_BYTES])
        sink.start(2 * BLOCK_BYTES)
        sink.write(8, memoryview(b"good"))

    write_pieces(tmp_path / "pieces", b"NUMB", fill)
    write_file(tmp_path / "whole", b"NUMB", [bytes(8) + b"good" + bytes(2 * BLOCK_BYTES - 12)])
    assert (tmp_path / "pieces").read_bytes() == (tmp_path / "whole").read_bytes()


def test_given_a_file_that_is_there_then_pieces_do_not_overwrite_it(file):
    with pytest.raises(FileExistsError):
        write_pieces(file, b"NUMB", lambda sink: sink.start(0))
