"""Small documents with names that recur, quick vectors, and a folder in memory to put stores in.

What the programs beside this file and `store/test_equivalence.py` are played on.
"""

import random
import tempfile
import zlib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

import bridgerag

NAMES = ("Zorvex Quillan", "Brandor Pellix", "Mirthe Okonda", "Tavish Ureno", "Ilse Varrow")
HOW = bridgerag.Settings(chunk_tokens=8, window=2, branching=2, embedding="none")


class ToyVectors:
    """A bag of words, each word a fixed direction: the same text has the same vector for ever."""

    name, fingerprint, dim = "toy", "toy-1", 16

    def embed(self, texts, on_done=None):
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                row += _direction(word, self.dim)
            row /= max(float(np.linalg.norm(row)), 1e-9)
            if on_done:
                on_done(1)
        return rows

    def count_tokens(self, text):
        return len(text.split())


class OtherVectors(ToyVectors):
    """Another model, of another width."""

    name, fingerprint, dim = "toy-wide", "toy-wide-1", 24


@lru_cache(4096)
def _direction(word, dim):
    return np.random.default_rng(zlib.crc32(word.encode())).normal(size=dim)


def document(number, version=0):
    """Return a document of 1 to 12 sentences; the same arguments give the same document."""
    chance = random.Random(f"{number} {version}")
    sentences = [
        f"{chance.choice(NAMES)} met {chance.choice(NAMES)} about topic {chance.randrange(9)}."
        for _ in range(chance.randrange(1, 13))
    ]
    return bridgerag.Document(
        f"d{number:03}", f"Note {number}", "", " ".join(sentences),
        metadata={"year": 2015 + chance.randrange(10), "lang": chance.choice(["en", "de"])},
    )  # fmt: skip


def open_toy(path, embedder=None, windows="fixed"):
    """Return the engine over a store of toy documents; one that is there may have another model."""
    how = None if (path / "catalog.sqlite").exists() else replace(HOW, windows=windows)
    return bridgerag.open(path, settings=how, embedder=embedder or ToyVectors())


def contents(bridge):
    """Return the text of every document by its id."""
    return {ref.id: bridge.text(ref.id) for ref in bridge.documents()}


def scratch():
    """Return a new temporary folder, in memory where the system has such a place.

    What is killed or fails here are processes and system calls, never the machine: syncing to a
    real disk would only make it slow.
    """
    memory = Path("/dev/shm")
    return tempfile.TemporaryDirectory(
        prefix="bridgerag-", dir=memory if memory.is_dir() else None, ignore_cleanup_errors=True
    )
