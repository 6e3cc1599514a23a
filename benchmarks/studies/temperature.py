"""Does ordering the slots of a bucket by temperature pay, and under which questions?"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.studies._show import Study
from bridgerag._native import EntityIndex

__all__ = ["study"]

_LOOKUPS = 500_000
_ROUNDS = 9


def study(stores: Path) -> Study:
    """Return one row a number of entities and kind of questions."""
    rows = [
        _measure(entities, kind, exponent)
        for entities in (10_000, 100_000, 1_000_000)
        for kind, exponent in (("uniform", 0.0), ("Zipf 1.0", 1.0), ("Zipf 1.5", 1.5))
    ]
    return Study(
        "temperature",
        "Lookups with buckets ordered by temperature, against buckets as built",
        rows,
        x="entities",
        y=["unordered / ordered"],
        series="questions",
        log_x=True,
        note="Above 1: ordering is faster. Medians of interleaved rounds; the spread is that of "
        "the ratio over the rounds.",
    )


def _measure(entities: int, kind: str, exponent: float) -> dict:
    random = np.random.default_rng(entities)
    keys = random.integers(0, 2**64, entities, np.uint64)
    abstracts = random.integers(0, 100_000, entities).astype(np.uint32)
    chance = np.arange(1, entities + 1) ** -exponent
    asked = random.permutation(keys)[
        np.searchsorted(np.cumsum(chance / chance.sum()), random.random(_LOOKUPS)).clip(
            max=entities - 1
        )
    ]
    ways = {"as built": EntityIndex.build(keys, abstracts)}
    ways["ordered"] = EntityIndex.build(keys, abstracts)
    ways["ordered"].touch_many(asked)
    ways["ordered"].reorder()
    assert np.array_equal(*(table.count_many(asked) for table in ways.values()))
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_ROUNDS):
        for name, table in ways.items():
            start = time.perf_counter()
            table.count_many(asked)
            spent[name].append((time.perf_counter() - start) / _LOOKUPS * 1e9)
    ratios = [a / b for a, b in zip(spent["as built"], spent["ordered"], strict=True)]
    return {
        "entities": entities,
        "questions": kind,
        "as built, ns": median(spent["as built"]),
        "ordered, ns": median(spent["ordered"]),
        "unordered / ordered": median(ratios),
        "least": min(ratios),
        "most": max(ratios),
    }
