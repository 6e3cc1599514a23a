"""How much memory a build takes as the corpus grows: the most that was ever resident.

The documents are the same long reports several times under other names, some words changed. Each
build runs in a process of its own. Beside it, the least that makes the texts searchable: windows of
words in SQLite's full-text index, which holds one text at a time.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.speed import _building, _corpus
from benchmarks.speed._rows import Row, against, row

__all__ = ["add_options", "measure"]

_PLAIN = "windows of 100 words into SQLite FTS5"
_WAYS = {"fts5": _PLAIN, "bridgerag": "bridgerag, no embedding"}
_QUICK = (0.5, 1.0)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--megabytes", type=float, nargs="+", default=[12.2, 24.4, 48.8, 97.6], help="of text"
    )


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield a row a size and way."""
    first: dict[str, float] = {}
    for megabytes in _QUICK if options.quick else options.megabytes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            corpus = folder / "corpus.jsonl"
            written = _corpus.write(corpus, megabytes)
            rows = []
            for way, shown in _WAYS.items():
                done = _building.run(way, corpus, folder / way)
                first.setdefault(way, done["peak_mb"])
                rows.append(
                    row(
                        f"{written:,.1f} MB of text",
                        shown,
                        "MB at most",
                        [done["peak_mb"]],
                        times_the_smallest=done["peak_mb"] / first[way],
                        MB_a_second=written / done["seconds"],
                        chunks=done["chunks"],
                    )
                )
        yield from against(rows, _PLAIN)
