"""CSV and TSV: every row is a section that can be read alone, ``column: value; column: value``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from bridgerag.documents.decode import decode
from bridgerag.documents.names import document_id, file_title
from bridgerag.documents.sections import TextBuilder
from bridgerag.documents.stream import read_all
from bridgerag.errors import UnreadableFile
from bridgerag.types import Document

__all__ = ["read", "suffixes"]

suffixes: tuple[str, ...] = (".csv", ".tsv")

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 50


def read(path: Path, stream: BinaryIO) -> Iterator[Document]:
    """Yield the table as one document.

    The first row names the columns if its cells are filled, all different and none a number. Rows
    are numbered from 1 without it, blank ones counted as a spreadsheet does.
    """
    text = decode(read_all(stream, path), path)
    delimiter = "\t" if ".tsv" in path.suffixes else _delimiter(text)
    rows = _rows(text, delimiter, path)
    first = next(rows, [])
    builder = TextBuilder()
    if _is_header(first):
        columns = first
    else:
        columns = []
        _add_row(builder, 1, columns, first)
    for number, cells in enumerate(rows, start=1 if columns else 2):
        _add_row(builder, number, columns, cells)
    name = document_id(path)
    yield Document(name, file_title(path), name, *builder.finish())


def _rows(text: str, delimiter: str, path: Path) -> Iterator[list[str]]:
    """Yield the cells of each row, white space folded."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            yield [" ".join(cell.split()) for cell in cells]
    except csv.Error as error:
        reason = f"is not a sound table at line {reader.line_num}: {error}; is a quote left open?"
        raise UnreadableFile(document_id(path), reason) from error


def _delimiter(text: str) -> str:
    """Return the delimiter that cuts the first rows into equally many cells, the most of them."""
    best, most = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            widths = [len(cells) for cells in islice(reader, _SAMPLE_ROWS) if cells]
        except csv.Error:
            continue
        width = max(widths, key=widths.count, default=1)
        score = (widths.count(width) / len(widths), width) if width > 1 else (0.0, 0)
        if score > most:
            best, most = delimiter, score
    return best


def _is_header(cells: list[str]) -> bool:
    return (
        bool(cells) and all(cells) and len({*cells}) == len(cells) and not any(map(_number, cells))
    )


def _number(cell: str) -> bool:
    return cell.strip("+-$€£¥%() ").replace(",", "").replace(".", "").isdigit()


def _add_row(builder: TextBuilder, number: int, columns: list[str], cells: list[str]) -> None:
    named = [
        f"{columns[at]}: {cell}" if at < len(columns) else f"column {at + 1}: {cell}"
        for at, cell in enumerate(cells)
        if cell
    ]
    if named:
        builder.begin(row=number)
        builder.add("; ".join(named), end="\n")
