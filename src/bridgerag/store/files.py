"""Checksummed files: a 64-byte header, a payload that is used in place through `mmap`, checksums.

The header, little-endian:

    0   8 bytes   magic "BRIDGERA"
    8   u32       format version of this file
    12  4 bytes   kind of payload, for example "VECS"
    16  u64       payload length in bytes
    24  u32       CRC-32 of the checksums behind the payload
    28  u32       CRC-32 of the header's other bytes, with this field 0
    32  u64 × 2   two numbers that belong to the kind: rows and width of a matrix, or 0
    48  16 bytes  zero

Behind the payload stands one u32 for each 16 KiB of it, the last block shorter: the block's CRC-32.
A reader checks the blocks that it is about to use, each once: opening a file costs no pass over it,
and an altered byte is noticed before it can change an answer.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from bridgerag.errors import FormatTooNew, StoreDamaged, StoreError

__all__ = [
    "BLOCK_BYTES",
    "FORMAT",
    "HEADER_BYTES",
    "MappedFile",
    "Sink",
    "map_file",
    "sync_folder",
    "verify",
    "write_file",
    "write_pieces",
]

FORMAT = 1
HEADER_BYTES = 64
BLOCK_BYTES = 1 << 14  # a checksum each
_CHECKED_BLOCKS = 64  # at a time: 1 MB
_MAGIC = b"BRIDGERA"
_HEADER = struct.Struct("<8sI4sQIIQQ16x")


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file in memory: its payload, the two numbers of its header, and its checksums.

    Attributes:
        sums: one a block of the payload.
        checked: which blocks have been compared with their checksums; only ever set.
    """

    path: Path
    payload: memoryview
    rows: int
    width: int
    sums: NDArray[np.uint32]
    checked: NDArray[np.bool_]

    def check(self, keep: bool = True) -> None:
        """Raise `StoreDamaged` unless the whole payload is as it was written.

        What was checked before costs nothing again; otherwise about 0.2 ms a megabyte.

        Args:
            keep: whether what was read may stay in memory.
        """
        blocks = np.flatnonzero(~self.checked)
        for first in range(0, len(blocks), _CHECKED_BLOCKS):
            self.check_blocks(blocks[first : first + _CHECKED_BLOCKS].tolist())
            if not keep:
                self.give_back()

    def check_rows(self, rows: NDArray[np.uint32] | None, row_bytes: int) -> None:
        """Raise `StoreDamaged` unless some rows of a matrix are as they were written.

        Args:
            rows: any order, repeats allowed; None means all.
        """
        if self.checked.all():
            return
        if rows is None:
            self.check()
            return
        if not row_bytes:
            return
        first = rows.astype(np.int64) * row_bytes
        touched = np.zeros(len(self.checked), bool)
        for offset in (*range(0, row_bytes - 1, BLOCK_BYTES), row_bytes - 1):
            touched[(first + offset) // BLOCK_BYTES] = True
        self.check_blocks(np.flatnonzero(touched & ~self.checked).tolist())

    def give_back(self) -> None:
        """Let the system take back the memory of the payload; what is used again is read again.

        Nothing happens where the system knows no such thing, or where changes would be lost.
        """
        mapping = self.payload.obj
        if isinstance(mapping, mmap.mmap) and self.payload.readonly and hasattr(mapping, "madvise"):
            mapping.madvise(mmap.MADV_DONTNEED)

    def check_blocks(self, blocks: Iterable[int]) -> None:
        """Raise `StoreDamaged` unless some blocks, by their numbers, are as they were written."""
        for block in blocks:
            data = self.payload[block * BLOCK_BYTES : (block + 1) * BLOCK_BYTES]
            if zlib.crc32(data) != self.sums[block]:
                raise StoreDamaged(self.path, "its content does not match its checksum")
            self.checked[block] = True


class Sink(Protocol):
    """Takes the payload of an index in pieces; see sink.h."""

    def start(self, size: int) -> None:
        """Take note of how long the payload is, before its first piece.

        Said once more, it makes void what was written, and the payload begins anew.
        """

    def write(self, offset: int, piece: memoryview) -> None:
        """Take a piece that starts ``offset`` bytes into the payload; it is gone afterwards."""

    def rest(self) -> None:
        """Hear that some megabytes were read, of which none need stay in memory."""


def write_file(
    path: Path, kind: bytes, parts: Iterable[bytes | memoryview], rows: int = 0, width: int = 0
) -> int:
    """Write a complete file and force it to the disk; return its size in bytes."""
    sums = _Sums()
    with path.open("xb") as file:
        file.write(bytes(HEADER_BYTES))
        for part in parts:
            file.write(part)
            sums.add(part)
        return _complete(file, kind, sums, rows, width)


def write_pieces(path: Path, kind: bytes, fill: Callable[[Sink], None]) -> int:
    """Write a complete file whose payload comes in pieces; return its size in bytes.

    Args:
        fill: gives the file its payload.

    The payload is read once more for its checksums. Memory: a block.
    """
    sums = _Sums()
    with path.open("x+b") as file:
        fill(_PieceFile(file))
        file.seek(HEADER_BYTES)
        while block := file.read(BLOCK_BYTES):
            sums.add(block)
        return _complete(file, kind, sums)


@dataclass(frozen=True, slots=True)
class _PieceFile:
    """The sink of `write_pieces`; what no piece says is zero, as in every hole of a file."""

    file: BinaryIO

    def start(self, size: int) -> None:
        """Make room for a payload of ``size`` bytes, all zero."""
        self.file.truncate(0)
        self.file.truncate(HEADER_BYTES + size)

    def write(self, offset: int, piece: memoryview) -> None:
        """Write a piece ``offset`` bytes into the payload."""
        self.file.seek(HEADER_BYTES + offset)
        self.file.write(piece)

    def rest(self) -> None:
        """Do nothing: pieces are not kept."""


class _Sums:
    """The checksums of a payload that goes by: one a block."""

    def __init__(self) -> None:
        self.length = 0
        self._whole: list[int] = []
        self._running = 0

    def add(self, part: bytes | memoryview) -> None:
        rest = memoryview(part)
        while rest:
            here = rest[: BLOCK_BYTES - self.length % BLOCK_BYTES]
            self._running = zlib.crc32(here, self._running)
            self.length, rest = self.length + len(here), rest[len(here) :]
            if self.length % BLOCK_BYTES == 0:
                self._whole.append(self._running)
                self._running = 0

    def table(self) -> bytes:
        last = [self._running] if self.length % BLOCK_BYTES else []
        return np.array(self._whole + last, "<u4").tobytes()


def _complete(file: BinaryIO, kind: bytes, sums: _Sums, rows: int = 0, width: int = 0) -> int:
    """Write checksums behind a payload and the header before it; force all to the disk."""
    table, length = sums.table(), sums.length
    file.write(table)
    table_crc = zlib.crc32(table)
    bare = _HEADER.pack(_MAGIC, FORMAT, kind, length, table_crc, 0, rows, width)
    header = (_MAGIC, FORMAT, kind, length, table_crc, zlib.crc32(bare), rows, width)
    file.seek(0)
    file.write(_HEADER.pack(*header))
    file.flush()
    os.fsync(file.fileno())
    return HEADER_BYTES + length + len(table)


def map_file(path: Path, kind: bytes, private: bool = False) -> MappedFile:
    """Map a file and check its header and length; the payload is left to `MappedFile.check`.

    Args:
        private: make the mapping writable; what is written stays in this process. Check it first.

    Raises:
        StoreDamaged: the file is missing, cut short, of another kind, or its header is altered.
        StoreError: the system does not let it be read.
        FormatTooNew: a later release wrote it.
    """
    mapped = _map(path, mmap.ACCESS_COPY if private else mmap.ACCESS_READ)
    if len(mapped) < HEADER_BYTES:
        raise StoreDamaged(path, f"it has {len(mapped)} bytes, fewer than its header")
    magic, version, found, length, crc, header_crc, rows, width = _HEADER.unpack_from(mapped)
    if magic != _MAGIC:
        raise StoreDamaged(path, "it does not start like a file of a store")
    bare = _HEADER.pack(magic, version, found, length, crc, 0, rows, width)
    if zlib.crc32(bare) != header_crc:
        raise StoreDamaged(path, "its header is altered")
    if version > FORMAT:
        raise FormatTooNew(path, version, FORMAT)
    if found != kind:
        raise StoreDamaged(path, f"it holds {found!r}, expected {kind!r}")
    end, blocks = HEADER_BYTES + length, -(-length // BLOCK_BYTES)
    if len(mapped) != end + 4 * blocks:
        raise StoreDamaged(path, f"it has {len(mapped)} bytes, expected {end + 4 * blocks}")
    if zlib.crc32(mapped[end:]) != crc:
        raise StoreDamaged(path, "its checksums are altered")
    sums = np.frombuffer(mapped[end:], "<u4") if blocks else np.empty(0, np.uint32)
    return MappedFile(path, mapped[HEADER_BYTES:end], rows, width, sums, np.zeros(blocks, bool))


def verify(path: Path, kind: bytes) -> None:
    """Raise `StoreDamaged` unless a file is as it was written, read whole."""
    map_file(path, kind).check()
    with path.open("rb") as file:
        if any(file.read(HEADER_BYTES)[48:]):
            raise StoreDamaged(path, "its header is altered")


def sync_folder(path: Path) -> None:
    """Force a folder's entries to the disk, where the system can."""
    if os.name == "nt":  # folders cannot be opened for syncing there
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _map(path: Path, access: int) -> memoryview:
    try:
        with path.open("rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=access))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise StoreDamaged(path, "the file is missing") from error
    except OSError as error:
        raise StoreError(path, f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # mmap refuses an empty file
        raise StoreDamaged(path, "the file is empty") from error
