"""Answers without a language model: the sentences of the hits that fit the question best."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bridgerag.errors import InputError
from bridgerag.generation.citations import disarm
from bridgerag.generation.quotable import quotable
from bridgerag.generation.words import content_words
from bridgerag.protocols import Embedder
from bridgerag.types import Answer, Citation, Context, Hit

__all__ = ["NO_PASSAGE", "ExtractiveWriter"]

NO_PASSAGE = "No passage was found."
_NO_ANSWER = "The documents do not seem to answer this; the nearest passage is:"

_RERANKED = 12  # sentences whose cosine with the question is taken
_KEPT_SHARE = 0.42  # a further sentence must reach this share of the best one's score
_TWIN = 0.7  # sentences that share more of their words than this say the same
# Evidence below this does not answer: the share of the question's words that a sentence holds, and
# its cosine with the question where there is an embedder.
_ENOUGH = 0.45
_ENOUGH_WORDS = 0.15
_LEAST_WORDS = 2  # content words of a sentence; shorter ones are labels
_LEAST_WHOLE = 0.25  # headings, markup and lines of code fall below

# What the parts of a score weigh beside the overlap with the question's words, which weighs 1.
_HEADING_WEIGHT = 0.5  # words of the question that only the title or the headings hold
_ENTITY_WEIGHT = 0.3  # entities of the question that the sentence names
_RANK_WEIGHT = 0.2
_COSINE_WEIGHT = 0.8
_BROKEN_WEIGHT = 0.6  # taken off for what is no whole sentence
_REPEAT_WEIGHT = 0.45  # taken off for words of the question that a chosen sentence covers already


@dataclass(slots=True, eq=False)
class _Candidate:
    """A sentence, where it stands, and what speaks for it.

    ``around`` holds the words of the title and the headings above it. ``evidence`` says how well
    the question ties to it: the share of the question's words that it holds, plus the cosine.
    """

    hit: Hit
    start: int
    text: str
    whole: float
    words: frozenset[str]
    around: frozenset[str]
    score: float = 0.0
    evidence: float = 0.0


class ExtractiveWriter:
    """Answers with one to four sentences of the hits, word for word, each with its own marker.

    A citation's ``start`` and ``end`` are the sentence's exact span in the document. Cost: about
    two milliseconds for eight hits, and one batch of twelve sentences through the embedder, when
    there is one.
    """

    def __init__(self, embedder: Embedder | None = None, max_sentences: int = 4) -> None:
        if max_sentences < 1:
            raise InputError("max_sentences", max_sentences, "1 or more")
        self._embedder = embedder if embedder is not None and embedder.dim > 0 else None
        self._max_sentences = max_sentences

    def write(self, context: Context, on_text: Callable[[str], None] | None = None) -> Answer:
        """Return the best sentences, best first, marked ``[1]``, ``[2]``, ... in that order.

        When the words, entities and cosines of no sentence tie it well to the question, the answer
        says so and shows the nearest one.
        """
        asked = content_words(context.question)
        candidates = _candidates(context.hits, asked)
        if not candidates:
            return _answer(context, [NO_PASSAGE], (), on_text)
        weights, known = _weigh(asked, candidates)
        _score_by_words(candidates, weights, known, context)
        enough = _ENOUGH_WORDS
        if self._embedder is not None and context.question.strip():
            _score_by_cosine(candidates, context.question, self._embedder)
            enough = _ENOUGH
        chosen = _choose(candidates, weights, enough, self._max_sentences)
        citations = tuple(
            Citation(f"[{number}]", c.hit.document.id, c.start, c.start + len(c.text))
            for number, c in enumerate(chosen, start=1)
        )
        pieces = [f"{_shown(c.text)} [{number}]" for number, c in enumerate(chosen, start=1)]
        if chosen[0].evidence < enough:
            pieces.insert(0, _NO_ANSWER)
        return _answer(context, pieces, citations, on_text)


def _candidates(hits: Sequence[Hit], asked: frozenset[str]) -> list[_Candidate]:
    """Return the sentences of the hits in order, those that tell nothing for want of better."""
    found: list[_Candidate] = []
    for hit in hits:
        around = content_words(" ".join((hit.document.title, *hit.headings)))
        for s in quotable(hit.text):
            text = hit.text[s.start : s.end]
            words = content_words(text)
            found.append(_Candidate(hit, hit.start + s.start, text, s.whole, words, around))
    telling = [c for c in found if _tells(c, asked)]
    return telling or found


def _tells(candidate: _Candidate, asked: frozenset[str]) -> bool:
    """Say whether a sentence is more than a label, a question, or what stands above it or is asked.

    A line without a full stop that has no word of its own is a heading.
    """
    known = asked | candidate.around
    heading = candidate.words <= known and candidate.text[-1].isalnum()
    asks = candidate.text[-1] in "?？؟"
    whole = candidate.whole >= _LEAST_WHOLE and len(candidate.words) >= _LEAST_WORDS
    return whole and not heading and not asks


def _weigh(
    asked: frozenset[str], candidates: Sequence[_Candidate]
) -> tuple[dict[str, float], float]:
    """Return the weights of the question's words that any candidate holds, and what they make up.

    Rare words weigh most; the weights' sum is 1. The second value is their share in the weight of
    all words of the question, those that no candidate holds included.
    """
    spread = Counter(word for c in candidates for word in c.words | c.around)
    weights = {
        word: math.log(1 + len(candidates) / max(1, spread[word]))
        for word in sorted(asked)  # sorted: sums of floats depend on their order
    }
    held = math.fsum(weight for word, weight in weights.items() if spread[word])
    known = held / math.fsum(weights.values()) if weights else 0.0
    return {word: weight / held for word, weight in weights.items() if spread[word]}, known


def _score_by_words(
    candidates: Sequence[_Candidate], weights: Mapping[str, float], known: float, context: Context
) -> None:
    entities = [content_words(e.text) for e in context.entities if e.ignored is None]
    for c in candidates:
        shared = _share(weights, c.words) + _HEADING_WEIGHT * _share(weights, c.around - c.words)
        named = sum(bool(entity) and entity <= c.words for entity in entities)
        c.evidence = known * shared
        c.score = shared + _ENTITY_WEIGHT * named / max(1, len(entities))
        c.score += _RANK_WEIGHT / max(1, c.hit.rank) - _BROKEN_WEIGHT * (1 - c.whole)


def _score_by_cosine(candidates: Sequence[_Candidate], question: str, embedder: Embedder) -> None:
    """Add to the best candidates how much nearer to the question they are than their average."""
    best = sorted(candidates, key=lambda c: -c.score)[:_RERANKED]
    rows = embedder.embed([question, *(" ".join(c.text.split()) for c in best)])
    cosines = (rows[1:] @ rows[0]).tolist()
    average = math.fsum(cosines) / len(cosines)
    for candidate, cosine in zip(best, cosines, strict=True):
        candidate.score += _COSINE_WEIGHT * (cosine - average)
        candidate.evidence += max(0.0, cosine)


def _choose(
    candidates: Sequence[_Candidate], weights: Mapping[str, float], enough: float, limit: int
) -> list[_Candidate]:
    """Return the best candidate, then those nearly as good that add something, best first.

    Only the best one may lack evidence.
    """
    best = max(candidates, key=lambda c: c.score)  # the first of equals: the hits' order
    chosen, covered = [best], best.words
    rest = [c for c in candidates if c is not best and min(c.evidence, best.evidence) >= enough]
    while len(chosen) < limit:
        rest = [c for c in rest if not _are_twins(c.words, chosen[-1].words)]
        gains = [c.score - _REPEAT_WEIGHT * _share(weights, c.words & covered) for c in rest]
        if not gains or max(gains) < _KEPT_SHARE * best.score:
            break
        chosen.append(rest[gains.index(max(gains))])
        covered = covered | chosen[-1].words
    return chosen


def _share(weights: Mapping[str, float], words: frozenset[str]) -> float:
    return sum(weight for word, weight in weights.items() if word in words)


def _are_twins(a: frozenset[str], b: frozenset[str]) -> bool:
    return len(a & b) >= _TWIN * max(1, min(len(a), len(b)))


def _shown(text: str) -> str:
    """Return the sentence on one line, with nothing in it that reads as a marker."""
    return disarm(" ".join(text.split()))


def _answer(
    context: Context,
    pieces: Sequence[str],
    citations: tuple[Citation, ...],
    on_text: Callable[[str], None] | None,
) -> Answer:
    if on_text is not None:
        for number, piece in enumerate(pieces):
            on_text(f" {piece}" if number else piece)
    return Answer(" ".join(pieces), citations, context, model="extractive")
