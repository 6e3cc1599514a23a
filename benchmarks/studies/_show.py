"""Show a study: a table on the terminal, and the same as JSON and as a plot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Study", "show"]


@dataclass(frozen=True)
class Study:
    """A table whose first columns say what was varied.

    Attributes:
        x: the column along the plot's axis; a column of numbers is drawn as lines, others as bars.
        y: the columns that are drawn.
        series: the column whose values get a line each, or "".
        note: what to make of it, in a sentence or two, without a verdict that the numbers may
            contradict another day.
    """

    name: str
    title: str
    rows: Sequence[dict[str, float | int | str]]
    x: str
    y: Sequence[str]
    series: str = ""
    log_x: bool = False
    log_y: bool = False
    note: str = ""


def show(study: Study, out: Path) -> None:
    """Print the table, and write ``out/NAME.json`` and ``out/NAME.svg``."""
    print(f"\n{study.title}\n")
    columns = list(study.rows[0])
    cells = [columns, *([_cell(row[column]) for column in columns] for row in study.rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    for line in cells:
        print("  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)))
    if study.note:
        print(f"\n{study.note}")
    out.mkdir(parents=True, exist_ok=True)
    form = {"study": study.name, "title": study.title, "note": study.note, "rows": study.rows}
    (out / f"{study.name}.json").write_text(json.dumps(form, indent=1) + "\n", encoding="utf-8")
    _plot(study, out / f"{study.name}.svg")
    print(f"\n{out / study.name}.json and .svg")


def _cell(value: float | int | str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}" if abs(value) < 10 else f"{value:,.1f}"


def _plot(study: Study, path: Path) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams["svg.hashsalt"] = study.name  # the same rows make the same file
    figure = Figure(figsize=(4.6 * len(study.y), 3.4), layout="constrained")
    all_axes = figure.subplots(1, len(study.y), squeeze=False)[0]
    for axes, column in zip(all_axes, study.y, strict=True):
        _draw(study, axes, column)
    figure.suptitle(study.title, fontsize=10)
    figure.savefig(path, metadata={"Date": None})


def _draw(study: Study, axes, column: str) -> None:
    names = list(dict.fromkeys(row[study.series] for row in study.rows)) if study.series else [""]
    places = list(dict.fromkeys(row[study.x] for row in study.rows))
    numbers = all(isinstance(place, int | float) for place in places)
    for i, name in enumerate(names):
        rows = [row for row in study.rows if not study.series or row[study.series] == name]
        values = [row[column] for row in rows]
        label = str(name) or None
        if numbers:
            axes.plot([row[study.x] for row in rows], values, marker="o", label=label)
        else:
            width = 0.8 / len(names)
            at = [places.index(row[study.x]) + (i - (len(names) - 1) / 2) * width for row in rows]
            axes.bar(at, values, width=width * 0.9, label=label)
    if not numbers:
        axes.set_xticks(range(len(places)), [str(place) for place in places])
    axes.set(xlabel=study.x, ylabel=column)
    if study.log_x:
        axes.set_xscale("log")
    if study.log_y:
        axes.set_yscale("log")
    axes.grid(alpha=0.3)
    if study.series:
        axes.legend(fontsize=8)
