"""Files that survive a crash: lines of JSON that are only added, and files replaced as a whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["Lines", "read_lines", "replace_file"]

_SYNC_EVERY = 64


class Lines:
    """Adds JSON objects to a file, a line each; what a crash cut short is dropped when it opens.

    A process that is killed loses no line that was added; a power cut may take the last few.
    """

    def __init__(self, path: Path) -> None:
        sound = sum(length for _, length in _sound(path))
        self._file: BinaryIO = path.open("ab")
        self._file.truncate(sound)
        self._unsynced = 0

    def add(self, row: dict[str, Any]) -> None:
        """Add one line."""
        self._file.write(json.dumps(row, allow_nan=False).encode() + b"\n")
        self._file.flush()
        self._unsynced += 1
        if self._unsynced >= _SYNC_EVERY:
            self._sync()

    def close(self) -> None:
        """Sync and close the file."""
        self._sync()
        self._file.close()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._unsynced = 0


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects in a file of lines, up to one that is cut short; none where no file is."""
    for row, _ in _sound(path):
        yield row


def replace_file(path: Path, data: bytes) -> None:
    """Make ``data`` the content of ``path``: after a crash it is the old or the new one, whole."""
    draft = path.with_name(path.name + ".draft")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _sound(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield each sound line's object with the line's length in bytes."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for line in file:
            try:
                row = json.loads(line)
            except ValueError:
                return
            if not (isinstance(row, dict) and line.endswith(b"\n")):
                return
            yield row, len(line)
