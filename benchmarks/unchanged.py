"""What an `add` and a `sync` cost when nothing has changed.

python -m benchmarks.unchanged           10,000 files
python -m benchmarks.unchanged 1000
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import bridgerag
from benchmarks._timing import compare

SETTINGS = bridgerag.Settings(embedding="none")
LONG_AGO = 1_500_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=int, nargs="?", default=10_000)
    count = parser.parse_args().files
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "files"
        make_files(folder, count)
        with bridgerag.open(Path(work) / "store", settings=SETTINGS) as bridge:
            if bridge.add(folder).added != count:
                raise SystemExit("not every file was added")
            if bridge.add(folder).unchanged != count or bridge.sync(folder).differs:
                raise SystemExit("a file counts as changed that is not")
            ways = {
                "read every byte": lambda: [path.read_bytes() for path in folder.rglob("*.txt")],
                "add, nothing changed": lambda: bridge.add(folder),
                "sync, nothing changed": lambda: bridge.sync(folder),
            }
            compare(f"{count:,} files", ways, items=count)


def make_files(folder: Path, count: int) -> None:
    """Make files of 2 KB, a hundred a folder, that have lain there for years."""
    for number in range(count):
        path = folder / f"{number // 100:03}" / f"{number:05}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Note {number} is about matter {number % 97}. " * 60)
        os.utime(path, (LONG_AGO, LONG_AGO))


if __name__ == "__main__":
    main()
