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


class Meter:
    """Tells a `Progress` how far an add has come, and guesses how many chunks there will be."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._files = self._files_total = 0
        self._bytes_total = self._bytes_done = self._chars_open = 0
        self._chunks = self._embedded = 0
        self._stopped = False
        self._lock = Lock()

    def expect(self, files: Sequence[Path]) -> None:
        """Say which files are to come; their sizes are the measure of the work."""
        if self._progress is not None:
            for path in files:
                with suppress(OSError, ValueError):
                    self._bytes_total += os.stat(path).st_size  # noqa: PTH116  ten thousand times
        self._files_total = len(files)
        self._tell("files", 0, self._files_total)

    def file_done(self, size: int) -> None:
        """Say that one file of ``size`` bytes is finished."""
        self._files += 1
        self._bytes_done += size
        self._chars_open = 0
        self._tell("files", self._files, self._files_total)

    def chunked(self, chunks: int, chars: int) -> None:
        """Say that a document of the file at hand was cut into chunks."""
        self._chunks += chunks
        self._chars_open += chars
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
        done = self._bytes_done + self._chars_open
        if not done or self._files == self._files_total:
            return self._chunks
        return max(self._chunks, round(self._chunks * self._bytes_total / done))

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self._progress is not None:
            with self._lock:
                self._progress(stage, done, total)
