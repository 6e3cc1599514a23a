"""JSON Lines: every row is a document of its own.

``id`` names it, ``title`` and ``text`` are what they say, every other key is metadata. Rows are
read one at a time, so a file of any size needs the memory of its longest row (and of its ids).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from bridgerag.documents.decode import clean
from bridgerag.documents.names import document_id
from bridgerag.documents.stream import DOCUMENT_BYTES
from bridgerag.errors import UnreadableFile
from bridgerag.types import Document, MetadataValue, Section, Skipped

__all__ = ["read", "suffixes"]

suffixes: tuple[str, ...] = (".jsonl", ".ndjson")

_NAMED_FAULTS = 100


def read(path: Path, stream: BinaryIO) -> Iterator[Document | Skipped]:
    """Yield each row as a document, and `Skipped` for a row that is none.

    Rows are numbered by their line in the file, from 1; blank lines are passed over. A file of
    another kind has faults in every line: only the first are named, the rest are counted.
    """
    source = document_id(path)
    seen: set[str] = set()
    faults = 0
    for number, line in enumerate(iter(lambda: stream.readline(DOCUMENT_BYTES + 1), b""), start=1):
        if len(line) > DOCUMENT_BYTES:
            raise UnreadableFile(source, f"row {number} is longer than the limit of 512 MB")
        if line.isspace():
            continue
        try:
            document = _document(source, number, line)
            if document.id in seen:
                raise ValueError(f"the id {document.id!r} is already taken by a row above")
        except (ValueError, RecursionError) as error:
            faults += 1
            if faults <= _NAMED_FAULTS:
                deep = isinstance(error, RecursionError)
                reason = "is nested too deeply" if deep else str(error)
                yield Skipped(source, f"row {number}: {reason}", number)
        else:
            seen.add(document.id)
            yield document
    if faults > _NAMED_FAULTS:
        yield Skipped(source, f"{faults - _NAMED_FAULTS:,} more rows are no documents")


def _document(source: str, number: int, line: bytes) -> Document:
    """Return the document in ``line``; a `ValueError` says why there is none."""
    row = _parse(line)
    text = row.pop("text", None)
    if not isinstance(text, str):
        raise ValueError('has no "text"' if text is None else 'its "text" is not a string')
    text = clean(text)
    if not text or text.isspace():
        raise ValueError('its "text" is empty')
    name = row.pop("id", None)
    if name is None:
        name = f"{source}#{number}"
    elif isinstance(name, bool) or not isinstance(name, str | int):
        raise ValueError('its "id" is neither text nor a whole number')
    name = clean(str(name))
    if not name or name.isspace():
        raise ValueError('its "id" is empty')
    title = row.pop("title", None)
    title = clean(" ".join(title.split())) if isinstance(title, str) and title.strip() else name
    metadata = {clean(key): _metadata(value) for key, value in row.items()}
    return Document(name, title, source, text, (Section(0, len(text)),), metadata)


def _parse(line: bytes) -> dict[str, object]:
    try:
        row = json.loads(line.decode("utf-8-sig"), parse_constant=lambda _: None)
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON ({error.msg} at column {error.colno})") from None
    except ValueError:  # Python's guard against numbers whose reading takes quadratic time
        raise ValueError("holds a number with too many digits") from None
    if not isinstance(row, dict):
        raise ValueError("is not a JSON object")
    return row


def _metadata(value: object) -> MetadataValue:
    if isinstance(value, str):
        return clean(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    return clean(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
