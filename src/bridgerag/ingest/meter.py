"""How far an add has come, for whoever watches it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from math import inf
from pathlib import Path
from threading import Lock

from bridgerag.protocols import Progress

__all__ = ["Meter"]


_PACKED = 3  # times a .gz of text is smaller than its text, about
_MOST_OPEN = 0.95  # of a file that is being read counts as read


class Meter:
    """Tells a `Progress` how far an add has come, and guesses how many chunks there will be.

    The measure of the work to come is the size of the files: what has been read so far says how
    many chunks a byte gives. What is unchanged gives none and is no work. Documents that are no
    files count alike; where their number is not known, or files come too, no guess is made. Chunks
    count as done when they are embedded, which is what takes long.
    """

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._files = self._files_total = 0
        self._to_come = 0  # files and documents
        self._guesses = True
        self._work_total = self._work_done = 0.0  # in bytes of files, or in documents
        self._open = 0.0  # the work that the file or document at hand is
        self._chars = 0  # what was cut of it
        self._chunks = self._embedded = 0
        self._stopped = False
        self._lock = Lock()  # numbers are told in the order in which they came about

    def expect(self, files: Sequence[Path], documents: int | None = 0) -> None:
        """Say which files are to come, and how many documents beside them, if that is known."""
        if self._progress is not None:
            for path in files:
                with suppress(OSError, ValueError):
                    size = os.stat(path).st_size  # noqa: PTH116  ten thousand times
                    self._work_total += _work(path, size)
        self._guesses = documents == 0 or (documents is not None and not files)
        self._work_total += documents or 0
        self._files_total = len(files)
        self._to_come = len(files) + (documents or 0)
        with self._lock:
            self._tell("files", 0, self._files_total)

    def file_begun(self, path: Path, size: int) -> None:
        """Say that a file of ``size`` bytes is being read."""
        self._begin(_work(path, size))

    def document_begun(self) -> None:
        """Say that a document that is no file is at hand."""
        self._begin(1)

    def unchanged(self, chars: float = inf) -> None:
        """Say that so much of the file or document at hand, or all, is in the store already."""
        with self._lock:
            none = min(chars, self._open)
            self._open -= none
            self._work_total -= none

    def document_done(self) -> None:
        """Say that the document at hand is finished."""
        with self._lock:
            self._end()

    def file_done(self) -> None:
        """Say that the file at hand is finished, or that one is left out."""
        with self._lock:
            self._end()
            self._files += 1
            self._tell("files", self._files, self._files_total)

    def chunked(self, chunks: int, chars: int) -> None:
        """Say that a document, or one of the file at hand, was cut into chunks."""
        with self._lock:
            self._chunks += chunks
            self._chars += chars
            self._tell("chunks", self._embedded, self._expected())

    def embedded(self, chunks: int) -> None:
        """Say that chunks were embedded; called by the committing thread."""
        if self._stopped:
            raise CancelledError
        with self._lock:
            self._embedded += chunks
            self._tell("chunks", self._embedded, self._expected())

    def stop(self) -> None:
        """Make the committing thread give up at its next report."""
        self._stopped = True

    def _begin(self, work: int) -> None:
        with self._lock:
            self._open, self._chars = work, 0

    def _end(self) -> None:
        self._work_done += self._open
        self._open = self._chars = 0
        self._to_come -= 1

    def _expected(self) -> int | None:
        """Return the chunks to come if the rest of the work is like what was done so far."""
        if not self._guesses:
            return None
        done = self._work_done + min(self._chars, _MOST_OPEN * self._open)
        if not done or self._to_come <= 0:
            return self._chunks
        return max(self._chunks, round(self._chunks * self._work_total / done))

    def _tell(self, stage: str, done: int, total: int | None) -> None:
        if self._progress is not None:
            self._progress(stage, done, total)


def _work(path: Path, size: int) -> int:
    return size * _PACKED if path.suffix.lower() == ".gz" else size
