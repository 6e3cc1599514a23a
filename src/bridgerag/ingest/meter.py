"""How far an add has come, for whoever watches it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from pathlib import Path
from threading import Lock

from bridgerag.protocols import Progress

__all__ = ["Meter"]


_PACKED = 3  # times a .gz of text is smaller than its text, about
_MOST_OPEN = 0.95  # of a file that is being read counts as read


class Meter:
    """Tells a `Progress` how far an add has come, and guesses how many chunks there will be.

    The measure of the work to come is the size of the files: what has been read so far says how
    many chunks a byte gives. Chunks count as done when they are embedded, which is what takes long.
    """

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._files = self._files_total = 0
        self._work_total = self._work_done = 0  # in bytes
        self._open = self._chars = 0  # of the file at hand
        self._chunks = self._embedded = 0
        self._stopped = False
        self._lock = Lock()

    def expect(self, files: Sequence[Path]) -> None:
        """Say which files are to come."""
        if self._progress is not None:
            for path in files:
                with suppress(OSError, ValueError):
                    size = os.stat(path).st_size  # noqa: PTH116  ten thousand times
                    self._work_total += _work(path, size)
        self._files_total = len(files)
        self._tell("files", 0, self._files_total)

    def file_begun(self, path: Path, size: int) -> None:
        """Say that a file of ``size`` bytes is being read."""
        self._open, self._chars = _work(path, size), 0

    def file_done(self) -> None:
        """Say that the file at hand is finished."""
        self._files += 1
        self._work_done += self._open
        self._open = self._chars = 0
        self._tell("files", self._files, self._files_total)

    def chunked(self, chunks: int, chars: int) -> None:
        """Say that a document of the file at hand was cut into chunks."""
        self._chunks += chunks
        self._chars += chars
        self._tell("chunks", self._embedded, self._expected())

    def embedded(self, chunks: int) -> None:
        """Say that chunks were embedded; called by the committing thread."""
        if self._stopped:
            raise CancelledError
        self._embedded += chunks
        self._tell("chunks", self._embedded, self._expected())

    def stop(self) -> None:
        """Make the committing thread give up at its next report."""
        self._stopped = True

    def _expected(self) -> int:
        """Return the chunks to come if the rest of the files is like what was read so far."""
        done = self._work_done + min(self._chars, _MOST_OPEN * self._open)
        if not done or self._files == self._files_total:
            return self._chunks
        return max(self._chunks, round(self._chunks * self._work_total / done))

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self._progress is not None:
            with self._lock:
                self._progress(stage, done, total)


def _work(path: Path, size: int) -> int:
    return size * _PACKED if path.suffix.lower() == ".gz" else size
