"""What a new process does with a store or a file; `open` starts it and reads what it prints.

    python -m benchmarks.speed._opening snapshot|search|sqlite|numpy|faiss|faiss-mapped PATH ...

Imports come before the clock.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bridgerag
from benchmarks._synthetic_store import Model
from bridgerag.retrieval import method as find
from bridgerag.store import Store
from bridgerag.store.catalog import CATALOG, connect, generation

Found = dict[str, Any]


def snapshot(path: Path) -> Found:
    """Open a store as far as its first snapshot."""
    start = time.perf_counter()
    store = Store(path)
    with store.reading() as seen:
        return {"ms": since(start), "answer": [seen.chunks, seen.documents], **memory(path)}


def search(path: Path, dim: str, method: str, *questions: str) -> Found:
    """Open a store and ask; the first question's time counts from before the opening."""
    find(method)  # imports it, as the model what it needs
    model = Model(int(dim))
    model.embed(questions)
    took, answers = [], []
    start = time.perf_counter()
    with bridgerag.open(path, embedder=model) as bridge:
        for question in questions:
            hits = bridge.search(question, method=method).hits
            took.append(since(start))
            answers.append([(hit.document.id, hit.chunk) for hit in hits])
            start = time.perf_counter()
        return {"ms": took[0], "next, ms": took[-1], "answer": answers, **memory(path)}


def sqlite(path: Path) -> Found:
    """Open the catalog alone and read one row."""
    start = time.perf_counter()
    commits = generation(connect(path / CATALOG))
    return {"ms": since(start), "answer": commits > 0, **memory(path)}


def numpy(path: Path) -> Found:
    """Map an array of the same vectors."""
    start = time.perf_counter()
    rows = np.load(path, mmap_mode="r")
    return {"ms": since(start), "answer": rows.shape, **memory(path)}


def faiss(path: Path, mapped: bool = False) -> Found:
    """Read a faiss index of the same vectors, into memory or mapped."""
    import faiss as library

    start = time.perf_counter()
    flags = library.IO_FLAG_MMAP_IFC if mapped else 0
    index = library.read_index(str(path), flags)
    return {"ms": since(start), "answer": [index.ntotal, index.d], **memory(path)}


def since(start: float) -> float:
    """Return the milliseconds since then."""
    return (time.perf_counter() - start) * 1e3


def memory(path: Path) -> dict[str, float]:
    """Return what this process holds, in MB (Linux; elsewhere nothing).

    ``private``: what is its own and no file backs; ``mapped``: of the files at ``path``;
    ``touched``: how much of that has been read into the process.
    """
    smaps = Path("/proc/self/smaps")
    if not smaps.exists():
        return {}
    held = {"private": 0, "mapped": 0, "touched": 0}
    ours = False
    for line in smaps.read_text().splitlines():
        name, *rest = line.split()
        if not name.endswith(":"):  # a mapping begins; its file stands at the end
            ours = str(path) in line
        elif name == "Private_Dirty:":
            held["private"] += int(rest[0])
        elif ours and name in ("Size:", "Rss:"):
            held["mapped" if name == "Size:" else "touched"] += int(rest[0])
    return {f"{name} MB": kilobytes / 1024 for name, kilobytes in held.items()}


WAYS: dict[str, Callable[..., Found]] = {
    "snapshot": snapshot,
    "search": search,
    "sqlite": sqlite,
    "numpy": numpy,
    "faiss": faiss,
    "faiss-mapped": lambda path: faiss(path, mapped=True),
}

if __name__ == "__main__":
    way, place, *more = sys.argv[1:]
    print(json.dumps(WAYS[way](Path(place).resolve(), *more)))
