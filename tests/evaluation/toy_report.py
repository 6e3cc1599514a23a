"""A made-up report with everything in it: ties, losses, missing values, kinds, depths, times."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan

import numpy as np

from bridgerag.evaluation.columns import COLUMNS, QUALITY
from bridgerag.evaluation.report.model import Report
from bridgerag.evaluation.summary import Cell, Group, Row, Summary

BASE = "naive"
# What a method finds, in per cent, and milliseconds of a median search.
METHODS = {
    "none": (nan, 0.02),
    BASE: (50.0, 1.1),
    "bm25": (48.0, 0.4),
    "hybrid": (54.0, 1.4),
    "tree": (31.0, 6.0),
    "tree-ann": (35.0, 2.2),
    "graph": (44.0, 12.0),
    "raptor": (52.0, 2.5),
    "cft": (40.0, 1.2),
    "hippo": (57.0, 90.0),
    "bridge d=0": (49.0, 0.6),
    "bridge d=1": (52.0, 0.7),
    "bridge d=2": (55.0, 0.8),
    "bridge d=3": (55.4, 1.0),
    "bridge no-lift": (53.5, 0.9),
}
KINDS = {
    "bridge_comparison": (80, 22.0),
    "comparison": (120, 14.0),
    "compositional": (260, -4.0),
    "inference": (40, -9.0),
}
_SHIFT = {"recall@5": 9, "recall@10": 14, "precision@5": -25, "in_context": 8, "rouge2": -20}
_STAGES = {"total": 1.0, "recognize": 0.1, "lookup": 0.1, "expand": 0.2, "rank": 0.6}
_OWN_MB = {"raptor": 12.0, "hippo": 8.0, "graph": 6.0}


def toy_report(**changes) -> Report:
    """Return the same report every time, but for ``changes``."""
    shares = _shares()
    rows = tuple(Row(label, _cells(label, shares)) for label in METHODS)
    groups = tuple(
        Group("kind", name, count, tuple(_moved(label, shares, by) for label in METHODS))
        for name, (count, by) in KINDS.items()
    )
    summary = Summary(
        dataset="toy",
        questions=500,
        columns=tuple(c for c in COLUMNS if c.key != "bertscore"),
        rows=rows,
        baseline=BASE,
        level=0.95,
        groups=groups,
        notes=(
            "raptor: extractive summaries stand in for the language model of its paper.",
            "Latency: 100 repetitions of 50 questions, methods taking turns; total is without "
            "embedding the question.",
        ),
    )
    report = Report(
        summary,
        fingerprint="0123456789abcdef" * 4,
        documents=6_119,
        version="0.1.0",
        command="bridgerag eval toy --seed 0",
        conditions={
            "Embedding": "minilm-l6-v2-int8",
            "Searches": "20 chunks a question, 3,000 tokens in the prompt",
            "Answers": "extractive",
            "Machine": "x86-64, 2 cores, Linux, Python 3.11.7",
        },
        depths={f"bridge d={depth}": depth for depth in range(4)} | {"bridge no-lift": 2},
        percentiles={label: _percentiles(label) for label in METHODS if label != "none"},
    )
    return replace(report, **changes)


def _shares() -> dict[tuple[str, str], float]:
    random = np.random.default_rng(7)
    return {
        (label, column.key): (level + _SHIFT.get(column.key, 0) + random.normal(0, 1)) / 100
        for label, (level, _) in METHODS.items()
        for column in QUALITY
    }


def _cells(label: str, shares: dict[tuple[str, str], float]) -> dict[str, Cell]:
    cells = {}
    for column in COLUMNS:
        if column not in QUALITY:
            cells[column.key] = Cell(_cost(label, column.key))
            continue
        value = shares[label, column.key]
        by = value - shares[BASE, column.key]
        if label == BASE or isnan(by):
            cells[column.key] = Cell(value)
            continue
        tie = abs(by) <= 0.025
        cells[column.key] = Cell(value, by - 0.025, by + 0.025, tie, None if tie else by > 0)
    return cells


def _moved(label: str, shares: dict[tuple[str, str], float], by: float) -> Row:
    return Row(label, {c.key: Cell(shares[label, c.key] + by / 100) for c in QUALITY})


def _cost(label: str, key: str) -> float:
    stage, _, percent = key.partition(" p")
    if percent:
        grown = {"50": 1.0, "95": 1.8, "99": 2.6}[percent]
        return grown * (8.0 if stage == "embed" else METHODS[label][1] * _STAGES[stage])
    own = _OWN_MB.get(label, 0.0)
    return {
        "prompt_tokens": 45.0 if label == "none" else 2_871.0,
        "build_seconds": 61.5 + 5 * own,
        "own_seconds": 5 * own,
        "llm_tokens": 0.0,
        "index_bytes": 23.4e6 + 1e6 * own,
        "own_bytes": 1e6 * own,
    }[key]


def _percentiles(label: str) -> tuple[float, ...]:
    return tuple(METHODS[label][1] * factor for factor in (0.7, 0.86, 1.0, 1.2, 1.8, 2.6))
