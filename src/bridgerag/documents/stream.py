"""Open a file as a stream of its decompressed bytes, within limits."""

from __future__ import annotations

import gzip
import io
import stat
from pathlib import Path
from typing import BinaryIO

from bridgerag.documents.names import document_id
from bridgerag.errors import UnreadableFile

__all__ = ["DOCUMENT_BYTES", "UNPACKED_BYTES", "check_file", "open_stream", "read_all"]

DOCUMENT_BYTES = 512 * 2**20  # of one document
UNPACKED_BYTES = 2**30  # of one .gz

_SPECIAL = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def check_file(path: Path) -> None:
    """Look whether ``path`` can be read to its end: a pipe waits forever, a device has no end.

    Raises:
        UnreadableFile: it is no regular file, or empty.
        OSError: it cannot be looked at.
    """
    status = path.stat()
    for is_kind, name in _SPECIAL:
        if is_kind(status.st_mode):
            raise UnreadableFile(document_id(path), f"is {name}, not a file")
    if status.st_size == 0:
        raise UnreadableFile(document_id(path), "is empty")


def open_stream(path: Path) -> BinaryIO:
    """Return a stream of the bytes in ``path``; those in a ``.gz`` are decompressed on the way.

    Raises:
        UnreadableFile: as `check_file` says.
        OSError: it cannot be opened.
    """
    check_file(path)
    if path.suffix.lower() != ".gz":
        return path.open("rb")
    return io.BufferedReader(_Unpacked(path), buffer_size=2**16)


def read_all(stream: BinaryIO, path: Path) -> bytes:
    """Return what is left in ``stream``.

    Raises:
        UnreadableFile: it is more than `DOCUMENT_BYTES`; no more than that is ever held.
    """
    data = stream.read(DOCUMENT_BYTES + 1)
    if len(data) > DOCUMENT_BYTES:
        found = f"more than {_mb(DOCUMENT_BYTES)}"
        if path.suffix.lower() != ".gz":
            found = _mb(path.stat().st_size)
        reason = f"holds {found}; the limit for one document is {_mb(DOCUMENT_BYTES)}, split it"
        raise UnreadableFile(document_id(path), reason)
    return data


class _Unpacked(io.RawIOBase):
    """The bytes in a .gz file, up to `UNPACKED_BYTES`."""

    def __init__(self, path: Path) -> None:
        self.path, self.count = path, 0
        self.file = gzip.open(path, "rb")  # noqa: SIM115  closed by `close`

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        count = self.file.readinto(buffer)
        self.count += count
        if self.count > UNPACKED_BYTES:
            reason = f"unpacks to more than {_mb(UNPACKED_BYTES)}; unpack it first"
            raise UnreadableFile(document_id(self.path), reason)
        return count

    def close(self) -> None:
        self.file.close()
        super().close()


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / 2**20:,.0f} MB"
