"""Wrong answers of the paper's filter, which compares 12 bits, against those of a verified one.

Synthetic keys show the rate (theory: eight slots are compared, so ``8 * load / 4096`` of absent
keys are answered); the n-grams of real questions, probed in the entities of their own corpus, show
what a search would have followed.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

import bridgerag
from benchmarks._data import corpus_path, data_folder, questions
from benchmarks.studies._show import Study
from bridgerag._native import EntityIndex, ngram_keys
from bridgerag.entities import question_words

__all__ = ["study"]

_ABSENT = 2_000_000
_LONGEST = 8


def study(stores: Path) -> Study:
    """Return one row a table of entities, each with and without verification."""
    rows = [_row("random keys", *_synthetic(entities)) for entities in (10_000, 100_000, 1_000_000)]
    rows += [_row(name, *_real(name, stores)) for name in ("2wikimultihopqa", "musique")]
    return Study(
        "verify",
        "Wrong answers of an entity table, by what a slot is compared with",
        rows,
        x="entities",
        y=["wrong, 12 bits %", "wrong, verified %"],
        series="keys",
        log_x=True,
        note="Wrong: a key that is absent is answered, or a stored one gets another's list. "
        "Theory holds for absent keys.",
    )


def _row(name: str, keys: np.ndarray, abstracts: np.ndarray, probed: np.ndarray) -> dict:
    truth: dict[int, set[int]] = {}
    for key, abstract in zip(keys.tolist(), abstracts.tolist(), strict=True):
        truth.setdefault(key, set()).add(abstract)
    paper, exact = (EntityIndex.build(keys, abstracts, verify) for verify in (False, True))
    wrong = _wrong(paper, truth, probed)
    stored = sum(key in truth for key in probed.tolist())
    return {
        "keys": name,
        "entities": len(truth),
        "load": round(float(paper.load), 3),
        "probes": len(probed),
        "of them stored": stored,
        "wrong, 12 bits": wrong,
        "wrong, 12 bits %": 100 * wrong / len(probed),
        "wrong, verified %": 100 * _wrong(exact, truth, probed) / len(probed),
        "theory %": 100 * 8 * float(paper.load) / 4096 * (1 - stored / len(probed)),
    }


def _wrong(table: EntityIndex, truth: dict[int, set[int]], probed: np.ndarray) -> int:
    """Return how many probes get another list than a plain dict gives."""
    offsets, ids = table.lookup_many(probed)
    borders, listed = offsets.tolist(), ids.tolist()
    lists = (listed[a:b] for a, b in pairwise(borders))
    nothing: set[int] = set()
    return sum(
        set(got) != truth.get(key, nothing) for key, got in zip(probed.tolist(), lists, strict=True)
    )


def _synthetic(entities: int):
    random = np.random.default_rng(entities)
    keys = random.integers(0, 2**64, entities, np.uint64)
    abstracts = random.integers(0, 2**31, entities).astype(np.uint32)
    return keys, abstracts, random.integers(0, 2**64, _ABSENT, np.uint64)


def _real(name: str, stores: Path):
    data = data_folder(name)
    with bridgerag.open(stores / f"{name}-none", settings={"embedding": "none"}) as bridge:
        bridge.add(corpus_path(data))
        with bridge._stores.reading() as snapshot:
            (live,) = snapshot.segments
            keys, offsets, ids = live.segment.entities.entries()
    keys = np.repeat(keys, np.diff(offsets).astype(np.int64))
    probed = [
        ngram_keys(question_words(row["question"]).keys, _LONGEST).ravel()
        for row in questions(data)
    ]
    return keys, ids, np.unique(np.concatenate(probed))
