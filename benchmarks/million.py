"""Open a store of a million synthetic chunks: how long it takes, and how much memory is its own.

    python -m benchmarks.million [--chunks 1000000] [--dim 384] [--keep DIR]

The store is written through the store's own writer: real vectors, trees, entity index and postings;
its chunks have no texts, so it can be opened and looked into, but not shown.
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

from bridgerag._native import EntityIndex, LexicalIndex
from bridgerag.forest import grow, join
from bridgerag.settings import Settings
from bridgerag.store import Store
from bridgerag.store.catalog import transaction
from bridgerag.store.naming import name_segment
from bridgerag.store.rows import seal_documents
from bridgerag.store.segment import SegmentContent

_CHUNKS_A_DOCUMENT = 100
_TERMS_A_CHUNK = 25
_LONGEST_LIST = 1_000  # more than that occurs nearly everywhere, or was lifted
_BLOCK = 50_000


class Model:
    """Stands for the model of the synthetic vectors."""

    name, fingerprint = "synthetic", "synthetic-1"

    def __init__(self, dim: int) -> None:
        self.dim = dim


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
            print(f"  {name:40}{values[2]:9.1f}   ({values[0]:.1f} to {values[-1]:.1f})")


def make(path: Path, chunks: int, dim: int) -> None:
    """Write the store: 100 chunks a document, lists of entities and of terms by power laws."""
    documents = chunks // _CHUNKS_A_DOCUMENT
    chance = np.random.default_rng(1)
    store = Store.create(path, Settings(embedding="none"), Model(dim))
    forest, first_abstract, first_chunk = join([grow(_CHUNKS_A_DOCUMENT, 5, 5)] * documents)
    abstracts = int(first_abstract[-1])
    keys = chance.integers(1, 1 << 63, 2 * chunks, dtype=np.uint64)
    sizes = np.minimum(1 + chance.pareto(1.1, len(keys)).astype(np.int64), _LONGEST_LIST)
    holders = chance.integers(0, abstracts, int(sizes.sum()), dtype=np.uint32)
    ranks = (chance.pareto(1.0, _TERMS_A_CHUNK * chunks) * 50).astype(np.int64)
    rows = chance.normal(size=(min(_BLOCK, chunks), dim)).astype(np.float32)
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)
    content = SegmentContent(
        dim=dim,
        vectors=blocks(rows, chunks),
        abstract_vectors=blocks(rows, abstracts),
        forest=forest.native(),
        entities=EntityIndex.build(np.repeat(keys, sizes), holders),
        lexical=LexicalIndex.build(
            keys[ranks % len(keys)],
            np.repeat(np.arange(chunks, dtype=np.uint32), _TERMS_A_CHUNK),
            chunks,
        ),
        first_abstract=first_abstract,
        first_chunk=first_chunk,
    )
    with store.writing() as (writer, _):
        new = writer.write(content, range(documents))
        with transaction(writer.connection):
            writer.connection.executemany(
                "INSERT INTO documents (id, title, source, metadata, sha256, chars, chunks, "
                "abstracts, tail, segment, place) "
                "VALUES (?, '', '', '{}', x'00', 0, ?, ?, '', ?, ?)",
                (
                    (f"d{i:08}", _CHUNKS_A_DOCUMENT, abstracts // documents, new.number, i)
                    for i in range(documents)
                ),
            )
            name_segment(writer.connection, new)
            seal_documents(writer.connection, "segment", new.number)
            writer._stamp()
    store.close()


def blocks(rows: np.ndarray, count: int):
    """Yield ``count`` rows, the same block again and again."""
    for start in range(0, count, len(rows)):
        yield rows[: count - start]


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
        found["first look into entities and postings, ms"] = (time.perf_counter() - start) * 1e3
        found["private memory then, MB"] = private_mb()
    return found


def private_mb() -> float:
    """Return the memory that only this process has and that no file backs (Linux)."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_Dirty")) / 1024


if __name__ == "__main__":
    main()
