"""Follow a folder by looking at it again and again, without what is still being written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from bridgerag.documents import document_id, find_files
from bridgerag.errors import StoreBusy, UnreadableFile
from bridgerag.ingest.sync import refused
from bridgerag.types import SyncReport

__all__ = ["follow", "rounds"]

_SHARE = 10  # looking takes at most one part in so many of the time


def rounds(folder: Path, ignore: Sequence[str], interval_s: float) -> Iterator[set[str]]:
    """Yield, again and again for ever, when there may be something new in ``folder``.

    What is yielded are the sources that came, changed or went since the look before, ``interval_s``
    seconds ago or more: they are to be left alone, and come up in a later round.
    """
    before, spent = _look(folder, ignore)
    done: object = None
    while True:
        time.sleep(max(interval_s, (_SHARE - 1) * spent))
        now, spent = _look(folder, ignore)
        unsettled = {
            source for source in now.keys() | before.keys() if now.get(source) != before.get(source)
        }
        before = now
        settled = {source: state for source, state in now.items() if source not in unsettled}
        if (settled, unsettled) != done:
            done = settled, unsettled
            yield unsettled


def follow(
    looks: Iterator[set[str]], sync: Callable[[set[str]], SyncReport]
) -> Iterator[SyncReport]:
    """Sync at every look, and yield the report of each change; what is refused is waited for."""
    last: SyncReport | None = None
    for unsettled in looks:
        report = None
        while report is None:
            try:
                report = sync(unsettled)
            except StoreBusy:  # someone adds for longer than one waits
                continue
            except UnreadableFile as error:
                report = refused(error)
        if last is None or report.differs or report.skipped != last.skipped:
            yield report
        last = report


def _look(folder: Path, ignore: Sequence[str]) -> tuple[dict[str, tuple[int, int]], float]:
    """Return size and time of every file, and how many seconds it took to find them."""
    start = time.perf_counter()
    found = {}
    for item in find_files([folder], ignore):
        if isinstance(item, Path):
            with suppress(OSError):  # it has just gone
                status = os.stat(item)  # noqa: PTH116  thousands of times a second
                found[document_id(item)] = status.st_size, status.st_mtime_ns
    return found, time.perf_counter() - start
