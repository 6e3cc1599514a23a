"""Progress bars on a terminal; nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bridgerag.protocols import Progress

__all__ = ["progress_bars"]


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
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars  # noqa: PLC0415

    with Bars(
        TextColumn("{task.description:>8}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bars:
        tasks: dict[str, TaskID] = {}

        def report(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield report
