"""What one change costs beside building: add and remove one 10 KB document in growing stores.

    python -m benchmarks.change                    1,000, 10,000 and 100,000 chunks
    python -m benchmarks.change 1000 10000

The stores hold made-up documents with random vectors; the time that embedding them would have taken
is worked out from the rate at which chunks are embedded in bulk, measured between the adds. The one
document is really embedded.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np

import bridgerag
from bridgerag.embedding import open_embedder

DOCUMENT_BYTES = 10_000
CHUNKS_A_DOCUMENT = 17  # about, of 128 tokens
REPEATS = 9
WORDS = re.findall(
    r"[a-z]+", " ".join(page.read_text() for page in sorted(Path("docs").glob("*.md"))).lower()
)


class Pretender:
    """The bundled model, with random vectors for the documents that only fill the store."""

    def __init__(self) -> None:
        self.model = open_embedder("minilm")
        self.name, self.fingerprint = self.model.name, self.model.fingerprint
        self.dim, self.count_tokens = self.model.dim, self.model.count_tokens
        self.pretend, self.seconds, self.chance = True, 0.0, np.random.default_rng(1)

    def embed(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None):
        start = time.perf_counter()
        if self.pretend:
            rows = self.chance.normal(size=(len(texts), self.dim)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        else:
            rows = self.model.embed(texts, on_done)
        self.seconds += time.perf_counter() - start
        return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chunks", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    print(
        f"{'chunks':>8}{'segments':>10}{'built in s':>12}{'add ms':>9}{'of it rest':>12}"
        f"{'build / add':>13}{'remove ms':>11}{'most':>7}"
    )
    embedder = Pretender()
    for size in parser.parse_args().chunks:
        with tempfile.TemporaryDirectory() as work:
            measure(Path(work) / "store", size, embedder)


def measure(place: Path, size: int, embedder: Pretender) -> None:
    with bridgerag.open(place, embedder=embedder) as bridge:
        embedder.pretend, embedder.seconds = True, 0.0
        start = time.perf_counter()
        bridge.add(documents=documents("old", size // CHUNKS_A_DOCUMENT))
        status = bridge.status()
        built = time.perf_counter() - start - embedder.seconds
        embedder.pretend = False
        adding, rest, bulk = [], [], []
        for fresh in documents("new", REPEATS):  # a busy moment of the machine meets both
            embedder.seconds = 0.0
            adding.append(timed(lambda one=fresh: bridge.add(documents=[one])))
            rest.append(adding[-1] - embedder.seconds)
            bulk.append(timed(lambda: embedder.model.embed(PIECES)) / len(PIECES))
        built += status.chunks * median(bulk)
        names = random.Random(2).sample([ref.id for ref in bridge.documents()], REPEATS)
        removing = [timed(lambda name=name: bridge.remove(name)) for name in names]
    print(
        f"{status.chunks:8,}{status.segments:10}{built:12.1f}{median(adding) * 1e3:9.1f}"
        f"{median(rest) * 1e3:12.1f}{built / median(adding):13,.0f}"
        f"{median(removing) * 1e3:11.1f}{max(removing) * 1e3:7.1f}",
        flush=True,
    )


def documents(kind: str, count: int) -> Iterator[bridgerag.Document]:
    """Yield documents of 10 KB, made of the words of this manual and a few names."""
    for number in range(count):
        chance = random.Random(f"{kind} {number}")
        parts, size = [], 0
        while size < DOCUMENT_BYTES:
            words = chance.choices(WORDS, k=chance.randrange(6, 24))
            name = " ".join(chance.choices(WORDS, k=2)).title()
            parts.append(f"{name} {' '.join(words)}.")
            size += len(parts[-1]) + 1
        yield bridgerag.Document(f"{kind}-{number:06}", f"Note {number}", "", " ".join(parts))


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


TEXT = next(documents("bulk", 1)).text
PIECES = [TEXT[at : at + 590] for at in range(0, 9_400, 98)]  # as long as a chunk


if __name__ == "__main__":
    main()
