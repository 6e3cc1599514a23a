"""How long a search takes as the index grows, question embedding aside, on synthetic stores.

Every store has the same make: clustered vectors, entity lists and terms by power laws. A question
names three stored entities, drawn as often as they occur.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

import numpy as np

from benchmarks._synthetic import Synthetic
from benchmarks._synthetic_store import make
from benchmarks.studies._show import Study
from bridgerag.entities import Mention, question_words
from bridgerag.retrieval import Question, Timings, method
from bridgerag.store import Store

__all__ = ["study"]

_DIM = 384
_QUESTIONS = 100
METHODS = ("bridge", "naive", "bm25")


class _Names:
    """Finds in each question the entities that it was made of."""

    def __init__(self, keys: np.ndarray) -> None:
        self.keys = keys

    def recognize(self, question, contains):
        return [
            Mention(str(key), 0, 1, int(key))
            for key in self.keys
            if contains(np.array([key])).any()
        ]


def study(stores: Path, sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)) -> Study:
    """Return one row a size and method."""
    rows = []
    for chunks in sizes:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "store"
            make(place, Synthetic(chunks), _DIM)
            rows += _measure(place, chunks)
    return Study(
        "size",
        "Search time against index size (k = 8, depth 2)",
        rows,
        x="chunks",
        y=["median, ms", "p99, ms"],
        series="method",
        log_x=True,
        log_y=True,
        note="bm25 is asked for terms of the corpus, bridge for its entities.",
    )


def _measure(place: Path, chunks: int) -> list[dict]:
    store = Store(place)
    with store.reading() as snapshot:
        (live,) = snapshot.segments
        asked = list(_questions(live.segment))
        rows = []
        for name in METHODS:
            run = method(name)
            times, fallbacks = [], 0
            for question in asked[:3] + asked:
                start = time.perf_counter()
                found = run(snapshot, question, 8, 2, Timings())
                times.append((time.perf_counter() - start) * 1e3)
                fallbacks += found.fallback
            times = times[3:]
            rows.append(
                {
                    "chunks": chunks,
                    "method": name,
                    "median, ms": median(times),
                    "p95, ms": quantiles(times, n=100)[94],
                    "p99, ms": quantiles(times, n=100)[98],
                    "fallback %": 100 * fallbacks / len(asked),
                }
            )
    store.close()
    return rows


def _questions(segment):
    """Yield questions that name three entities, each as likely as it is frequent."""
    chance = np.random.default_rng(7)
    keys, offsets, _ = segment.entities.entries()
    sizes = np.diff(offsets).astype(np.float64)
    for _ in range(_QUESTIONS):
        named = chance.choice(keys, 3, p=sizes / sizes.sum())
        row = segment.vectors[int(chance.integers(segment.chunks))].astype(np.float32)
        vector = row + chance.normal(size=_DIM).astype(np.float32) * 0.03
        vector /= np.linalg.norm(vector)
        yield Question("a synthetic question", question_words("a question"), vector, _Names(named))
