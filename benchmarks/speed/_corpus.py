"""A file of documents of about any size: long reports, some of their words changed in each copy.

The texts are those of AA-LCR where BRIDGERAG_DATA has them, else generated.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

__all__ = ["read", "write"]

_WORD = re.compile(r"[A-Za-z]{4,}")
_CHANGED = 0.05  # of the words of a copy
_DOCUMENTS, _CHARS = 200, 60_000  # of what is generated
_MEGABYTE = 1_000_000


def write(path: Path, megabytes: float) -> float:
    """Write documents into the JSON Lines file ``path``; return how many megabytes of text."""
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for row in _copies():
            file.write(json.dumps(row) + "\n")
            written += len(row["text"].encode())
            if written >= megabytes * _MEGABYTE:
                break
    return written / _MEGABYTE


def read(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the id and the text of each document that was written."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            yield row["id"], row["text"]


def _copies() -> Iterator[dict[str, str]]:
    """Yield documents without end, each time round under other names and with other words."""
    for copy in count():
        draw = random.Random(copy)
        for number, (title, text) in enumerate(_texts()):
            shown = _changed(text, str(copy), draw) if copy else text
            yield {"id": f"{copy}-{number}", "title": f"{title} {copy}", "text": shown}


def _changed(text: str, mark: str, draw: random.Random) -> str:
    """Return a text with a mark behind some of its words."""

    def word(found: re.Match[str]) -> str:
        return found[0] + mark if draw.random() < _CHANGED else found[0]

    return _WORD.sub(word, text)


def _texts() -> Iterator[tuple[str, str]]:
    path = Path(os.environ.get("BRIDGERAG_DATA", "../shared/data")) / "aa_lcr/corpus.jsonl.gz"
    if not path.is_file():
        yield from _generated()
        return
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            yield row["title"], row["text"]


def _generated() -> Iterator[tuple[str, str]]:
    """Yield reports whose words are as frequent as in prose; some of them are names."""
    draw = random.Random(0)
    syllables = ["ka", "lo", "mir", "tes", "run", "vo", "ani", "der", "sul", "pe", "on", "ish"]
    words = ["".join(draw.choices(syllables, k=draw.choice((1, 2, 2, 3, 4)))) for _ in range(20000)]
    words[3::17] = [word.capitalize() for word in words[3::17]]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    for number in range(_DOCUMENTS):
        said: list[str] = []
        chars = 0
        while chars < _CHARS:
            sentence = " ".join(draw.choices(words, weights, k=draw.randint(5, 30)))
            said.append(f"{sentence[0].upper()}{sentence[1:]}.")
            chars += len(sentence) + 2
        yield f"Report {number} of {words[number]}", " ".join(said)
