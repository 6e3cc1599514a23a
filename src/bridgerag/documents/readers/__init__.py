"""One module a format, each with ``suffixes`` and ``read``: see `bridgerag.protocols.Reader`."""

from __future__ import annotations

from pathlib import Path

from bridgerag.documents.readers import docx, html, jsonl, markdown, pdf, table, text
from bridgerag.protocols import Reader

__all__ = ["reader_for", "text_reader"]

_TEXT_KINDS: tuple[Reader, ...] = (text, markdown, html, table, jsonl)
_BINARY_KINDS: tuple[Reader, ...] = (pdf, docx)

_BY_SUFFIX = {
    **{suffix: kind for kind in _TEXT_KINDS + _BINARY_KINDS for suffix in kind.suffixes},
    **{f"{suffix}.gz": kind for kind in _TEXT_KINDS for suffix in kind.suffixes},
}

text_reader: Reader = text


def reader_for(path: Path) -> Reader | None:
    """Return the reader of the kind that the file's name says it is, or None."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        suffix = path.with_suffix("").suffix.lower() + suffix
    return _BY_SUFFIX.get(suffix)
