"""How many chunks a leaf abstract should own: the paper's n, which is 5 there."""

from __future__ import annotations

from pathlib import Path

from benchmarks.studies._measure import LONG_AND_SHORT, setting_study
from benchmarks.studies._show import Study

__all__ = ["study"]


def study(
    stores: Path, embedding: str = "minilm", names: tuple[str, ...] = LONG_AND_SHORT
) -> Study:
    """Return one row a data set, depth and window."""
    return setting_study(
        "window",
        (1, 2, 3, 5, 8),
        "Chunks in a leaf abstract, method bridge",
        "A passage is mostly a single chunk, for which windows hardly matter.",
        stores,
        names,
        embedding,
    )
