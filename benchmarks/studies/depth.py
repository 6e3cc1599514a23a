"""How far up and down the forest a search should look: depth 0 to 3, or chosen per question."""

from __future__ import annotations

from pathlib import Path

from benchmarks.studies._measure import NOTE, Way, data_sets, rows
from benchmarks.studies._show import Study
from bridgerag.types import Depth

__all__ = ["study"]

_USUAL = 2
_DEPTHS: tuple[Depth, ...] = (0, 1, 2, 3, "auto")


def study(
    stores: Path,
    embedding: str = "minilm",
    names: tuple[str, ...] = ("musique", "2wikimultihopqa", "hotpotqa", "aa_lcr"),
) -> Study:
    """Return one row a data set and depth."""
    table = []
    for name, data in data_sets(names, stores, embedding).items():
        found = data.measured({depth: Way(depth=depth) for depth in _DEPTHS})
        table += rows(name, data.measure, "depth", found, _USUAL)
    return Study(
        "depth",
        "Depth of the expansion, method bridge",
        table,
        x="depth",
        y=["quality %", "pool %", "median, ms"],
        series="data",
        note=f"{NOTE} A passage is mostly a single chunk: it has no tree, so depth can do nothing.",
    )
