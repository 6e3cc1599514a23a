"""Progress bars on a terminal, with the time that is left; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridgerag.protocols import Progress

__all__ = ["TimeLeft", "progress_bars"]

_SLOWEST = ("chunks", "files")  # the first of these that was heard of tells how far all is


class TimeLeft:
    """How long an operation will still take, if it goes on as it went so far.

    The stage that is done last says so: chunks count when they are embedded, which takes longest
    and comes behind all else. Files only count where there are no chunks, since they differ in
    size.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self._stages: dict[str, tuple[int, int | None]] = {}

    def report(self, stage: str, done: int, total: int | None) -> None:
        """Take in what a `Progress` is told."""
        self._stages[stage] = done, total

    def seconds(self) -> float | None:
        """Return the seconds left, or None while nothing can be said."""
        for stage in _SLOWEST:
            if stage in self._stages:
                done, total = self._stages[stage]
                if not done or total is None:
                    return None
                return (self._clock() - self._start) * max(0, total - done) / done
        return None


@contextmanager
def progress_bars() -> Iterator[Progress | None]:
    """Yield what draws one bar a stage on stderr, or None when stderr is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return

    from rich.console import Console  # noqa: PLC0415 - slow to import
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.progress import Progress as Bars  # noqa: PLC0415

    left = TimeLeft()
    with Bars(
        TextColumn("{task.description:>8}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int | None) -> None:
            left.report(stage, done, total)
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total, left="")
            bars.update(tasks[stage], completed=done, total=total)
            last = next((name for name in _SLOWEST if name in tasks), stage)
            bars.update(tasks[last], left=_shown(left.seconds()))

        yield report


def _shown(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"
