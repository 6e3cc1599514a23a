"""How many chunks a leaf abstract should own: the paper's n, which is 5 there."""

from __future__ import annotations

from pathlib import Path

from benchmarks.studies._measure import DEPTHS, NOTE, Data, Way, rows
from benchmarks.studies._show import Study
from bridgerag import Settings

__all__ = ["study"]

_WINDOWS = (1, 2, 3, 5, 8)


def study(stores: Path, names: tuple[str, ...] = ("aa_lcr", "musique")) -> Study:
    """Return one row a data set, depth and window."""
    table = []
    for name in names:
        data = Data(name, stores)
        for depth in DEPTHS:
            ways = {window: Way(depth, {"window": window}) for window in _WINDOWS}
            label = f"{name}, depth {depth}"
            table += rows(label, data.measure, "window", data.measured(ways), Settings().window)
    return Study(
        "window",
        "Chunks in a leaf abstract, method bridge",
        table,
        x="window",
        y=["quality %", "pool %", "median, ms"],
        series="data",
        note=f"{NOTE} A passage is mostly a single chunk, for which windows hardly matter.",
    )
