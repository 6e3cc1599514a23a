"""HTML: the main content as blocks of text, headings as sections, tables row by row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bridgerag.documents.decode import clean, decode
from bridgerag.documents.names import document_id, file_title
from bridgerag.documents.sections import Headings, TextBuilder
from bridgerag.documents.stream import read_all
from bridgerag.errors import UnreadableFile
from bridgerag.types import Document, Section

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

__all__ = ["read", "suffixes"]

suffixes: tuple[str, ...] = (".html", ".htm", ".xhtml")

_DECLARED = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)

_CONTENT = ("main, [role=main]", "article", "body")
_HIDDEN = (
    "script, style, template, noscript, nav, aside, footer, header, head, svg, iframe, object, "
    "canvas, audio, video, button, select, input, textarea, [hidden], [aria-hidden=true], "
    "[role=navigation], [role=banner], [role=contentinfo], [role=complementary], [role=search], "
    "[style*='display:none' i], [style*='display: none' i], [style*='visibility:hidden' i]"
)
_NOT_HIDDEN = "main header, article header, [role=main] header"  # it holds the title there
_LAYOUT = "table table, table h1, table h2, table h3, table h4, table section, table article"

_INLINE_TAGS = """
    a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark q rp rt
    ruby s samp small span strike strong sub sup time tt u var wbr
