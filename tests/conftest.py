"""Fixtures that several packages' tests share."""

import os
import zlib
from pathlib import Path

import numpy as np
import pytest


class HashedVectors:
    """A quick stand-in for an embedding model: a bag of words, each word a fixed direction."""

    name, fingerprint, dim = "hashed", "hashed-1", 32

    def embed(self, texts, on_done=None):
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                seed = zlib.crc32(word.strip(".,?!").encode("utf-8", "replace"))
                row += np.random.default_rng(seed).normal(size=self.dim)
            row /= max(float(np.linalg.norm(row)), 1e-9)
            if on_done:
                on_done(1)
        return rows

    def count_tokens(self, text):
        return len(text.split())


@pytest.fixture
def hashed():
    return HashedVectors()


@pytest.fixture(scope="session")
def data():
    """The folder of real data sets; the test is skipped where it is absent."""
    root = Path(__file__).resolve().parents[1]
    folder = Path(os.environ.get("BRIDGERAG_DATA", root / "../shared/data"))
    if not folder.is_dir():
        pytest.skip(f"no data sets at {folder}; set BRIDGERAG_DATA")
    return folder
