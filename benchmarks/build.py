"""Build a store over the AA-LCR documents (12 M characters), reopen it, search it.

    python -m benchmarks.build                   everything but embedding, then everything
    python -m benchmarks.build --no-embedding    the quick half
    python -m benchmarks.build --keep DIR        leave the store there

Each step runs in a process of its own, so that peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks._data import corpus_path, data_folder, questions

MEGABYTE = 1_000_000
METHODS = ("bridge", "walk")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-embedding", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--step", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.step:
        name, store = args.step
        print(json.dumps(STEPS[name](Path(store))))
        return
    with tempfile.TemporaryDirectory() as folder:
        report(run("plain", Path(folder) / "plain"))
        if args.no_embedding:
            return
        store = args.keep or Path(folder) / "full"
        report(run("full", store))
        first, again = run("reopen", store), run("reopen", store)
        if first["hits"] != again["hits"]:
            raise SystemExit("two processes got different hits from one store")
        print(f"reopened in a new process in {first['open_ms']:.0f} ms; hits identical")
        print(f"every hit's span is its text: {first['spans_hold']}")
        for method, spent in first["search_ms"].items():
            times = sorted(spent)
            print(
                f"{method}, {len(times)} questions, embedding aside: median "
                f"{statistics.median(times):.2f} ms, p95 {times[int(0.95 * len(times))]:.2f} ms, "
                f"most {times[-1]:.2f} ms; fallback {first['fallbacks'][method]}"
            )


def run(step: str, store: Path) -> dict:
    command = [sys.executable, "-m", "benchmarks.build", "--step", step, str(store)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def report(done: dict) -> None:
    rest = done["seconds"] - done["embed_seconds"]
    print(
        f"{done['documents']} documents, {done['megabytes']:.1f} MB of text, "
        f"{done['chunks']} chunks: {done['seconds']:.1f} s, "
        f"of which embedding {done['embed_seconds']:.1f} s"
    )
    print(
        f"  all but embedding {rest:.2f} s = {done['megabytes'] / rest:.2f} MB/s; "
        f"peak resident memory {done['peak_mb']:.0f} MB; store {done['store_mb']:.1f} MB"
    )
    if done["embed_seconds"] > 1:
        print(f"  embedding {done['chunks'] / done['embed_seconds']:.0f} chunks a second")


def build(store: Path, embedding: str) -> dict:
    import bridgerag
    from bridgerag.embedding import open_embedder

    corpus = corpus_path(data_folder("aa_lcr"))
    embedder = open_embedder(embedding)
    timed = Timed(embedder)
    with bridgerag.open(
        store, settings=bridgerag.Settings(embedding=embedding), embedder=timed
    ) as bridge:
        start = time.perf_counter()
        done = bridge.add(corpus)
        seconds = time.perf_counter() - start
        status = bridge.status()
        size = sum(len(bridge.text(d.id).encode()) for d in bridge.documents())
    return {
        "documents": done.added,
        "chunks": done.chunks,
        "seconds": seconds,
        "embed_seconds": timed.seconds,
        "megabytes": size / MEGABYTE,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "store_mb": status.size_bytes / MEGABYTE,
    }


class Timed:
    """An embedder that knows how long it took."""

    def __init__(self, embedder: object) -> None:
        self._embedder = embedder
        self.seconds = 0.0

    def embed(self, texts, on_done=None):
        start = time.perf_counter()
        try:
            return self._embedder.embed(texts, on_done)
        finally:
            self.seconds += time.perf_counter() - start

    def __getattr__(self, name: str) -> object:
        return getattr(self._embedder, name)


def reopen(store: Path) -> dict:
    import bridgerag

    asked = questions(data_folder("aa_lcr"))
    import bridgerag.engine  # imports are not part of opening

    start = time.perf_counter()
    bridge = bridgerag.open(store)
    open_ms = (time.perf_counter() - start) * 1e3
    bridge.search("warm the model")
    times: dict[str, list[float]] = {method: [] for method in METHODS}
    fallbacks, hits, spans_hold = dict.fromkeys(METHODS, 0), [], True
    texts = {document.id: bridge.text(document.id) for document in bridge.documents()}
    for row in asked:
        for method in METHODS:
            context = bridge.search(row["question"], method=method)
            times[method].append(context.timings_ms["total"] - context.timings_ms["embed"])
            fallbacks[method] += context.fallback
            hits.append([(hit.document.id, hit.chunk, hit.score) for hit in context.hits])
            for hit in context.hits:
                spans_hold &= texts[hit.document.id][hit.start : hit.end] == hit.text
    bridge.close()
    return {
        "open_ms": open_ms,
        "search_ms": times,
        "hits": hits,
        "fallbacks": fallbacks,
        "spans_hold": spans_hold,
    }


STEPS = {
    "plain": lambda store: build(store, "none"),
    "full": lambda store: build(store, "minilm"),
    "reopen": reopen,
}

if __name__ == "__main__":
    main()
