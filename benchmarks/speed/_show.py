"""Print rows as they come, a heading a size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from benchmarks.speed._page import number
from benchmarks.speed._rows import Row

__all__ = ["show"]


def show(word: str, rows: Iterable[Row]) -> Iterator[Row]:
    """Print each row and hand it on."""
    print(f"\n## {word}")
    size = ""
    for one in rows:
        if one.size != size:
            size = one.size
            print(f"\n{size}")
        print(_line(one), flush=True)
        yield one


def _line(one: Row) -> str:
    figures = f"{number(one.median):>10} {one.unit:<14} ({number(one.low)} to {number(one.high)})"
    ratio = f"  {number(one.ratio)} of {one.than}" if one.ratio is not None else ""
    facts = "".join(
        f"; {name} {value if isinstance(value, str) else number(value)}"
        for name, value in one.facts.items()
    )
    return f"  {one.way:<40}{figures}{ratio}{facts}"
