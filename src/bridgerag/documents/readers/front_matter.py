"""The block of ``key: value`` lines between two ``---`` that may open a Markdown file.

This is the part of YAML that people write there: scalars, quoted strings, lists. Anything deeper is
kept as text. Nothing is ever evaluated.
"""

from __future__ import annotations

import re

from bridgerag.types import MetadataValue

__all__ = ["split_front_matter"]

_BLOCK = re.compile(r"\A---[ \t]*\n(?P<lines>(?:.*\n){0,200}?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_NO_KEY = ("", " ", "\t", "#", "-", '"', "'", "[", "{")
_WORDS: dict[str, MetadataValue] = {
    **dict.fromkeys(("true", "yes"), True),
    **dict.fromkeys(("false", "no"), False),
    **dict.fromkeys(("null", "~", ""), None),
}


def split_front_matter(text: str) -> tuple[str, dict[str, MetadataValue]]:
    """Return the text after the front matter, and the front matter's entries.

    A block without a single entry is taken for text.
    """
    block = _BLOCK.match(text)
    entries = _entries(block["lines"]) if block else {}
    if not block or not entries:
        return text, {}
    return text[block.end() :], {key: _value(parts) for key, parts in entries.items()}


def _entries(lines: str) -> dict[str, list[str]]:
    """Return for each key what stands behind it and on the indented or dashed lines below."""
    entries: dict[str, list[str]] = {}
    parts: list[str] | None = None
    for line in lines.splitlines():
        key, colon, value = line.partition(":")
        if colon and key[:1] not in _NO_KEY and value[:1] in ("", " ", "\t"):
            parts = entries[key.rstrip()] = [value.strip()]
        elif parts is not None and line.strip() and not line.lstrip().startswith("#"):
            parts.append(line.strip().removeprefix("- ").strip())
    return entries


def _value(parts: list[str]) -> MetadataValue:
    first, *more = parts
    if more:
        block = first[:1] in ("|", ">")  # a text over many lines, else a list
        kept = more if block or not first else parts
        return (" " if block else ", ").join(map(_unquoted, kept))
    if first.startswith("[") and first.endswith("]"):
        return ", ".join(_unquoted(item.strip()) for item in first[1:-1].split(",") if item.strip())
    return _scalar(first)


def _scalar(value: str) -> MetadataValue:
    if value.lower() in _WORDS:
        return _WORDS[value.lower()]
    if re.fullmatch(r"[-+]?(?:0|[1-9]\d{0,17})", value):
        return int(value)
    if re.fullmatch(r"[-+]?\d{1,17}\.\d{1,17}", value):
        return float(value)
    return _unquoted(value)


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value.partition(" #")[0].rstrip()
