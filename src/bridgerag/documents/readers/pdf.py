"""PDF: one section a page, by way of pdfium."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from bridgerag.documents.decode import clean
from bridgerag.documents.names import document_id, file_title
from bridgerag.documents.sections import TextBuilder
from bridgerag.documents.stream import read_all
from bridgerag.errors import UnreadableFile
from bridgerag.types import Document

__all__ = ["read", "suffixes"]

suffixes: tuple[str, ...] = (".pdf",)

# pdfium marks a hyphen at a line end, by which a word was broken, with one of these.
_BROKEN_WORD = re.compile("[\x02\ufffe](?:\r?\n)?")
_PAGE_NUMBER = re.compile(
    r"(?:page\s+)?[-–—]?\s*(\d{1,4})(?:\s*(?:of|/)\s*\d{1,4})?\s*[-–—]?", re.IGNORECASE
)

_ONE_AT_A_TIME = threading.Lock()  # pdfium is not thread-safe


def read(path: Path, stream: BinaryIO) -> Iterator[Document]:
    """Yield the file as one document; pages are counted from 1.

    Words broken at line ends are joined; running heads and feet are dropped.
    """
    data = read_all(stream, path)
    with _ONE_AT_A_TIME:
        title, pages = _extract(data, path)
    if not any(page and not page.isspace() for page in pages):
        raise UnreadableFile(document_id(path), "has no text: a scan? run OCR first")
    builder = TextBuilder()
    for number, page in enumerate(_without_running_lines(pages), start=1):
        builder.begin(page=number)
        builder.add(page, end="\n\n")
    name = document_id(path)
    yield Document(name, title or file_title(path), name, *builder.finish())


def _extract(data: bytes, path: Path) -> tuple[str, list[str]]:
    """Return the title in the file's properties, if it is worth having, and each page's text."""
    import pypdfium2  # noqa: PLC0415  loads a native library

    try:
        with pypdfium2.PdfDocument(data) as pdf:
            title = " ".join(clean(pdf.get_metadata_value("Title")).split())
            pages = [_page_text(pdf, number) for number in range(len(pdf))]
    except pypdfium2.PdfiumError as error:
        encrypted = "password" in str(error).lower()
        reason = "is encrypted; save it without a password" if encrypted else "is not a sound PDF"
        raise UnreadableFile(document_id(path), reason) from error
    return (title if re.search(r"[^\W\d_]{2}", title) else ""), pages


def _page_text(pdf: object, number: int) -> str:
    page = pdf[number]  # type: ignore[index]
    try:
        text_page = page.get_textpage()
        try:
            return clean(_BROKEN_WORD.sub("", text_page.get_text_bounded())).strip()
        finally:
            text_page.close()
    finally:
        page.close()


def _without_running_lines(pages: list[str]) -> list[str]:
    """Drop the first and the last line of the pages where most pages have the same one.

    Two page numbers are the same line if they are equally far from the pages' positions.
    """
    lines = [page.split("\n") for page in pages]
    for edge in (0, -1):
        keys = [_line_key(page[edge], at) for at, page in enumerate(lines)]
        shared = Counter(keys)
        for page, key in zip(lines, keys, strict=True):
            if len(page) > 1 and len(pages) > 2 and shared[key] * 2 > len(pages):
                del page[edge]
    return ["\n".join(page).strip() for page in lines]


def _line_key(line: str, page: int) -> str | int:
    number = _PAGE_NUMBER.fullmatch(line.strip())
    return int(number[1]) - page if number else line.strip()
