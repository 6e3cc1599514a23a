"""A slow and obvious twin of the native sentence cutter: the same rules as regular expressions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from bridgerag.text.abbreviations import BEFORE_NUMBER, NEVER_LAST, OPENERS, RARELY_LAST
from bridgerag.text.stopwords import STOP_WORDS

# One pass finds every place where a sentence may end: a run of stops with what closes it, or a line
# end. The look-behind after the first character lets a run of stops match only from its start, so
# that a failing run is not tried again from each of its characters (that would be quadratic).
_CANDIDATE = re.compile(
    r"""
    [\n.!?。！？…｡．؟۔।॥։።။។]
    (?:
        (?<=\n) (?P<line>\s*)
      |
        (?<=[.!?]) (?<![.!?…][.!?]) [.!?…]*+ (?:["'”’»)\]}]|\[\d{1,3}\])*+ (?P<stop>\s+)
      |
        (?<=[^\n.!?]) [。！？…｡．؟۔।॥։።။។!?]*+ [」』”’）》】〉〕"')\]]*+ (?P<wide>\s*)
    )
    """,
    re.VERBOSE,
)

_LIST_OR_TABLE = re.compile(r"[-*+•·‣◦▪●–—|#>]|\(?(?:\d{1,3}|[A-Za-z])[.)]\s|\[\d{1,3}\]\s|```|~~~")

# Lines of these lengths may be hard-wrapped; CJK lines hold fewer, wider characters.
_SHORTEST, _SHORTEST_CJK, _LONGEST = 45, 20, 250
_WIDTH_SAMPLE = 50_000

_LAST_WORD = re.compile(r"[^\s(\[{\"“«]{1,24}\Z")
_INNER_STOPS = re.compile(r"[^\W\d_]{1,4}(?:\.[^\W\d_]{1,4})+")  # "U.S", "Ph.D", not "a_file.txt)"

_OPENER = re.compile(r"[^\W\d_]+")


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the spans of the sentences in ``text[start:end]``, in order.

    Neither end of a span is white space and every other character is inside exactly one span. A
    span may hold line ends (a hard-wrapped sentence). Cost: linear, one pass.
    """
    end = len(text) if end is None else end
    full_line = _full_line(text, start, end)
    begin = start
    while begin < end and text[begin].isspace():
        begin += 1
    for match in _CANDIDATE.finditer(text, start, end):
        kind = match.lastgroup
        stop, after = match.span(kind or 0)
        if kind == "line":
            stop = match.start()
            ends = after == end or _ends_line(text, stop, after, full_line)
        else:
            ends = after == end or _ends_sentence(text, begin, match, stop, after)
        if ends:
            if (stop := _before_space(text, begin, stop)) > begin:
                yield begin, stop
            begin = after  # the match took the white space
    if (stop := _before_space(text, begin, end)) > begin:
        yield begin, stop


def _before_space(text: str, begin: int, stop: int) -> int:
    while stop > begin and text[stop - 1].isspace():
        stop -= 1
    return stop


def _full_line(text: str, start: int, end: int) -> int:
    """Return the length from which a line is full, so that its end may be a hard wrap."""
    lengths = sorted(map(len, text[start : min(end, start + _WIDTH_SAMPLE)].split("\n")))
    lengths = lengths[bisect_left(lengths, _SHORTEST) : bisect_left(lengths, _LONGEST)]
    return max(_SHORTEST, lengths[len(lengths) * 4 // 5] * 7 // 10) if lengths else _SHORTEST


def _ends_line(text: str, stop: int, after: int, full_line: int) -> bool:
    """Say whether the line end at ``stop`` ends a sentence rather than wrapping a line."""
    if _has_blank_line(text, stop, after) or _LIST_OR_TABLE.match(text, after):
        return True
    low = max(0, stop - _LONGEST)
    line = max(low, text.rfind("\n", low, stop) + 1)
    if text.find(" | ", line, stop) >= 0:  # a table row
        return True
    if text[after].islower():
        return False
    last = text[stop - 1] if stop > line else "\n"
    if not (last.isalpha() or last in ",-–—&/") or "\u0e00" <= last <= "\u0e7f":  # Thai
        return True
    if stop - line >= _SHORTEST and _ends_in_function_word(text, line, stop):
        return False
    needed = _SHORTEST_CJK if last >= "\u2e80" else full_line
    return not needed <= stop - line < _LONGEST


def _ends_in_function_word(text: str, line: int, stop: int) -> bool:
    """Say whether a line stops at a word like "the", which neither heading nor sentence ends in."""
    found = _LAST_WORD.search(text, max(line, stop - 24), stop)
    return found is not None and found[0].lower() in STOP_WORDS


def _ends_sentence(text: str, begin: int, match: re.Match[str], stop: int, after: int) -> bool:
    """Say whether the full stop that was matched ends a sentence."""
    following = text[after]
    blank_line = _has_blank_line(text, stop, after)
    if following.islower():
        # A list item or another block can begin with a small letter, a sentence cannot.
        return blank_line
    if match.lastgroup == "wide":
        return text[match.start()] != "…" or after > stop or following >= "\u2e80"
    if text.find(" | ", max(begin, stop - _LONGEST), stop) >= 0 and "\n" not in match[0]:
        return False  # inside a table row
    if blank_line or text[match.start()] != "." or stop - match.start() > 1:
        return True
    return not _is_short_form(text, begin, match.start(), after)


def _has_blank_line(text: str, start: int, end: int) -> bool:
    return end - start > 1 and text.count("\n", start, end) > 1


def _is_short_form(text: str, begin: int, stop: int, after: int) -> bool:
    """Say whether the full stop at ``stop`` belongs to an abbreviation, initial or list number."""
    found = _LAST_WORD.search(text, max(begin, stop - 24), stop)
    if found is None:
        return False
    word = found[0].lower().lstrip("'‘")
    if word in NEVER_LAST:
        return True
    if word in BEFORE_NUMBER and text[after].isdigit():
        return True
    if word.isdigit():  # "1. Introduction", but not "in 1999. Then"
        return len(word) <= 3 and not text[begin : found.start()].strip()
    if not (word in RARELY_LAST or _is_initial(word) or _INNER_STOPS.fullmatch(word)):
        return False
    opener = _OPENER.match(text, after)
    return opener[0] not in OPENERS if opener else text[after].isdigit()


def _is_initial(word: str) -> bool:
    return len(word) == 1 and word.isalpha()
