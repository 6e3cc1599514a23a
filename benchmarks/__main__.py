"""How fast each part is, with the limit of the machine and plain alternatives in the same table.

    python -m benchmarks lookup|recognise|expand|rank|search|walk|build|open|memory|serve-load
    python -m benchmarks all [--quick]
    python -m benchmarks table [--check]

Every word checks first that all ways agree with a slow one. Options of a word: `WORD --help`.
Results are printed and kept as JSON; `table` makes benchmarks/speed.md of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from benchmarks.speed import _floor
from benchmarks.speed._page import page
from benchmarks.speed._rows import Row
from benchmarks.speed._show import show
from bridgerag.evaluation.machine import describe_machine

WORDS = (
    "lookup", "recognise", "expand", "rank", "search", "walk", "build", "open", "memory",
    "serve-load",
)  # fmt: skip
_KEPT = Path(__file__).parent / "results" / "speed"
_PAGE = Path(__file__).parent / "speed.md"


def main() -> None:
    word, *rest = sys.argv[1:] or ["--help"]
    if word == "table":
        table(check="--check" in rest)
        return
    if word not in (*WORDS, "all"):
        print(__doc__)
        raise SystemExit(0 if word in ("-h", "--help") else f"there is no benchmark {word!r}")
    for each in WORDS if word == "all" else (word,):
        run(each, rest)


def run(word: str, rest: list[str]) -> None:
    """Run one benchmark, print its table as it comes and keep it."""
    module = import_module(f"benchmarks.speed.{word.replace('-', '_')}")
    parser = argparse.ArgumentParser(f"benchmarks {word}", description=module.__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    parser.add_argument("--out", type=Path, default=_KEPT, help="the folder for the results")
    parser.add_argument("--stores", type=Path, help="keep synthetic stores here and use them again")
    module.add_options(parser)
    options = parser.parse_args(rest)
    options.out.mkdir(parents=True, exist_ok=True)
    rows = list(show(word, both(_floor.rows(), module.measure(options))))
    kept = {"machine": describe_machine(), "rows": [asdict(one) for one in rows]}
    (options.out / f"{word}.json").write_text(json.dumps(kept, indent=1) + "\n")


def table(check: bool) -> None:
    """Write the page of what is kept, or fail where it is stale."""
    made = page(_KEPT, WORDS)
    if not check:
        _PAGE.write_text(made, encoding="utf-8")
    elif _PAGE.read_text(encoding="utf-8") != made:
        raise SystemExit(f"{_PAGE.name} is stale; run `python -m benchmarks table`")


def both(first: Iterable[Row], then: Iterable[Row]) -> Iterable[Row]:
    yield from first
    yield from then


if __name__ == "__main__":
    main()
