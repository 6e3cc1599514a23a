"""The kept results of all words as one page of Markdown tables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.speed._promises import PROMISES, Kept

__all__ = ["page"]

_HEAD = """\
# How fast each part is

Made by `python -m benchmarks table` from what `python -m benchmarks WORD` kept. The median, the
quartiles in brackets, and the ratio to a way of the same run. What the figures mean, and where we
lose: [docs/speed.md](../docs/speed.md).
"""
_COLUMNS = "| way | median | quartiles | unit | ratio | beside |\n|---|--:|--:|---|---|---|"


def page(folder: Path, words: Sequence[str]) -> str:
    """Return the page for the results in ``folder``, in the order of ``words``."""
    paths = {word: folder / f"{word}.json" for word in words}
    kept = {
        word: json.loads(path.read_text(encoding="utf-8"))
        for word, path in paths.items()
        if path.exists()
    }
    parts = [_HEAD, "\n".join(_promises({word: one["rows"] for word, one in kept.items()}))]
    for word, one in kept.items():
        parts += _tables(word, one["machine"], one["rows"])
    return "\n".join(parts)


def _promises(kept: Kept) -> Iterator[str]:
    yield "## What we promise\n"
    yield "| | promised | measured | |\n|---|---|--:|---|"
    for one in PROMISES:
        bound = f"{'at least' if one.at_least else 'at most'} {number(one.bound)} {one.unit}"
        try:
            value = one.figure(kept)
        except LookupError:
            yield f"| {one.what} | {bound} | not measured | |"
        else:
            holds = "holds" if one.holds(value) else "**does not hold**"
            yield f"| {one.what} | {bound} | {number(value)} | {holds} |"
    yield ""


def _tables(word: str, machine: dict[str, Any], rows: list[dict[str, Any]]) -> Iterator[str]:
    yield f"## {word}\n"
    yield f"{machine['processor']}, {machine['cores']} cores, Python {machine['python']}.\n"
    for size, group in groupby(rows, key=lambda one: one["size"]):
        yield f"### {size}\n"
        yield "\n".join([_COLUMNS, *map(_line, group)]) + "\n"


def _line(one: dict[str, Any]) -> str:
    ratio = "" if one["ratio"] is None else f"{number(one['ratio'])} of {one['than']}"
    facts = "; ".join(
        f"{name} {value if isinstance(value, str) else number(value)}"
        for name, value in one["facts"].items()
    )
    spread = f"{number(one['low'])} to {number(one['high'])}"
    cells = (one["way"], number(one["median"]), spread, one["unit"], ratio, facts)
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def number(value: float) -> str:
    """Return a number with three digits that count, and no exponent."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    digits = 2
    while abs(value) * 10 ** (digits - 2) < 1 and digits < 8:
        digits += 1
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")
