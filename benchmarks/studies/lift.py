"""When an entity that many children of an abstract share should be stored at the abstract."""

from __future__ import annotations

from pathlib import Path

from benchmarks.studies._measure import LONG_AND_SHORT, setting_study
from benchmarks.studies._show import Study

__all__ = ["study"]


def study(
    stores: Path, embedding: str = "minilm", names: tuple[str, ...] = LONG_AND_SHORT
) -> Study:
    """Return one row a data set, depth and threshold."""
    return setting_study(
        "lift",
        (0.2, 0.35, 0.5, 0.75, 1.0),
        "Share of an abstract's children from which an entity is lifted, method bridge",
        "At 1 nothing is lifted, which is the plain paper. A passage is mostly a single chunk, in "
        "which there is nothing to lift.",
        stores,
        names,
        embedding,
    )
