"""What indexing 1 MB of text costs: seconds beside plain embedding, and calls of a language model.

    python -m benchmarks.build_cost [--megabytes 1] [--repeats 3] [--no-embedding]
                                    [--lightrag PYTHON] [--json FILE]

The text is whole documents of AA-LCR, from the folder in BRIDGERAG_DATA. "Plain" reads the same
file, cuts the same chunks, embeds the same lines with the same model and writes the vectors to a
file; ours does all that `add` does. They take turns.

Beside it stands what other methods ask a language model for. LightRAG is measured where an
interpreter that has it is named (`pip install lightrag-hku` in an environment of its own): the
package runs against a stub on loopback that counts. The others are counted from their published
procedures. Tokens are a fourth of the bytes.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import bridgerag
from benchmarks._data import corpus_path, data_folder
from benchmarks._llm_procedures import SOURCES, graphrag, hipporag, raptor
from benchmarks._stub_model import Bill, serve_stub
from bridgerag.documents import chunk, load
from bridgerag.embedding import open_embedder
from bridgerag.protocols import Embedder
from bridgerag.store.vectors import indexed_text
from bridgerag.types import Document

_RUN = Path(__file__).with_name("_lightrag_run.py")
_MOST_SECONDS = 1_800
_GRAPHRAG_TOKENS = 600


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-embedding", action="store_true", help="leave the seconds out")
    parser.add_argument("--lightrag", type=Path, help="an interpreter that has the package")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.jsonl"
        size = write_text(text, args.megabytes * 1e6)
        print(f"{size / 1e6:.2f} MB of text")
        vectors = None
        rows = [{"method": "bridgerag", "how": "measured", **billed(Bill())}]
        if not args.no_embedding:
            seconds, vectors = timed(text, Path(folder), args.repeats)
            rows[0] |= seconds
        rows += counted(text, vectors)
        rows += measured(text, Path(folder), args.lightrag)
    show(rows)
    if args.json:
        args.json.write_text(json.dumps({"bytes": size, "rows": rows}, indent=1) + "\n")


def write_text(path: Path, wanted: float) -> int:
    """Write whole documents until there are so many bytes of text; return how many."""
    size = 0
    with gzip.open(corpus_path(data_folder("aa_lcr")), "rt") as lines, path.open("w") as file:
        for line in lines:
            if size >= wanted:
                break
            file.write(line)
            size += len(json.loads(line)["text"].encode())
    return size


# ---- seconds


def timed(text: Path, folder: Path, repeats: int) -> tuple[dict, np.ndarray]:
    """Return seconds and their ratio, and the vectors; stops where both embedded other chunks."""
    embedder = open_embedder("minilm")
    embedder.embed(["a text that loads the model"])
    plain, ours, vectors = [], [], np.empty(0)
    for turn in range(repeats):
        start = clocks()
        vectors = index_plainly(text, embedder, folder / "plain.npy")
        plain.append(clocks() - start)
        start = clocks()
        with bridgerag.open(folder / f"store-{turn}", embedder=embedder) as bridge:
            done = bridge.add(text)
        ours.append(clocks() - start)
        if done.chunks != len(vectors):
            raise SystemExit(f"plain made {len(vectors)} chunks, ours {done.chunks}")
    ratios = np.array(ours) / np.array(plain)
    wall, cpu = np.median(ratios, axis=0).tolist()
    found = {"chunks": len(vectors), "seconds": np.median(ours, axis=0).tolist()}
    found |= {"plain seconds": np.median(plain, axis=0).tolist()}
    return found | {"ratio": wall, "ratio of CPU": cpu, "ratios": ratios.tolist()}, vectors


def clocks() -> np.ndarray:
    """Return seconds on the wall, and of all cores in this process."""
    return np.array([time.perf_counter(), time.process_time()])


def index_plainly(text: Path, embedder: Embedder, target: Path) -> np.ndarray:
    """Read, cut, embed, and write the vectors as half floats."""
    lines = [
        indexed_text(document.title, piece.headings, document.text[piece.start : piece.end])
        for document in documents(text)
        for piece in chunk(document, embedder.count_tokens)
    ]
    vectors = embedder.embed(lines)
    np.save(target, vectors.astype(np.float16))
    return vectors


def documents(text: Path) -> Iterator[Document]:
    for item in load(text):
        if isinstance(item, Document):
            yield item


# ---- calls of a language model


def counted(text: Path, vectors: np.ndarray | None) -> list[dict]:
    """Return the rows that follow from published procedures."""
    count = open_embedder("minilm").count_tokens
    passages = cut(text, count, 128)
    rows = [("HippoRAG", hipporag(passages))]
    if left_out("GraphRAG", "networkx"):
        rows.append(("GraphRAG", graphrag(cut(text, count, _GRAPHRAG_TOKENS))))
    if vectors is None:
        print("left out: RAPTOR, which clusters vectors")
    elif left_out("RAPTOR", "sklearn"):
        rows.append(("RAPTOR", raptor(passages, vectors)))
    return [
        {"method": name, "how": "counted from the published procedure", **billed(bill),
         "source": SOURCES[name]}
        for name, bill in rows
    ]  # fmt: skip


def cut(text: Path, count, tokens: int) -> list[str]:
    return [d.text[c.start : c.end] for d in documents(text) for c in chunk(d, count, tokens)]


def left_out(method: str, module: str) -> bool:
    """Tell whether a module is there; say what is left out where it is not."""
    there = importlib.util.find_spec(module) is not None
    if not there:
        print(f"left out: {method}, which needs {module}")
    return there


def measured(text: Path, folder: Path, python: Path | None) -> list[dict]:
    """Return the row of the package LightRAG, or none."""
    if python is None:
        print("left out: LightRAG; name an interpreter that has it with --lightrag")
        return []
    given = folder / "lightrag.json"
    given.write_text(json.dumps({d.id: d.text for d in documents(text)}))
    with serve_stub() as (url, bill):
        command = [python.absolute(), _RUN.absolute(), given, url, folder / "lightrag"]
        run = subprocess.run(
            [str(part) for part in command],
            cwd=folder, capture_output=True, text=True, timeout=_MOST_SECONDS, check=False,
        )  # fmt: skip
    if run.returncode:
        print(f"left out: LightRAG, which failed: {run.stderr.strip().splitlines()[-1:]}")
        return []
    done = json.loads(run.stdout.strip().splitlines()[-1])
    source = (
        f"package lightrag-hku {done['version']}, its defaults; {done['chunks']} chunks, "
        f"{done['entities']} entities, documents {done['states']}"
    )
    return [{"method": "LightRAG", "how": "measured", **billed(bill), "source": source}]


def billed(bill: Bill) -> dict[str, int]:
    return {
        "LLM calls": bill.calls,
        "prompt tokens": bill.prompt_tokens,
        "completion tokens": bill.completion_tokens,
    }


def show(rows: list[dict]) -> None:
    ours = rows[0]
    if "ratio" in ours:
        (wall, cpu), (plain_wall, plain_cpu) = ours["seconds"], ours["plain seconds"]
        spread = [turn[0] for turn in ours["ratios"]]
        print(f"\n{ours['chunks']:,} chunks, seconds (of all cores):")
        print(f"  plain chunk-and-embed {plain_wall:8.1f} ({plain_cpu:.1f})")
        print(f"  bridgerag add         {wall:8.1f} ({cpu:.1f})")
        print(
            f"  ratio {ours['ratio']:.2f} ({min(spread):.2f} to {max(spread):.2f}), "
            f"of CPU time {ours['ratio of CPU']:.2f}"
        )
    print(f"\n{'':12}{'LLM calls':>12}{'prompt tokens':>16}{'completion':>14}  how")
    for row in rows:
        print(
            f"{row['method']:12}{row['LLM calls']:12,}{row['prompt tokens']:16,}"
            f"{row['completion tokens']:14,}  {row['how']}"
        )
    for row in rows:
        if "source" in row:
            print(f"{row['method']}: {row['source']}")


if __name__ == "__main__":
    main()
