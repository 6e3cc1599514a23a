"""Documents as a store can hold them: text that UTF-8 can encode, metadata that JSON can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite

from bridgerag._native import has_surrogates
from bridgerag.types import Document, MetadataValue, Section

_MOST_CHARS = 64_000_000  # a document is held in memory whole, at about 20 bytes a character

__all__ = ["clean", "clean_metadata", "flaw", "storable"]


def clean(document: Document, metadata: Mapping[str, MetadataValue]) -> Document:
    """Return the document with the metadata added, without what neither UTF-8 nor JSON can hold."""
    return replace(
        document,
        id=storable(document.id),
        title=storable(document.title),
        source=storable(document.source),
        text=storable(document.text),
        sections=_clean_headings(document.sections),
        metadata=clean_metadata({**document.metadata, **metadata}),
    )


def clean_metadata(metadata: Mapping[str, MetadataValue]) -> dict[str, MetadataValue]:
    """Return metadata without what neither UTF-8 nor JSON can hold."""
    return {storable(key): _plain(value) for key, value in metadata.items()}


def _clean_headings(sections: tuple[Section, ...]) -> tuple[Section, ...]:
    headings = {heading for section in sections for heading in section.headings}
    if all(storable(heading) == heading for heading in headings):
        return sections
    return tuple(replace(s, headings=tuple(map(storable, s.headings))) for s in sections)


def _plain(value: MetadataValue) -> MetadataValue:
    if isinstance(value, float) and not isfinite(value):
        return None
    return storable(value) if isinstance(value, str) else value


def flaw(document: Document) -> str | None:
    """Return why a document cannot be indexed, or None."""
    if not document.id:
        return "its id is empty"
    if len(document.text) > _MOST_CHARS:
        found, most = len(document.text) / 1e6, _MOST_CHARS / 1e6
        return f"it holds {found:.0f} million characters; the most is {most:.0f} million, split it"
    at = 0
    for section in document.sections:
        if section.start != at or section.end < at:
            return f"its sections do not tile its text: one runs {section.start}-{section.end}"
        at = section.end
    if document.sections and at != len(document.text):
        return f"its sections end at {at}, its text at {len(document.text)}"
    return None


def storable(text: str) -> str:
    """Return ``text`` with a sign in place of each lone surrogate, which no file can hold."""
    if not has_surrogates(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
