"""How fast the native core is: the entity index against a dict, `rank` against NumPy.

    python -m benchmarks.native_speed

CPU time, best of several; every way is checked to give the same answers first. The clock of one
call from Python includes the call; a batch is one call for all keys, in random order.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from bridgerag._native import EntityIndex, dot_kernel, rank

REPEATS = 7


def main() -> None:
    for entities in (100_000, 1_000_000):
        index_speed(entities)
    rank_speed(rows=25_000, dim=384)


def index_speed(entities: int) -> None:
    random = np.random.default_rng(entities)
    keys = np.unique(random.integers(0, 2**64, entities, np.uint64))
    abstracts = random.integers(0, 10_000, len(keys)).astype(np.uint32)
    asked = random.permutation(len(keys))
    few = keys[asked[:100_000]].tolist()
    present, absent = keys[asked], random.integers(0, 2**64, len(keys), np.uint64)
    index = EntityIndex.build(keys, abstracts)
    table = dict(zip(keys.tolist(), abstracts.tolist(), strict=True))
    _, ids = index.lookup_many(present)
    if ids.tolist() != [table[key] for key in present.tolist()]:
        raise SystemExit("the index and the dict disagree")
    print(f"\n{len(keys):,} entities, load {index.load:.3f}")
    print(f"{index.size_bytes / len(keys):10.1f} bytes an entity, single-id lists included")
    show("build from pairs", lambda: EntityIndex.build(keys, abstracts), 1e3, "ms", repeats=3)
    show("to_bytes", index.to_bytes, 1e3, "ms", repeats=3)
    show("dict.get, one by one", lambda: each(table.get, few), 1e9 / len(few), "ns a key")
    show("lookup, one by one", lambda: each(index.lookup, few), 1e9 / len(few), "ns a key")
    each_ns = 1e9 / len(keys)
    show("lookup_many, present", lambda: index.lookup_many(present), each_ns, "ns a key")
    show("lookup_many, absent", lambda: index.lookup_many(absent), each_ns, "ns a key")
    show("count_many, present", lambda: index.count_many(present), each_ns, "ns a key")


def rank_speed(rows: int, dim: int) -> None:
    random = np.random.default_rng(0)
    floats = random.normal(size=(rows, dim)).astype(np.float32)
    floats /= np.linalg.norm(floats, axis=1, keepdims=True)
    query = floats[7].copy()
    if rank(query, floats, None, 8)[0].tolist() != np.argsort(-(floats @ query))[:8].tolist():
        raise SystemExit("rank and NumPy disagree")
    print(f"\nbest 8 of {rows:,} rows of {dim}, kernel {dot_kernel()}")
    show("NumPy float32", lambda: np.argpartition(floats @ query, rows - 8), 1e3, "ms")
    bytes_ = np.clip(floats * 500, -127, 127).astype(np.int8)
    for matrix in (floats, floats.astype(np.float16), bytes_):
        best = best_of(partial(rank, query, matrix, None, 8), REPEATS)
        print(f"{best * 1e3:10.2f} ms  rank {matrix.dtype}, {matrix.nbytes / best / 1e9:.0f} GB/s")


def each(call: Callable[[int], object], keys: list[int]) -> None:
    for key in keys:
        call(key)


def show(
    name: str, way: Callable[[], object], factor: float, unit: str, repeats: int = REPEATS
) -> None:
    print(f"{best_of(way, repeats) * factor:10.1f} {unit}  {name}")


def best_of(way: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.process_time()
        way()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
