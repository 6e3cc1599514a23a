"""Where the benchmark data lies, and how to read it."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

__all__ = ["corpus_path", "data_folder", "questions"]


def data_folder(name: str) -> Path:
    """Return the folder of a data set, or stop with a word on where to put it."""
    folder = Path(os.environ.get("BRIDGERAG_DATA", "../shared/data")) / name
    if not folder.is_dir():
        raise SystemExit(f"no {name} data at {folder}; set BRIDGERAG_DATA to the data's folder")
    return folder


def corpus_path(folder: Path) -> Path:
    """Return the folder's corpus file, compressed or not."""
    return next(folder.glob("corpus.jsonl*"))


def questions(folder: Path) -> list[dict]:
    """Return the questions of a data set."""
    path = next(folder.glob("questions.jsonl*"))
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return [json.loads(line) for line in file]
