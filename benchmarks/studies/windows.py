"""Whether windows should follow the content: headings and shifts of topic."""

from __future__ import annotations

from pathlib import Path

from benchmarks.studies._measure import LONG_AND_SHORT, setting_study
from benchmarks.studies._show import Study

__all__ = ["study"]


def study(
    stores: Path, embedding: str = "minilm", names: tuple[str, ...] = LONG_AND_SHORT
) -> Study:
    """Return one row a data set, depth and kind of windows."""
    return setting_study(
        "windows",
        ("fixed", "content"),
        "Leaf abstracts of five chunks, or of about five that follow the content, method bridge",
        "A passage is mostly a single chunk, for which windows hardly matter.",
        stores,
        names,
        embedding,
    )
