"""Open a store of a million synthetic chunks: how long it takes, and how much memory is its own.

    python -m benchmarks.million [--chunks 1000000] [--dim 384] [--keep DIR]

The store is that of a synthetic corpus, with texts, names and vectors.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import _synthetic_store
from benchmarks._synthetic import Synthetic
from bridgerag.store import Store


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=1_000_000)
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--open", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.open:
        print(json.dumps(look(args.open)))
        return
    with tempfile.TemporaryDirectory() as folder:
        store = args.keep or Path(folder) / "store"
        make(store, args.chunks, args.dim)
        size = sum(f.stat().st_size for f in store.rglob("*") if f.is_file()) / 1e6
        print(f"{args.chunks:,} chunks of {args.dim} numbers, {size:,.0f} MB on disk")
        command = [sys.executable, "-m", "benchmarks.million", "--open", str(store)]
        runs = [json.loads(subprocess.check_output(command)) for _ in range(5)]
        for name in runs[0]:
            values = sorted(run[name] for run in runs)
            print(f"  {name:46}{values[2]:9.1f}   ({values[0]:.1f} to {values[-1]:.1f})")


def make(path: Path, chunks: int, dim: int) -> None:
    """Write the store of a synthetic corpus, its chunks one to five a document."""
    _synthetic_store.make(path, Synthetic(chunks), dim)


def look(path: Path) -> dict[str, float]:
    """Open the store in this process and say what it took."""
    start = time.perf_counter()
    store = Store(path)
    with store.reading() as snapshot:
        opened = time.perf_counter() - start
        (live,) = snapshot.segments
        found = {"open, ms": opened * 1e3, "private memory, MB": private_mb()}
        start = time.perf_counter()
        live.segment.entities.lookup(1)
        live.segment.lexical.df(np.array([1], np.uint64))
        len(live.segment.names)
        found["first look into entities, postings, names, ms"] = (time.perf_counter() - start) * 1e3
        found["private memory then, MB"] = private_mb()
    return found


def private_mb() -> float:
    """Return the memory that only this process has and that no file backs (Linux)."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty")) / 1024


if __name__ == "__main__":
    main()
