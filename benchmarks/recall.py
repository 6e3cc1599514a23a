"""Recall of gold passages on the data sets that name them, and how long a search takes.

python -m benchmarks.recall xquad/en xquad/zh      recall@5 of bridge and naive
python -m benchmarks.recall musique --embedding none
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

import bridgerag
from benchmarks._data import corpus_path, data_folder, questions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--methods", default="bridge,naive")
    parser.add_argument("--embedding", default="minilm")
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--chunk-tokens", type=int, default=128, help="512: nearly whole passages")
    parser.add_argument("--stores", type=Path, help="keep the stores here and use them again")
    args = parser.parse_args()
    print(f"{'data':18}{'method':10}{'recall@2':>10}{'recall@5':>10}{'fallback':>10}{'ms':>8}")
    for name in args.datasets:
        with tempfile.TemporaryDirectory() as folder:
            place = (args.stores or Path(folder)) / f"{name.replace('/', '-')}-{args.embedding}"
            if args.chunk_tokens != 128:
                place = place.with_name(f"{place.name}-{args.chunk_tokens}")
            measure(name, place, args)


def measure(name: str, place: Path, args: argparse.Namespace) -> None:
    data = data_folder(name)
    settings = bridgerag.Settings(embedding=args.embedding, chunk_tokens=args.chunk_tokens)
    with bridgerag.open(place, settings=settings) as bridge:
        bridge.add(corpus_path(data))
        asked = [row for row in questions(data) if row["gold_ids"]]
        for method in args.methods.split(","):
            print(f"{name:18}{method:10}{evaluate(bridge, asked, method, args.depth)}", flush=True)


def evaluate(bridge: bridgerag.Bridge, asked: list[dict], method: str, depth: int) -> str:
    recalls: dict[int, list[float]] = {2: [], 5: []}
    times, fallbacks = [], 0
    for row in asked:
        context = bridge.search(row["question"], k=20, depth=depth, method=method)
        fallbacks += context.fallback
        times.append(context.timings_ms["total"] - context.timings_ms["embed"])
        found = list(dict.fromkeys(hit.document.id for hit in context.hits))
        gold = set(row["gold_ids"])
        for k, values in recalls.items():
            values.append(len(gold & set(found[:k])) / len(gold))
    shares = "".join(f"{100 * statistics.mean(values):10.1f}" for values in recalls.values())
    share = 100 * fallbacks / len(asked)
    return f"{shares}{share:9.0f}%{statistics.median(times):8.2f}"


if __name__ == "__main__":
    main()