"""
_INLINE = frozenset(_INLINE_TAGS.split())
_LIST_TAGS = ("li", "ul", "ol")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_PERMALINKS = ("¶", "#", "§")

_DEEPEST = 5000  # the parser looks through all open elements at each tag; real pages nest some 50
_TAG = re.compile(rb"<(/?)([a-z][a-z0-9]*)", re.IGNORECASE)
_MAY_STAY_OPEN = frozenset(
    b"""
    a area base body br col colgroup dd dt embed frame head hr html img input li link meta optgroup
    option p param rp rt source tbody td tfoot th thead tr track wbr
    """.split()
)

_SPACE = re.compile(r"[ \t\n\r\f]+")
_LINE_EDGES = re.compile(r" *\n *")


def read(path: Path, stream: BinaryIO) -> Iterator[Document]:
    """Yield the page as one document.

    What is in ``<main>``, ``role=main`` or the only ``<article>`` is preferred to the whole body.
    Navigation, banners, asides, footers, scripts and hidden elements are left out.
    """
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  loads a native library

    data = read_all(stream, path)
    _refuse_towers(data, path)
    declared = _DECLARED.search(data, 0, 4096)
    page = LexborHTMLParser(decode(data, path, declared[1].decode("ascii") if declared else None))
    text, sections = _content(page)
    name = document_id(path)
    yield Document(name, _title(page) or file_title(path), name, text, sections)


def _refuse_towers(data: bytes, path: Path) -> None:
    """Raise `UnreadableFile` if elements nest so deeply that parsing would take hours."""
    still_open: dict[bytes, int] = {}
    depth = 0
    for slash, name in _TAG.findall(data):
        tag = name.lower()
        if tag in _MAY_STAY_OPEN:
            continue
        count = still_open.get(tag, 0)
        change = 1 if not slash else -1 if count else 0
        still_open[tag] = count + change
        depth += change
        if depth > _DEEPEST:
            reason = f"nests its elements more than {_DEEPEST:,} deep"
            raise UnreadableFile(document_id(path), reason)


def _content(page: LexborHTMLParser) -> tuple[str, tuple[Section, ...]]:
    hidden = {node.mem_id for node in page.css(_HIDDEN)}
    hidden -= {node.mem_id for node in page.css(_NOT_HIDDEN)}
    layout = {_table_above(node) for node in page.css(_LAYOUT)}
    for selector in _CONTENT:
        roots = page.css(selector)
        if roots and (selector != "article" or len(roots) == 1):
            text, sections = _Extractor(hidden, layout).extract(roots[0])
            if text and not text.isspace():
                return text, sections
    return "", (Section(0, 0),)


def _title(page: LexborHTMLParser) -> str:
    for node in page.css("title, h1"):
        title = clean(_SPACE.sub(" ", node.text())).strip().rstrip("".join(_PERMALINKS)).rstrip()
        if title:
            return title
    return ""


def _table_above(node: LexborNode) -> int:
    above = node.parent
    while above is not None and above.tag != "table":
        above = above.parent
    return above.mem_id if above is not None else 0


class _Extractor:
    """Turns one element into text and sections."""

    def __init__(self, hidden: set[int], layout: set[int]) -> None:
        self.hidden, self.layout = hidden, layout
        self.builder, self.headings = TextBuilder(), Headings()
        self.inline: list[str] = []  # the block that is being read
        self.marker = ""

    def extract(self, root: LexborNode) -> tuple[str, tuple[Section, ...]]:
        for node, is_open in self.walk(root):
            tag = node.tag or ""
            if tag == "-text":
                self.inline.append(_SPACE.sub(" ", node.text_content or ""))
            elif tag == "br":
                self.inline.append("\n")
            elif tag not in _INLINE:
                self.block(node, tag, is_open)
        self.flush()
        return self.builder.finish()

    def walk(self, root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
        """Yield every visible node as it opens, and elements again as they close.

        Tables and preformatted text are not entered. It does not recurse: pages nest deeply.
        """
        node: LexborNode | None = root
        depth = 0
        while node is not None:
            child = None
            if node.mem_id not in self.hidden or depth == 0:
                yield node, True
                child = None if self.is_whole(node) else node.child
            if child is not None:
                node, depth = child, depth + 1
                continue
            while node is not None and depth > 0 and node.next is None:
                node, depth = node.parent, depth - 1
                if node is not None:
                    yield node, False
            node = node.next if node is not None and depth > 0 else None

    def is_whole(self, node: LexborNode) -> bool:
        if node.tag == "a":
            return node.text().strip() in _PERMALINKS
        return node.tag == "pre" or (node.tag == "table" and node.mem_id not in self.layout)

    def block(self, node: LexborNode, tag: str, is_open: bool) -> None:
        if not is_open and tag in _HEADINGS:
            title = "".join(self.inline).strip()
            self.builder.begin(self.headings.enter(_HEADINGS[tag], _SPACE.sub(" ", title)))
        self.flush("\n" if tag in _LIST_TAGS else "\n\n")
        if is_open:
            self.marker = "- " if tag == "li" else self.marker
            if tag == "pre":
                self.builder.add(clean(node.text()).strip("\n"))
            elif tag == "table":
                self.table(node)
        elif tag in _LIST_TAGS and tag != "li":
            self.builder.gap()

    def flush(self, end: str = "\n\n") -> None:
        """Add the block read so far to the text."""
        text = _LINE_EDGES.sub("\n", re.sub("  +", " ", "".join(self.inline))).strip()
        self.inline.clear()
        if text:
            self.builder.add(clean(self.marker + text), end)
            self.marker = ""

    def table(self, table: LexborNode) -> None:
        if table.mem_id in self.layout:
            return
        for row in table.css("caption, tr"):
            if row.mem_id not in self.hidden:
                cells = [row] if row.tag == "caption" else self.cells(row)
                texts = (self.flat(cell) for cell in cells)
                self.builder.add(clean(" | ".join(text for text in texts if text)), end="\n")
        self.builder.gap()

    def cells(self, row: LexborNode) -> Iterator[LexborNode]:
        cell = row.child
        while cell is not None:
            if cell.tag in ("td", "th") and cell.mem_id not in self.hidden:
                yield cell
            cell = cell.next

    def flat(self, cell: LexborNode) -> str:
        """Return the text of a cell on one line."""
        pieces = (
            node.text_content or "" if node.tag == "-text" else "" if node.tag in _INLINE else " "
            for node, _ in self.walk(cell)
        )
        return _SPACE.sub(" ", "".join(pieces)).strip()
