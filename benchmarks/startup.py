"""How long the command line takes to start: each command in a new process, beside `python -c pass`.

    python -m benchmarks.startup [--times 10] [--check]

Prints wall and processor time, and the ratio of processor times, which says about the same on any
machine. With ``--check`` it fails where a ratio is above its bound, about twice what was measured.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import bridgerag

QUESTION = "How do I remove a document?"
DOCUMENT = Path(__file__).parents[1] / "docs" / "quickstart.md"
BASE = "python -c pass"
# The most processor time against `python -c pass`; importing numpy alone takes about 10 times that.
BOUNDS = {"--help": 12, "status": 40, "search, no embedding": 48, "search, minilm": 80}


@dataclass
class Spent:
    """Seconds of some runs of one command."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10, help="runs of each command")
    parser.add_argument("--check", action="store_true", help="fail above the bounds")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spent = measure(commands(Path(folder)), options.times)
    base = statistics.median(spent[BASE].processor)
    ratios = {way: statistics.median(times.processor) / base for way, times in spent.items()}
    print(f"{'':24}{'wall ms (quartiles)':>26}{'processor ms':>24}{'ratio':>8}{'at most':>9}")
    for way, times in spent.items():
        bound = f"{BOUNDS[way]:>9}" if way in BOUNDS else ""
        print(
            f"{way:24}{shown(times.wall):>26}{shown(times.processor):>24}{ratios[way]:>8.1f}{bound}"
        )
    slow = [way for way, bound in BOUNDS.items() if ratios[way] > bound]
    if options.check and slow:
        sys.exit(f"slow to start: {', '.join(slow)}; see python -X importtime -m bridgerag ...")


def commands(folder: Path) -> dict[str, Sequence[str]]:
    """Return what to run, over two stores of one page made in ``folder``."""
    for name in ("none", "minilm"):
        with bridgerag.open(folder / name, settings={"embedding": name}) as bridge:
            bridge.add(DOCUMENT)

    def on(name: str, *words: str) -> list[str]:
        return [sys.executable, "-m", "bridgerag", *words, "--store", str(folder / name)]

    return {
        BASE: [sys.executable, "-c", "pass"],
        "import bridgerag": [sys.executable, "-c", "import bridgerag"],
        "import numpy": [sys.executable, "-c", "import numpy"],
        "--help": [sys.executable, "-m", "bridgerag", "--help"],
        "status": on("none", "status"),
        "search, no embedding": on("none", "search", QUESTION),
        "search, minilm": on("minilm", "search", QUESTION),
    }


def measure(ways: Mapping[str, Sequence[str]], times: int) -> dict[str, Spent]:
    """Run each way once to warm the files, then ``times`` times in turn."""
    spent = {way: Spent() for way in ways}
    for round_ in range(times + 1):
        for way, command in ways.items():
            wall, processor = run(command)
            if round_ > 0:
                spent[way].wall.append(wall)
                spent[way].processor.append(processor)
    return spent


def run(command: Sequence[str]) -> tuple[float, float]:
    """Return the seconds of wall and of processor time that a command took."""
    before, start = _of_children(), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return wall, _of_children() - before


def _of_children() -> float:
    """Return the processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def shown(seconds: Sequence[float]) -> str:
    """Return median and quartiles in milliseconds."""
    low, middle, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return f"{middle * 1e3:.0f} ({low * 1e3:.0f} to {high * 1e3:.0f})"


if __name__ == "__main__":
    main()
