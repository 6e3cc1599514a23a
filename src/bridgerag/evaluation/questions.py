"""Read a file of questions: JSON Lines, or a table with a ``question`` column."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from gzip import BadGzipFile
from pathlib import Path

from bridgerag.documents.decode import clean, decode
from bridgerag.documents.stream import open_stream, read_all
from bridgerag.errors import InputError, UnreadableFile

__all__ = ["QuestionItem", "draw", "read_questions"]

_LINES, _TABLES = (".jsonl", ".ndjson"), (".csv", ".tsv")
_DELIMITERS = ",;\t"
_SEVERAL = "|"  # between the parts of a cell that holds several
_LISTS = ("answers", "gold_ids", "search_in")
_SHOWN = 60  # characters of what was found, in a message

_Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class QuestionItem:
    """A question, what would answer it, and where that stands.

    Attributes:
        id: unique in its file.
        answers: spellings that count as right; empty when none is known.
        gold_ids: documents that hold the answer; empty when they are not known.
        kind: the data's own ``type``.
        hops: how many documents must be joined.
        scope: the only documents that are searched for this question; None means all.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    gold_ids: tuple[str, ...] = ()
    kind: str | None = None
    hops: int | None = None
    scope: tuple[str, ...] | None = None


def draw(items: Sequence[QuestionItem], count: int, lot: str) -> list[QuestionItem]:
    """Return ``count`` questions by lot, or all where there are no more, in their order.

    Hashes, and not a random generator: the draw is the same on every machine and release, and a
    smaller one is part of a larger one.

    Args:
        lot: names the draw; another name draws others.
    """

    def number(place: int) -> bytes:
        return hashlib.sha256(f"{lot}:{items[place].id}".encode()).digest()

    return [items[i] for i in sorted(sorted(range(len(items)), key=number)[:count])]


def read_questions(path: Path) -> list[QuestionItem]:
    """Return the questions in ``path``, in file order; at least one.

    Of a row, ``question`` is needed. ``id`` may be missing: the n-th row is then called ``"qn"``.
    ``answers`` (or ``answer``) and ``gold_ids`` are a text or a list, ``search_in`` lists the
    question's scope, ``type`` and ``hops`` describe it; all else is passed over. In a table the
    columns are called the same, and ``|`` stands between several answers or ids in one cell.

    Args:
        path: ``.jsonl``, ``.ndjson``, ``.csv`` or ``.tsv``, each also with ``.gz`` behind it.

    Raises:
        UnreadableFile: the file cannot be opened or read.
        InputError: a row is not a question; the message names the file and the line.
    """
    items: list[QuestionItem] = []
    taken: set[str] = set()
    for line, row in _rows(path):
        where = f"{path}:{line}: "
        item = _item(where, len(items) + 1, row)
        if item.id in taken:
            raise InputError(f'{where}"id"', _short(item.id), "different from those above")
        taken.add(item.id)
        items.append(item)
    if not items:
        raise InputError(str(path), "a file without a question", "a file with one a row")
    return items


# ---- rows ---------------------------------------------------------------------------------------


def _rows(path: Path) -> Iterator[tuple[int, _Row]]:
    """Yield ``(line, row)``; lines are counted from 1."""
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    if suffix not in _LINES + _TABLES:
        expected = "JSON Lines (.jsonl) or a table (.csv, .tsv), compressed (.gz) or not"
        raise InputError("the questions file", str(path), expected)
    try:
        with open_stream(path) as stream:
            if suffix in _LINES:
                yield from _json_rows(path, stream)
            else:
                yield from _table_rows(path, decode(read_all(stream, path), path))
    except (BadGzipFile, EOFError, zlib.error) as error:
        raise UnreadableFile(path, "it is not a sound .gz file") from error
    except OSError as error:
        raise UnreadableFile(path, f"it cannot be opened ({error.strerror})") from error


def _json_rows(path: Path, lines: Iterator[bytes]) -> Iterator[tuple[int, _Row]]:
    for number, line in enumerate(lines, start=1):
        if line.isspace():
            continue
        try:
            row = json.loads(line.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            found = _short(line.decode("utf-8", "replace").strip())
            raise InputError(f"{path}:{number}", found, f"a JSON object ({error})") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number}", _short(row), "a JSON object")
        yield number, row


def _table_rows(path: Path, text: str) -> Iterator[tuple[int, _Row]]:
    head, delimiter = _head(path, text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    above = 0
    try:
        for cells in reader:
            line, above = above + 1, reader.line_num
            if line == 1 or not any(cell.strip() for cell in cells):
                continue
            if len(cells) > len(head):
                expected = f'at most {len(head)}, as the head; is a text without its quotes (")?'
                raise InputError(f"{path}:{line}: the number of cells", len(cells), expected)
            named = zip(head, map(str.strip, cells), strict=False)
            yield line, {name: _value(name, cell) for name, cell in named if cell}
    except csv.Error as error:
        reason = f"it is not a sound table at line {reader.line_num} ({error})"
        raise UnreadableFile(path, reason) from error


def _head(path: Path, text: str) -> tuple[list[str], str]:
    """Return the names of the columns and the delimiter, the one that sets ``question`` apart."""
    first = text.partition("\n")[0]
    for delimiter in _DELIMITERS:
        cells = next(csv.reader([first], delimiter=delimiter), [])
        names = [cell.strip().casefold() for cell in cells]
        if "question" in names:
            return names, delimiter
    raise InputError(f"{path}:1", _short(first), 'a head that names a column "question"')


def _value(name: str, cell: str) -> object:
    if name in _LISTS:
        return [part for part in map(str.strip, cell.split(_SEVERAL)) if part]
    return int(cell) if name == "hops" and cell.isdecimal() else cell


# ---- fields -------------------------------------------------------------------------------------


def _item(where: str, number: int, row: _Row) -> QuestionItem:
    question = row.get("question")
    if not isinstance(question, str) or not clean(question).strip():
        raise InputError(f'{where}"question"', _short(question), "a text that is not empty")
    kind, hops = row.get("type"), row.get("hops")
    if hops is not None and (isinstance(hops, bool) or not isinstance(hops, int)):
        raise InputError(f'{where}"hops"', _short(hops), "a whole number, or left out")
    scope = None if row.get("search_in") is None else _texts(where, row, "search_in")
    if scope == ():
        expected = "the ids of the documents to search, or left out to search all"
        raise InputError(f'{where}"search_in"', [], expected)
    return QuestionItem(
        id=next(iter(_texts(where, row, "id")), f"q{number}"),
        question=clean(question).strip(),
        answers=tuple(dict.fromkeys(_texts(where, row, "answers") + _texts(where, row, "answer"))),
        gold_ids=_texts(where, row, "gold_ids"),
        kind=kind if isinstance(kind, str) and kind else None,
        hops=hops,
        scope=scope,
    )


def _texts(where: str, row: _Row, name: str) -> tuple[str, ...]:
    """Return what stands under ``name``, a text or several, without empty and repeated ones."""
    found = row.get(name)
    values = found if isinstance(found, list) and name != "id" else [found]
    if found is None:
        return ()
    if any(isinstance(value, bool) or not isinstance(value, str | int | float) for value in values):
        expected = "a text or a number" + ("" if name == "id" else ", or a list of them")
        raise InputError(f'{where}"{name}"', _short(found), expected)
    texts = (clean(str(value)).strip() for value in values)
    return tuple(dict.fromkeys(text for text in texts if text))


def _short(found: object) -> object:
    shown = found if isinstance(found, str) else repr(found)
    return found if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
