"""The checksum of a row, beside zlib's over the same text."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag._native import row_checksum, row_is_sound

columns = st.one_of(
    st.none(),
    st.text(),
    st.binary(),
    st.integers(-(2**63), 2**63 - 1),
)


def plain(values):
    texts = [
        "" if value is None else value.hex() if isinstance(value, bytes) else str(value)
        for value in values
    ]
    return zlib.crc32("\x1f".join(texts).encode())


@given(st.lists(columns))
def test_it_is_the_crc_32_of_the_values_as_text(values):
    assert row_checksum(*values) == plain(values)
    assert row_is_sound((*values, plain(values)))
    assert not row_is_sound((*values, plain(values) ^ 1))
    assert not row_is_sound((*values, None))


@pytest.mark.parametrize("size", [*range(20), 1000, 100_003])
def test_long_texts_are_read_whole(size):
    assert row_checksum("ab" * size) == zlib.crc32(b"ab" * size)


@pytest.mark.parametrize(("value", "error"), [(1.5, TypeError), (2**63, ValueError)])
def test_what_is_no_column_of_ours_is_refused(value, error):
    with pytest.raises(error):
        row_checksum("a", value)
