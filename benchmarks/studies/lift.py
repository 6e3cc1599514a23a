"""When an entity that many children of an abstract share should be stored at the abstract."""

from __future__ import annotations

from pathlib import Path

from benchmarks.studies._measure import DEPTHS, NOTE, Data, Way, rows
from benchmarks.studies._show import Study
from bridgerag import Settings

__all__ = ["study"]

_SHARES = (0.2, 0.35, 0.5, 0.75, 1.0)


def study(stores: Path, names: tuple[str, ...] = ("aa_lcr", "musique")) -> Study:
    """Return one row a data set, depth and threshold."""
    table = []
    for name in names:
        data = Data(name, stores)
        for depth in DEPTHS:
            ways = {share: Way(depth, {"lift": share}) for share in _SHARES}
            label = f"{name}, depth {depth}"
            table += rows(label, data.measure, "lift", data.measured(ways), Settings().lift)
    return Study(
        "lift",
        "Share of an abstract's children from which an entity is lifted, method bridge",
        table,
        x="lift",
        y=["quality %", "pool %", "median, ms"],
        series="data",
        note=f"{NOTE} At 1 nothing is lifted, which is the plain paper. A passage is mostly a "
        "single chunk, in which there is nothing to lift.",
    )
