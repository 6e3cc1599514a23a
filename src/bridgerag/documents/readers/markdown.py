"""Markdown: the text as it stands, front matter as metadata, headings as sections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from bridgerag.documents.decode import decode
from bridgerag.documents.names import document_id, file_title
from bridgerag.documents.readers.front_matter import split_front_matter
from bridgerag.documents.sections import Headings
from bridgerag.documents.stream import read_all
from bridgerag.types import Document, Section

__all__ = ["read", "suffixes"]

suffixes: tuple[str, ...] = (".md", ".markdown", ".mdown")

# A fence opens or closes code; the rest are the three ways to write a heading.
_MARK = re.compile(
    r"""
    ^[ ]{0,3} (?:
        (?P<fence>`{3,}|~{3,}) (?P<info>[^`\n]*) $
      | (?P<level>\#{1,6}) (?:[ \t]+ (?P<atx>.*))? $
      | (?P<setext>[^\s>|\#*+-].*) \n [ ]{0,3} (?P<line>=+|-+) [ \t]* $
      | <h(?P<tag>[1-6])\b[^>\n]*> (?P<html>.*?) </h(?P=tag)> [ \t]* $
    )
    """,
    re.VERBOSE | re.MULTILINE,
)
_LONGEST_TITLE = 500  # the patterns below are quadratic at worst
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_TAG = re.compile(r"<[^<>\n]*>")
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3}|`+)(?=\S)(.+?)(?<=\S)\1")


def read(path: Path, stream: BinaryIO) -> Iterator[Document]:
    """Yield the file as one document.

    Its title is that of the front matter, else the first heading, else the file's name.
    """
    text, metadata = split_front_matter(decode(read_all(stream, path), path))
    sections = tuple(_sections(text))
    first = next((section.headings[0] for section in sections if section.headings), "")
    title = str(metadata.pop("title", "") or first or file_title(path))
    name = document_id(path)
    yield Document(name, title, name, text, sections, metadata)


def _sections(text: str) -> Iterator[Section]:
    path = Headings()
    start = 0
    headings: tuple[str, ...] = ()
    for at, level, title in _headings(text):
        if at > start:
            yield Section(start, at, headings)
        start, headings = at, path.enter(level, title)
    yield Section(start, len(text), headings)


def _headings(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield ``(offset, level, title)`` of each heading that is not inside a fence."""
    fence = ""
    for mark in _MARK.finditer(text):
        if mark["fence"]:
            if not fence:
                fence = mark["fence"]
            elif mark["fence"].startswith(fence) and not mark["info"].strip():
                fence = ""
        elif fence:
            continue
        elif mark["setext"] is not None:
            if _begins_paragraph(text, mark.start()):
                yield mark.start(), 1 if mark["line"][0] == "=" else 2, _plain(mark["setext"])
        else:
            title = _plain(mark["atx"] or mark["html"] or "")
            if title:
                yield mark.start(), int(mark["tag"] or len(mark["level"])), title


def _begins_paragraph(text: str, start: int) -> bool:
    """Say whether the line before ``start`` is blank: what is underlined is one line, no more."""
    return start == 0 or not text[text.rfind("\n", 0, start - 1) + 1 : start].strip()


def _plain(title: str) -> str:
    """Return the words of a heading without its Markdown."""
    title = re.sub(r"[ \t]+#+[ \t]*$", "", title[:_LONGEST_TITLE])
    title = _TAG.sub("", _LINK.sub(r"\1", title))
    return " ".join(_EMPHASIS.sub(r"\2", title).split())
