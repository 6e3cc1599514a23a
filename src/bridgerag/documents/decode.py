"""Bytes to clean text, whatever the encoding."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from bridgerag._native import clean_text
from bridgerag.documents.names import document_id
from bridgerag.errors import UnreadableFile

__all__ = ["clean", "decode"]

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_DECLARED = re.compile(
    r"(?:windows-|cp)125[0-8]|iso-8859-(?:[2-9]|1[0134-6]?)|koi8-[ru]|gb(?:k|2312|18030)|big5"
    r"|big5-hkscs|shift_jis|euc-(?:jp|kr)",
    re.IGNORECASE,
)

_SAMPLE_BYTES = 64 * 1024


def decode(data: bytes, path: Path, declared: str | None = None) -> str:
    """Return the text in ``data``, cleaned.

    A byte order mark decides; then UTF-8 if the bytes are valid UTF-8; then ``declared``, what the
    format itself says; then a guess from the first 64 KiB.

    Raises:
        UnreadableFile: the bytes are not text.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return clean(data.decode(name, "replace"))
    encoding = _wide_encoding(data[:_SAMPLE_BYTES], path)
    if encoding is None:
        try:
            return clean(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            encoding = _known(declared) or _guess(data, error, path)
    return clean(data.decode(encoding, "replace"))


def clean(text: str) -> str:
    r"""Return ``text`` with ``\n`` line ends, without control characters and lone surrogates.

    A byte order mark in front is dropped. Form feeds and vertical tabs become line ends; of the
    other controls only the tab stays. Lone surrogates become U+FFFD.
    """
    return clean_text(text)


def _wide_encoding(sample: bytes, path: Path) -> str | None:
    """Return UTF-16 without a mark if ``sample`` is that, None for a byte-wide encoding."""
    zeros = sample.count(0)
    if zeros == 0:
        return None
    even, half = sample[::2].count(0), len(sample) // 2
    # Text in UTF-16 has its zeros on one side: the high bytes of Latin letters and white space.
    if zeros * 5 >= half and min(even, zeros - even) * 20 <= zeros:
        return "utf-16-be" if even * 2 > zeros else "utf-16-le"
    if zeros * 1000 <= len(sample):
        return None  # a few stray NULs in what is text otherwise
    raise UnreadableFile(document_id(path), "is binary, not text")


def _known(declared: str | None) -> str | None:
    """Return a declared encoding that is worth trying; Python has others, not all of them text."""
    known = _DECLARED.fullmatch(declared or "")
    return codecs.lookup(known[0]).name if known else None


def _guess(data: bytes, error: UnicodeDecodeError, path: Path) -> str:
    sample = data[:_SAMPLE_BYTES]
    controls = sum(map(sample.count, (bytes([c]) for c in range(32) if c not in b"\t\n\f\r\x1b")))
    if controls * 50 > len(sample):
        raise UnreadableFile(document_id(path), "is binary, not text")
    if error.start >= len(sample) or _is_damaged_utf8(data):
        return "utf-8"
    from charset_normalizer import from_bytes  # noqa: PLC0415  slow to import, seldom needed

    matches = from_bytes(sample[: sample.rfind(b"\n") + 1] or sample)
    best = matches.best()
    if best is None:
        return "cp1252"
    for match in matches:  # Western letters are the usual ones where others fit no better
        tie = match.chaos <= best.chaos and match.coherence >= best.coherence - 0.05
        if tie and match.encoding == "cp1252":
            return "cp1252"
    return best.encoding


def _is_damaged_utf8(data: bytes) -> bool:
    """Say whether nearly all multi-byte characters of ``data`` are sound UTF-8."""
    sample = data[:_SAMPLE_BYTES]
    broken = sample.decode("utf-8", "replace").count("\ufffd")
    high = sum(byte >= 0x80 for byte in sample)
    return broken * 20 <= high
