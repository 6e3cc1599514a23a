"""How long a new process takes to open a store, and to find the first hits; and how much memory.

The store is that of a synthetic corpus. Each figure is of a process of its own, its imports aside.
"Not in memory" means that the system has let go of the store's files before (Linux). Beside it: its
catalog opened by SQLite alone, and the same vectors mapped by NumPy and read by faiss. Every
process must find what the others find, and `naive` what a scan of the file with NumPy finds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._synthetic_store import Model, kept
from benchmarks.speed._rows import Row, against, row
from bridgerag.store import Store

__all__ = ["add_options", "measure"]

_BASE = "SQLite, one row of the catalog"
_COPIED = 1_000_000  # chunks: for more, no file of the same vectors is made
_K = 8


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--dim", type=int, default=384)
    parser.add_argument("--methods", nargs="+", default=["bridge", "walk"])
    parser.add_argument("--runs", type=int, default=5, help="processes a way")


def measure(options: argparse.Namespace) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        for chunks in [1_000] if options.quick else options.sizes:
            path = kept(options.stores or Path(folder), chunks, options.dim)
            yield from _rows(path, Path(folder), chunks, options)


def _rows(path: Path, copies: Path, chunks: int, options: argparse.Namespace) -> list[Row]:
    asked, segments = _questions(path)
    commands = {_BASE: ["sqlite", str(path)], "first snapshot": ["snapshot", str(path)]}
    for name in options.methods:
        commands[f"open and first {name}"] = [
            "search", str(path), str(options.dim), name, *asked,
        ]  # fmt: skip
    if chunks <= _COPIED:
        _check_scan(path, asked, options.dim)
        commands |= _other_files(path, copies)
    sizes = f"{chunks:,} chunks of {options.dim} numbers, segments: {segments}"
    rows = list(_raced(sizes, commands, options.runs))
    if hasattr(os, "posix_fadvise"):
        ours = {way: command for way, command in commands.items() if str(path) in command}
        rows += _raced(sizes, ours, options.runs, path)
    return against(rows, _BASE)


def _raced(
    size: str, commands: dict[str, list[str]], runs: int, cold: Path | None = None
) -> Iterator[Row]:
    """Yield a row a way; with ``cold``, that store's files are let go of before each process."""
    found: dict[str, list[dict[str, Any]]] = {way: [] for way in commands}
    for _ in range(runs):
        for way, command in commands.items():
            if cold:
                _let_go(cold)
            found[way].append(_process(*command))
    for way, runs_of_way in found.items():
        if any(run["answer"] != runs_of_way[0]["answer"] for run in runs_of_way):
            raise SystemExit(f"{way}: two processes do not find the same")
        numbers = [
            {name: value for name, value in run.items() if name != "answer"} for run in runs_of_way
        ]
        facts = {
            name: float(np.median([one[name] for one in numbers])) for name in list(numbers[0])[1:]
        }
        name = f"{way}, not in memory" if cold else way
        yield row(size, name, "ms", [one["ms"] for one in numbers], **facts)


def _process(*command: str) -> dict[str, Any]:
    line = [sys.executable, "-m", "benchmarks.speed._opening", *command]
    root = Path(__file__).parents[2]
    found: dict[str, Any] = json.loads(subprocess.check_output(line, cwd=root))
    return found


def _questions(path: Path) -> tuple[list[str], int]:
    """Return two questions that name documents, and how many segments the store has."""
    store = Store(path)
    with store.reading() as snapshot:
        live = snapshot.segments[0]
        places = (live.segment.documents // 3, live.segment.documents // 2)
        titles = [live.document(place)[1].title for place in places]
        count = len(snapshot.segments)
    store.close()
    return [f"What is {title} known for?" for title in titles], count


def _check_scan(path: Path, asked: Sequence[str], dim: int) -> None:
    """Leave the program unless `naive` finds the chunks that a scan of the vectors finds."""
    found = _process("search", str(path), str(dim), "naive", *asked)["answer"]
    for question, hits in zip(asked, found, strict=True):
        query = Model(dim).embed([question])[0]
        store = Store(path)
        with store.reading() as snapshot:
            best: list[tuple[float, str]] = []
            for live in snapshot.segments:
                scores = _scan(live.segment.folder / "vectors.bin", live.segment.chunks, query)
                for chunk in np.argsort(-scores, kind="stable")[:_K].tolist():
                    place = live.document_of_chunk(chunk)
                    best.append((-float(scores[chunk]), live.document(place)[1].id))
        store.close()
        expected = [document for _, document in sorted(best)[:_K]]
        if [document for document, _ in hits] != expected:
            raise SystemExit(f"naive and a scan do not find the same for {question!r}")


def _scan(file: Path, chunks: int, query: np.ndarray) -> np.ndarray:
    rows = np.memmap(file, "<f2", "r", 64, (chunks, len(query)))
    blocks = [rows[start : start + 65_536] for start in range(0, chunks, 65_536)]
    return np.concatenate([block.astype(np.float32) @ query for block in blocks])


def _other_files(path: Path, folder: Path) -> dict[str, list[str]]:
    """Write the vectors for NumPy and faiss; return the ways to open them."""
    store = Store(path)
    with store.reading() as snapshot:
        parts = [live.segment.vectors for live in snapshot.segments]
    np.save(folder / "vectors.npy", np.concatenate(parts))
    ways = {"NumPy, vectors mapped": ["numpy", str(folder / "vectors.npy")]}
    if importlib.util.find_spec("faiss") is None:
        print("skipped: pip install faiss-cpu")
        return ways
    import faiss

    index = faiss.IndexScalarQuantizer(
        parts[0].shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )
    for part in parts:
        for start in range(0, len(part), 65_536):
            index.add(part[start : start + 65_536].astype(np.float32))
    faiss.write_index(index, str(folder / "vectors.faiss"))
    store.close()
    file = str(folder / "vectors.faiss")
    return ways | {
        "faiss, index mapped": ["faiss-mapped", file],
        "faiss, index read": ["faiss", file],
    }


def _let_go(path: Path) -> None:
    """Ask the system to drop a store's files from memory; what is mapped elsewhere stays."""
    for file in path.rglob("*"):
        if file.is_file():
            descriptor = os.open(file, os.O_RDONLY)
            try:
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)
