"""Tables for a terminal, as many as its width asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bridgerag.evaluation.columns import Column
from bridgerag.evaluation.report.findings import best, losses, measured_on, wins
from bridgerag.evaluation.report.model import Report, verdict
from bridgerag.evaluation.report.wording import heading, interval, quantity
from bridgerag.evaluation.summary import Row

__all__ = ["print_report"]

_STYLES = {"better": "green", "worse": "red", "tie": "dim"}
_ASCII = str.maketrans({"−": "-", "–": "-"})
_BETWEEN = 3  # spaces from one column to the next, one of them the rule's
_EDGES = 2  # spaces around a table
_LEGEND = (
    "* best of its column, as printed. Below a value: the {level:g} % interval of its difference "
    "to {base}, in points; where it holds 0, it is a tie."
)


def print_report(report: Report, console: Console, *, every_column: bool = False) -> None:
    """Print the tables, what they mean, and what to know about them.

    Colour and width are the console's: it knows of ``NO_COLOR`` and of output that is no terminal.

    Args:
        every_column: all that was measured, in place of what matters most.
    """
    summary = report.summary
    columns = [column for column in summary.columns if every_column or column.brief]
    cells = {column.key: [_cell(report, row, column) for row in summary.rows] for column in columns}
    console.print(_line(f"{summary.dataset}: {measured_on(report)}", console))
    for shown in _packed(columns, cells, _room(report, console)):
        console.print(_table(report, shown, cells, console))
    if summary.baseline:
        console.print(Text(_LEGEND.format(base=summary.baseline, level=100 * summary.level), "dim"))
    for sentence in (wins(report), *(f"Best elsewhere: {each}" for each in losses(report))):
        console.print(_line(sentence, console), style="dim")
    for note in (*report.leaks, *summary.notes):
        console.print(_line(f"- {note}", console))


def _table(
    report: Report, columns: Sequence[Column], cells: dict[str, list[Text]], console: Console
) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, _BETWEEN - 1, 0, 0))
    table.add_column("method", no_wrap=True, overflow="crop")
    for column in columns:
        table.add_column(heading(column), justify="right", no_wrap=True, overflow="crop")
    for place, row in enumerate(report.summary.rows):
        label = _line(row.label, console)
        if report.ours(row.label):
            label.stylize("bold")
        table.add_row(label, *(cells[column.key][place] for column in columns))
    return table


def _cell(report: Report, row: Row, column: Column) -> Text:
    """Return the value, ``*`` where it is the best, and the interval on a line below."""
    cell = row.cells[column.key]
    leads = row in best(report, column)
    value = quantity(cell.value, column.unit).translate(_ASCII)
    text = Text(f"{value}{'*' if leads else ' '}", "bold" if leads else "")
    if found := verdict(cell):
        below = f"\n{'tie ' if cell.tie else ''}{interval(cell, column.unit)} "
        text.append(below.translate(_ASCII), _STYLES[found])
    return text


def _packed(
    columns: Sequence[Column], cells: dict[str, list[Text]], room: int
) -> Iterator[list[Column]]:
    """Yield the columns of each table: a part of them is only split where it has to be."""
    taken: list[Column] = []
    used = 0
    for _, members in groupby(columns, key=lambda column: column.part):
        part = [(column, _width(column, cells[column.key])) for column in members]
        if taken and used + sum(width for _, width in part) > room:
            yield taken
            taken, used = [], 0
        for column, width in part:
            if taken and used + width > room:
                yield taken
                taken, used = [], 0
            taken.append(column)
            used += width
    if taken:
        yield taken


def _width(column: Column, cells: Sequence[Text]) -> int:
    lines = [heading(column), *(line for cell in cells for line in cell.plain.split("\n"))]
    return max(map(len, lines)) + _BETWEEN


def _room(report: Report, console: Console) -> int:
    labels = [row.label for row in report.summary.rows]
    return console.width - max(map(len, labels), default=0) - _BETWEEN - _EDGES


def _line(text: str, console: Console) -> Text:
    """Return foreign text as one harmless line that the console can write."""
    shown = "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text.translate(_ASCII)
    )
    return Text(shown.encode(console.encoding, "backslashreplace").decode(console.encoding))
