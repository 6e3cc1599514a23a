"""Whether an embedder close to the default finds the same: recall@5 of both, and their difference.

    python -m benchmarks.embedding_recall musique 2wikimultihopqa hotpotqa [--stores FOLDER]

The default's store is copied and embedded anew by the other, so that nothing else differs; each
question is embedded by the store's own. The interval of the difference is that of a paired
bootstrap, 95 %.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

import numpy as np

import bridgerag
from benchmarks._data import corpus_path, data_folder, questions
from bridgerag.evaluation.bootstrap import paired_interval

K = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--embedding", default="minilm-fast")
    parser.add_argument("--methods", default="naive,bridge,walk")
    parser.add_argument("--stores", type=Path, help="keep the stores here and use them again")
    args = parser.parse_args()
    print(f"{'data':18}{'method':10}{'minilm':>13}{args.embedding:>13}{'difference':>13}  95 %")
    for name in args.datasets:
        with tempfile.TemporaryDirectory() as folder:
            measure(name, args.stores or Path(folder), args)


def measure(name: str, folder: Path, args: argparse.Namespace) -> None:
    data = data_folder(name)
    asked = [row for row in questions(data) if row["gold_ids"]]
    first, second = (folder / f"{name.replace('/', '-')}-{e}" for e in ("minilm", args.embedding))
    with bridgerag.open(first) as bridge:
        bridge.add(corpus_path(data))
    if not second.exists():
        shutil.copytree(first, second)
    with bridgerag.open(first) as default, bridgerag.open(second) as other:
        if other.status().embedding == default.status().embedding:
            other.reembed(args.embedding)
        for method in args.methods.split(","):
            base, found = (recalls(bridge, asked, method) for bridge in (default, other))
            shown = "".join(f"{100 * np.mean(values):13.2f}" for values in (base, found))
            change = paired_interval(found, base, seed=0)
            spread = f"[{100 * change.low:+.2f}, {100 * change.high:+.2f}]"
            print(f"{name:18}{method:10}{shown}{100 * change.mean:+13.2f}  {spread}", flush=True)


def recalls(bridge: bridgerag.Bridge, asked: list[dict], method: str) -> list[float]:
    """Return recall@5 of each question."""
    shares = []
    for row in asked:
        hits = bridge.search(row["question"], k=20, method=method).hits
        found = list(dict.fromkeys(hit.document.id for hit in hits))[:K]
        gold = set(row["gold_ids"])
        shares.append(len(gold.intersection(found)) / len(gold))
    return shares


if __name__ == "__main__":
    main()
