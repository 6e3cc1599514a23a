"""Checksummed files: a 64-byte header, then a payload that is used in place through `mmap`.

The header, little-endian:

    0   8 bytes   magic "BRIDGERA"
    8   u32       format version of this file
    12  4 bytes   kind of payload, for example "VECS"
    16  u64       payload length in bytes
    24  u32       CRC-32 of the payload
    28  u32       CRC-32 of the header's other bytes, with this field 0
    32  u64 × 2   two numbers that belong to the kind: rows and width of a matrix, or 0
    48  16 bytes  zero
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bridgerag.errors import FormatTooNew, StoreDamaged, StoreError

__all__ = [
    "FORMAT",
    "HEADER_BYTES",
    "MappedFile",
    "map_file",
    "sync_folder",
    "verify",
    "write_file",
]

FORMAT = 1
HEADER_BYTES = 64
_MAGIC = b"BRIDGERA"
_HEADER = struct.Struct("<8sI4sQIIQQ16x")


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file in memory: its payload, and the two numbers of its header."""

    payload: memoryview
    rows: int
    width: int


def write_file(
    path: Path, kind: bytes, parts: Iterable[bytes], rows: int = 0, width: int = 0
) -> int:
    """Write a complete file and force it to the disk; return its size in bytes."""
    crc, length = 0, 0
    with path.open("xb") as file:
        file.write(bytes(HEADER_BYTES))
        for part in parts:
            file.write(part)
            crc, length = zlib.crc32(part, crc), length + len(part)
        bare = _HEADER.pack(_MAGIC, FORMAT, kind, length, crc, 0, rows, width)
        file.seek(0)
        file.write(_HEADER.pack(_MAGIC, FORMAT, kind, length, crc, zlib.crc32(bare), rows, width))
        file.flush()
        os.fsync(file.fileno())
    return HEADER_BYTES + length


def map_file(path: Path, kind: bytes, private: bool = False) -> MappedFile:
    """Map a file and check its header; the payload's checksum is left to `verify`.

    Args:
        private: make the mapping writable; what is written stays in this process.

    Raises:
        StoreDamaged: the file is missing, cut short, of another kind, or its header is altered.
        StoreError: the system does not let it be read.
        FormatTooNew: a later release wrote it.
    """
    try:
        with path.open("rb") as file:
            access = mmap.ACCESS_COPY if private else mmap.ACCESS_READ
            mapped = memoryview(mmap.mmap(file.fileno(), 0, access=access))
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        raise StoreDamaged(path, "the file is missing") from error
    except OSError as error:
        raise StoreError(path, f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # mmap refuses an empty file
        raise StoreDamaged(path, "the file is empty") from error
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
    if len(mapped) != HEADER_BYTES + length:
        raise StoreDamaged(path, f"it has {len(mapped)} bytes, expected {HEADER_BYTES + length}")
    return MappedFile(mapped[HEADER_BYTES:], rows, width)


def verify(path: Path, kind: bytes) -> None:
    """Raise `StoreDamaged` unless header and payload are as they were written."""
    payload = map_file(path, kind).payload
    with path.open("rb") as file:
        stored = _HEADER.unpack(file.read(HEADER_BYTES))[4]
    if zlib.crc32(payload) != stored:
        raise StoreDamaged(path, "its content does not match its checksum")


def sync_folder(path: Path) -> None:
    """Force a folder's entries to the disk, where the system can."""
    if os.name == "nt":  # folders cannot be opened for syncing there
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
