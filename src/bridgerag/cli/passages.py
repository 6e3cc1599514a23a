"""Passages in words: where each stands, what it says, why it was chosen."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import click

from bridgerag.cli.terminal import printable, printable_lines, shown_path

if TYPE_CHECKING:
    from bridgerag.types import Answer, Citation, Context, DocumentRef, Hit

__all__ = ["depth_line", "document_name", "found_line", "hit_text", "source_lines"]


def hit_text(hit: Hit) -> str:
    """Return a hit as a paragraph: rank, score, title; place; text; reasons; an empty line."""
    title = click.style(printable(hit.document.title), bold=True)
    lines = [
        f"{hit.rank:>2}  {hit.score:.3f}  {title}",
        f"    {_place(hit, hit.start, hit.end)}",
        textwrap.indent(printable_lines(hit.text), "    | ", lambda line: True),
        *(f"    why: {printable(reason.text)}" for reason in hit.why),
    ]
    return "\n".join(lines) + "\n"


def found_line(context: Context) -> str:
    """Return one line that says how many passages were found, by what way, and how fast."""
    if not context.hits:
        return "no passage was found"
    walked = context.method == "walk"  # its names lead to passages, not to abstracts
    followed = [m.text for m in context.entities if (walked or m.abstracts) and not m.ignored]
    if context.fallback:
        way = "no entity of the question led anywhere, so the whole index was searched"
    elif followed:
        way = "by way of " + ", ".join(printable(text) for text in followed)
    else:
        way = f"by the method {context.method}"
    passages = "1 passage" if len(context.hits) == 1 else f"{len(context.hits)} passages"
    return f"{passages} in {context.timings_ms.get('total', 0.0):.1f} ms; {way}"


def depth_line(context: Context) -> str:
    """Return one line that says which depth was chosen for the question, and why."""
    return f"depth {context.depth}: {printable(context.depth_why)}"


def source_lines(answer: Answer) -> list[str]:
    """Return one line for each citation: its marker, file and place, each place once."""
    lines = (
        f"{printable(citation.marker):>4} {_cited_place(answer.context, citation)}"
        for citation in answer.citations
    )
    return list(dict.fromkeys(lines))


def document_name(document: DocumentRef) -> str:
    """Return a document's file, followed by its own id where a file holds several documents."""
    source = shown_path(document.source)
    return source if document.id == document.source else f"{source} ({printable(document.id)})"


def _place(hit: Hit, start: int, end: int) -> str:
    """Return file, page or row, headings and characters, for example ``a.pdf: page 3, 120-240``."""
    parts = [
        f"page {hit.page}" if hit.page is not None else "",
        f"row {hit.row}" if hit.row is not None else "",
        " > ".join(printable(heading) for heading in hit.headings),
        f"characters {start}-{end}",
    ]
    return f"{document_name(hit.document)}: " + ", ".join(part for part in parts if part)


def _cited_place(context: Context, citation: Citation) -> str:
    unsupported = "" if citation.supported else "  (its words are not all in that passage)"
    for hit in context.hits:
        if hit.document.id == citation.document and hit.start <= citation.start < hit.end:
            return _place(hit, citation.start, citation.end) + unsupported
    return f"{shown_path(citation.document)}: characters {citation.start}-{citation.end}"
