"""Compare ways to do one thing: interleaved repeats, medians with their spread, ratios."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from statistics import median

__all__ = ["compare", "peak_memory_mb"]


def compare(
    title: str, ways: Mapping[str, Callable[[], object]], repeats: int = 5, items: int = 0
) -> None:
    """Print how long each of ``ways`` takes, the first one being the baseline of the ratios.

    Every round runs all ways once, so that a busy moment of the machine meets them all. Check that
    the ways agree, and warm them up, before calling this.

    Args:
        repeats: rounds, 1 or more.
        items: how many things one call handles, to print a rate; 0 prints none.
    """
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            spent[name].append((time.perf_counter() - start) * 1e3)
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    print(f"\n{title} · median of {repeats} interleaved runs · {machine}")
    rate = f"{'per second':>12}" if items else ""
    print(f"{'':36}{'ms':>10}{'min':>10}{'max':>10}{'ratio':>9}{rate}")
    base = median(next(iter(spent.values())))
    for name, times in spent.items():
        middle = median(times)
        rate = f"{items / middle * 1e3:12.1f}" if items else ""
        print(
            f"{name:36}{middle:10.2f}{min(times):10.2f}{max(times):10.2f}"
            f"{base / middle:8.2f}×{rate}"
        )


def peak_memory_mb() -> float | None:
    """Return the most memory that this process ever had resident, or None on Windows."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if platform.system() == "Darwin" else peak / 2**10
