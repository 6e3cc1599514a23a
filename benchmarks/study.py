"""Studies of one choice each, everything else held still.

    python -m benchmarks.study verify temperature       what the filter's parts do
    python -m benchmarks.study size                     search time from 1,000 to 1,000,000 chunks
    python -m benchmarks.study depth window windows lift   what building and searching choices do
    python -m benchmarks.study budget rounds            what a prompt and further searches buy
    python -m benchmarks.study walk                     the walk, one ingredient removed
    python -m benchmarks.study all

Each prints a table and writes it to ``studies/NAME.json`` with a plot in ``studies/NAME.svg``.
"""

from __future__ import annotations

import argparse
import tempfile
from importlib import import_module
from pathlib import Path

from benchmarks.studies._show import show

_SEARCHING = ("depth", "window", "windows", "lift", "budget", "rounds", "walk")  # take --embedding
STUDIES = (*_SEARCHING, "verify", "temperature", "size")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=[*STUDIES, "all"])
    parser.add_argument("--stores", type=Path, help="keep the stores here and use them again")
    parser.add_argument("--embedding", default="minilm", help="minilm or none")
    parser.add_argument("--out", type=Path, default=Path("studies"))
    args = parser.parse_args()
    names = STUDIES if "all" in args.names else args.names
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            module = import_module(f"benchmarks.studies.{name}")
            given = {"embedding": args.embedding} if name in _SEARCHING else {}
            show(module.study(args.stores or Path(folder), **given), args.out)


if __name__ == "__main__":
    main()
