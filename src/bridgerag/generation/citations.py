"""Tie every marker of a written answer to the span of a document that it cites, by code.

A model's markers are claims. What comes out of here is checked: each marker left in the text names
a passage that the model was shown, and each citation says whether the passage's words bear out the
statement. The check compares words and numbers, not meaning: it misses a translation or a free
paraphrase, and it does not see a "not" that was dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bridgerag.generation.words import content_words, numbers
from bridgerag.text import sentence_spans
from bridgerag.types import Citation, Hit, Passage

__all__ = ["clean_markers", "disarm", "resolve"]

# [1] [1, 2] [1-3] 【1】 【1†source】 [^1]. White space inside is allowed only after a separator:
# `disarm` relies on it.
_MARKER = re.compile(
    r"[\[\u3010\uff3b]\^?(?P<list>\d+(?:[,;\u3001\uff0c][ \u00a0]?\d+|[-\u2013\u2014~]\d+)*+)"
    r"(?:\u2020[^\]\u3011\uff3d\n]{0,80})?[\]\u3011\uff3d]"
)
_RANGE = re.compile(r"(\d+)(?:[-\u2013\u2014~](\d+))?")
_CLEAN_MARKER = re.compile(r"\[(\d+)\]")
_LEADING_MARKERS = re.compile(r"(?:\[\d+\]\s*)+")
_SPACE_BEFORE_STOP = re.compile(r"(?<![ \t])[ \t]+(?=[.,;:!?\u3002\uff0c]|$)", re.MULTILINE)
_DOUBLE_SPACE = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
_MOST_DIGITS = 6  # a longer number names no passage; int() refuses very long ones
_SHOWN_LENGTH = 40  # of a marker in a note

_ENOUGH = 0.5  # share of a statement's content words that its source must hold


def resolve(
    text: str, passages: Sequence[Passage]
) -> tuple[str, tuple[Citation, ...], tuple[str, ...]]:
    """Return the answer with clean markers, one citation for each of them in order, and notes.

    Every way of writing a marker becomes ``[n]``; markers that name no passage are taken out. A
    citation spans the one sentence of the passage that supports the statement best, when that is
    clear, else the whole passage. Notes count what was taken out, what carries no citation and
    what its passage does not support.
    """
    clean, removed = clean_markers(text, (p.number for p in passages))
    hits = {p.number: p.hit for p in passages}
    citations: list[Citation] = []
    statements = bare = 0
    for statement in _statements(clean):
        cited = [int(number) for number in _CLEAN_MARKER.findall(statement)]
        claim = _Claim.of(_CLEAN_MARKER.sub(" ", statement))
        statements += bool(claim.words)
        bare += bool(claim.words) and not cited
        citations.extend(_cite(number, claim, hits[number]) for number in cited)
    notes = [f"{marker} was taken out: it names no passage" for marker in removed]
    if bare:
        notes.append(f"{bare} of {statements} statements carry no citation")
    if doubtful := sum(not c.supported for c in citations):
        notes.append(
            f"{doubtful} of {len(citations)} citations: the passage lacks the statement's words"
        )
    return clean, tuple(citations), tuple(notes)


def clean_markers(text: str, known: Iterable[int]) -> tuple[str, tuple[str, ...]]:
    """Return ``text`` with every marker written ``[n]`` for an n in ``known``, and those removed.

    A list or a range keeps its known numbers. What was removed is told once each, in order.
    """
    known = frozenset(known)
    removed: dict[str, None] = {}

    def rewrite(match: re.Match[str]) -> str:
        named, all_known = _numbers_named(match["list"], known)
        if not all_known:
            removed[match.group()[:_SHOWN_LENGTH]] = None
        return "".join(f"[{n}]" for n in named)

    def keep_or_disarm(match: re.Match[str]) -> str:
        is_clean = match.group() in {f"[{n}]" for n in known}
        return match.group() if is_clean else disarm(match.group())

    rewritten = _MARKER.sub(rewrite, text)
    if removed:
        rewritten = _DOUBLE_SPACE.sub(" ", _SPACE_BEFORE_STOP.sub("", rewritten))
    # Taking one marker out may have joined the halves of another: "[[9]8]" leaves "[8]".
    return _MARKER.sub(keep_or_disarm, rewritten), tuple(removed)


def disarm(text: str) -> str:
    """Return ``text`` with spaces inside its bracketed numbers, which then are no markers.

    ``a[0]`` becomes ``a[ 0 ]``: documents hold such numbers, and an answer that quotes them, or a
    model that copies them, would seem to cite.
    """
    return _MARKER.sub(lambda m: f"{m.group()[0]} {m.group()[1:-1]} {m.group()[-1]}", text)


def _numbers_named(written: str, known: frozenset[int]) -> tuple[list[int], bool]:
    """Return the known numbers of a list like ``1, 3-5`` in order, and whether all are known."""
    named: dict[int, None] = {}
    all_known = True
    for first, last in _RANGE.findall(written):
        if max(len(first), len(last)) > _MOST_DIGITS:
            all_known = False
            continue
        low, high = int(first), int(last or first)
        inside = [n for n in sorted(known) if low <= n <= high]
        all_known &= len(inside) == high - low + 1
        named.update(dict.fromkeys(inside))
    return list(named), all_known


def _statements(text: str) -> list[str]:
    """Return the sentences of an answer; markers after a full stop go with what they follow."""
    statements: list[str] = []
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        leading = _LEADING_MARKERS.match(sentence)
        rest = sentence[leading.end() :] if leading else sentence
        if leading and statements and not (rest and _CLEAN_MARKER.search(statements[-1])):
            statements[-1] += f" {leading.group()}"
            sentence = rest
        if sentence:
            statements.append(sentence)
    return statements


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a statement says, for comparing."""

    words: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, statement: str) -> _Claim:
        return cls(content_words(statement), numbers(statement))

    def share_in(self, text: str) -> float:
        """Return the share of the words that ``text`` holds, 0 when it lacks a number."""
        if not self.words or not self.numbers <= numbers(text):
            return 0.0
        return len(self.words & content_words(text)) / len(self.words)


def _cite(number: int, claim: _Claim, hit: Hit) -> Citation:
    start, end = _best_sentence(claim, hit.text) or (0, len(hit.text))
    supported = claim.share_in(hit.text[start:end]) >= _ENOUGH
    return Citation(f"[{number}]", hit.document.id, hit.start + start, hit.start + end, supported)


def _best_sentence(claim: _Claim, text: str) -> tuple[int, int] | None:
    """Return the span of the one sentence that supports the claim best, None if it is not clear."""
    shares = {span: claim.share_in(text[slice(*span)]) for span in sentence_spans(text)}
    best = max(shares.values(), default=0.0)
    leaders = [span for span, share in shares.items() if share == best]
    return leaders[0] if best >= _ENOUGH and len(leaders) == 1 else None
