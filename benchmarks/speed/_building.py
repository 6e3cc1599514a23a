"""Index one file in one way, in this process, and print seconds and peak memory as JSON.

    python -m benchmarks.speed._building WAY CORPUS FOLDER

A build wants a process of its own, because the most memory that a process ever had is all that a
system tells.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path

from benchmarks._timing import peak_memory_mb
from benchmarks.speed import _corpus

__all__ = ["WAYS", "run"]

_WINDOW = 100  # words in a chunk of the plain ways


def run(way: str, corpus: Path, folder: Path) -> dict[str, float]:
    """Build in a process of its own; return ``seconds``, ``cpu`` seconds and ``peak_mb``."""
    command = [sys.executable, "-m", "benchmarks.speed._building", way, str(corpus), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    made: dict[str, float] = json.loads(done.stdout)
    return made


def ours(corpus: Path, folder: Path) -> int:
    """Return how many chunks a store without embeddings has of a file."""
    import bridgerag

    with bridgerag.open(folder, settings=bridgerag.Settings(embedding="none")) as bridge:
        return bridge.add(corpus).chunks


def fts5(corpus: Path, folder: Path) -> int:
    """Cut the texts by a fixed number of words, and have SQLite index them for full-text search."""
    folder.mkdir()
    with closing(sqlite3.connect(folder / "fts.sqlite")) as connection:
        connection.execute("CREATE VIRTUAL TABLE chunks USING fts5(document, text)")
        with connection:
            connection.executemany("INSERT INTO chunks VALUES (?, ?)", _windows(corpus))
        found: int = connection.execute("SELECT count(*) FROM chunks").fetchone()[0]
    return found


def bm25s(corpus: Path, folder: Path) -> int:
    """Cut the texts by a fixed number of words, and have bm25s index them."""
    import bm25s as library

    texts = [text for _, text in _windows(corpus)]
    index = library.BM25()
    index.index(library.tokenize(texts, show_progress=False), show_progress=False)
    index.save(str(folder), corpus=texts)
    return len(texts)


# Imported before the clock starts, and by nobody who does not need it.
_NEEDS = {"bridgerag": "bridgerag.engine", "fts5": "sqlite3", "bm25s": "bm25s"}

WAYS: dict[str, Callable[[Path, Path], int]] = {"bridgerag": ours, "fts5": fts5, "bm25s": bm25s}


def _windows(corpus: Path) -> Iterator[tuple[str, str]]:
    for document, text in _corpus.read(corpus):
        words = text.split()
        for start in range(0, len(words), _WINDOW):
            yield document, " ".join(words[start : start + _WINDOW])


def _peak_mb() -> float:
    """Return the most memory that this program had resident.

    On Linux, what `getrusage` tells counts that of the program that started this one as well.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return peak_memory_mb() or 0.0
    rows = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return float(rows["VmHWM"].split()[0]) / 1024


def main() -> None:
    way, corpus, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    import_module(_NEEDS[way])
    start, before = time.perf_counter(), time.process_time()
    chunks = WAYS[way](corpus, folder)
    done = {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - before,
        "peak_mb": _peak_mb(),
        "chunks": chunks,
    }
    print(json.dumps(done))


if __name__ == "__main__":
    main()
