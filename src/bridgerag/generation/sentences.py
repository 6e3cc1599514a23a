"""Where the sentences of a passage or an answer stand.

Smaller than the splitter that cuts documents into chunks: it sees one passage at a time, and a
sentence cut in an odd place costs a worse quotation, never a wrong one.
"""

from __future__ import annotations

import re

__all__ = ["sentence_spans"]

# What may follow the full stop and still belong to its sentence: quotes, brackets, [1]-like marks.
_CLOSERS = r"(?:[\"'”’»)\]】」』）]|\[\d{1,3}\])*+"
# The look-behind lets a run match only from its start: trying again from inside is quadratic.
_BORDER = re.compile(
    rf"(?<![.!?…؟۔।])[.!?…؟۔।]++{_CLOSERS}(?=\s|$)"  # a stop that white space follows
    rf"|[。！？｡]++{_CLOSERS}"  # a stop of a script that sets no space after it
    r"|\n(?:[^\S\n]*+\n)?"  # a line end, or an empty line
)
_ITEM = re.compile(r"[^\S\n]*(?:[-*•·–|#>]|\d{1,3}[.)]\s)")
_ABBREVIATION = re.compile(
    r"\b(?:[A-Za-z]\.)*(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|cf|No|Nos|Fig|Eq|Vol|pp|approx"
    r"|etc|al|Inc|Ltd|Co|Corp|Gen|Col|Lt|Capt|Rev|Hon|Gov|Sen|Rep|Mt"
    r"|Jan|Feb|Aug|Sept|Oct|Nov|Dec)\.$"
)
_LOOK_BACK = 12
_WRAPPED = 45  # characters from which a line may have been wrapped


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of ``text``, in order, without white space at the ends.

    Every character that is not white space lies in exactly one span. Sentences end at the stops
    of any script, at empty lines, before list items, table rows and headings, and at line ends
    that do not look wrapped. Cost: one pass.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for border in _BORDER.finditer(text):
        if not _is_inside_sentence(text, start, border):
            _append_trimmed(spans, text, start, border.end())
            start = border.end()
    _append_trimmed(spans, text, start, len(text))
    return spans


def _is_inside_sentence(text: str, start: int, border: re.Match[str]) -> bool:
    """Say whether a border only wraps a line, or shortens a word as in "Dr. Smith"."""
    found, after = border.group(), text[border.end() : border.end() + 8]
    if found == "\n":
        if _ITEM.match(after):
            return False
        line = text[max(start, text.rfind("\n", start, border.start()) + 1) : border.start()]
        wrapped = len(line) >= _WRAPPED and (line[-1].isalnum() or line[-1] in ",-–—")
        return after.lstrip()[:1].islower() or wrapped
    if found != ".":
        return False
    before = text[max(start, border.start() - _LOOK_BACK) : border.end()]
    return after.lstrip()[:1].islower() or (
        bool(after.strip()) and _ABBREVIATION.search(before) is not None
    )


def _append_trimmed(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    if left < len(piece):
        spans.append((start + left, start + len(piece.rstrip())))
