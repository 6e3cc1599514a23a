"""DOCX: headings as sections, paragraphs and tables in the order of the document.

python-docx opens the package and knows the styles; the body is walked here, so that what it leaves
out (content controls, insertions, nested tables, text boxes) is read too. Relationships that lead
outside the file are never followed, and its parser does not expand entities.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from bridgerag.documents.decode import clean
from bridgerag.documents.names import document_id, file_title
from bridgerag.documents.sections import Headings, TextBuilder
from bridgerag.documents.stream import read_all
from bridgerag.errors import UnreadableFile
from bridgerag.types import Document

if TYPE_CHECKING:
    from docx.styles.style import BaseStyle

__all__ = ["read", "suffixes"]

suffixes: tuple[str, ...] = (".docx",)

Element: TypeAlias = Any  # of lxml, which has no types

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # Office before 2007, and any encrypted Office file

_PARTS = 10_000
_UNPACKED_BYTES = 512 * 2**20
_XML_BYTES = 64 * 2**20  # one part; a parsed tree takes some ten times as much memory
_RATIO = 200  # of a part above _SMALL_BYTES; real XML reaches about 50
_SMALL_BYTES = 4 * 2**20

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DROPPED = frozenset(
    (
        f"{_W}del",
        f"{_W}moveFrom",
        f"{_W}instrText",
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    )
)
_BREAKS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_HEADING = re.compile(r"heading ([1-9])")


def read(path: Path, stream: BinaryIO) -> Iterator[Document]:
    """Yield the file as one document; table rows are lines, their cells joined by ``|``."""
    data = read_all(stream, path)
    _refuse_bombs(data, path)
    try:
        title, body, levels = _open(data)
        extractor = _Extractor(levels)
        extractor.blocks(body)
    except Exception as error:  # python-docx raises whatever the broken package makes it trip over
        found = " ".join(str(error).split())
        raise UnreadableFile(document_id(path), f"is not a sound DOCX file ({found})") from error
    name = document_id(path)
    title = title or extractor.title or file_title(path)
    yield Document(name, title, name, *extractor.builder.finish())


def _refuse_bombs(data: bytes, path: Path) -> None:
    """Look into the directory of the zip; zipfile unpacks no more than it says there."""

    def refuse(reason: str) -> None:
        raise UnreadableFile(document_id(path), reason)

    if data.startswith(_OLE):
        refuse("is encrypted or of an old Word format; save it as .docx without a password")
    try:
        parts = zipfile.ZipFile(io.BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return refuse("is not a sound DOCX file (no zip archive)")
    sizes = [part.file_size for part in parts]
    if len(parts) > _PARTS or sum(sizes) > _UNPACKED_BYTES:
        refuse(
            f"looks like a zip bomb: {len(parts)} parts of {sum(sizes) / 2**20:,.0f} MB unpacked"
        )
    for part in parts:
        bomb = part.file_size > max(_SMALL_BYTES, _RATIO * part.compress_size)
        if bomb or (part.file_size > _XML_BYTES and part.filename.endswith((".xml", ".rels"))):
            refuse(f"looks like a zip bomb: a part unpacks to {part.file_size / 2**20:,.0f} MB")


def _open(data: bytes) -> tuple[str, Element, dict[str, int]]:
    """Return the title in the properties, the body, and the heading level of each style."""
    import docx  # noqa: PLC0415  slow to import
    from docx.enum.style import WD_STYLE_TYPE  # noqa: PLC0415

    document = docx.Document(io.BytesIO(data))
    levels = {}
    for style in document.styles:
        if style.type == WD_STYLE_TYPE.PARAGRAPH and style.style_id:
            level = _style_level(style)
            if level:
                levels[style.style_id] = level
    title = " ".join(clean(document.core_properties.title or "").split())
    body = document.element.body
    if body is None:
        raise ValueError("it has no body")
    return ("" if title == "Word Document" else title), body, levels


def _style_level(style: BaseStyle | None) -> int:
    """Return 1 to 9 for the style of a heading, or one based on such a style; else 0."""
    for _ in range(10):  # in a broken file, styles may be based on each other in a circle
        if style is None:
            break
        name = (style.name or "").lower()
        if found := _HEADING.match(name):
            return int(found[1])
        if name == "title":
            return 1
        style = getattr(style, "base_style", None)
    return 0


class _Extractor:
    """Walks the body and collects its text."""

    def __init__(self, levels: dict[str, int]) -> None:
        self.levels = levels
        self.builder, self.headings = TextBuilder(), Headings()
        self.title = ""

    def blocks(self, parent: Element) -> None:
        """Add the paragraphs and tables under ``parent``, also those inside content controls."""
        for child in parent.iterchildren("*"):
            if child.tag == f"{_W}p":
                self.paragraph(child)
            elif child.tag == f"{_W}tbl":
                self.table(child)
            elif child.tag not in _DROPPED:
                self.blocks(child)

    def paragraph(self, paragraph: Element) -> None:
        text = _text(paragraph).strip()
        if not text:
            return
        level = self.levels.get(paragraph.style or "", 0)
        if level:
            title = " ".join(text.split())
            self.title = self.title or title
            self.builder.begin(self.headings.enter(level, title))
        self.builder.add(text)

    def table(self, table: Element) -> None:
        for row in _nearest(table, f"{_W}tr"):
            cells = (" ".join(_text(cell).split()) for cell in _nearest(row, f"{_W}tc"))
            self.builder.add(" | ".join(cell for cell in cells if cell), end="\n")
        self.builder.gap()


def _nearest(parent: Element, tag: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, without those of tables inside cells."""
    for child in parent.iterchildren("*"):
        if child.tag == tag:
            yield child
        elif child.tag not in _DROPPED:
            yield from _nearest(child, tag)


def _text(element: Element) -> str:
    return clean("".join(_pieces(element)))


def _pieces(element: Element) -> Iterator[str]:
    """Yield the pieces of text under ``element``; a space ends a nested paragraph or cell."""
    for child in element.iterchildren("*"):
        if child.tag == f"{_W}t":
            yield child.text or ""
        elif child.tag in _BREAKS:
            yield _BREAKS[child.tag]
        elif child.tag not in _DROPPED:
            yield from _pieces(child)
            if child.tag in (f"{_W}p", f"{_W}tc"):
                yield " "
