"""Plain text: one section, the file's name as the title."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from bridgerag.documents.decode import decode
from bridgerag.documents.names import document_id, file_title
from bridgerag.documents.stream import read_all
from bridgerag.types import Document, Section

__all__ = ["read", "suffixes"]

suffixes: tuple[str, ...] = (".txt", ".text", ".log", ".rst", ".adoc", ".org")


def read(path: Path, stream: BinaryIO) -> Iterator[Document]:
    """Yield the file as one document."""
    text = decode(read_all(stream, path), path)
    name = document_id(path)
    yield Document(name, file_title(path), name, text, (Section(0, len(text)),))
