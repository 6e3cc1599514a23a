"""Summarise every abstract of a document by its own best sentences, without a language model.

A sentence is worth the words it holds: those that the document returns to without using them
everywhere, and those of its headings. A leaf picks sentences for what they add to those picked
before; an abstract above picks among its children's sentences and has room for more of them, so
that a summary grows with the level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bridgerag.entities.words import WordFlag, Words, question_words
from bridgerag.forest import Tree
from bridgerag.types import Chunk, Keys

__all__ = ["SUMMARY_WORDS", "summarize"]

SUMMARY_WORDS = (40, 60, 90, 120)  # by level; the last one holds for all levels above

_CANDIDATES = 8  # of a leaf's sentences, the best so many are weighed against each other
_LEAST = 0.35  # a further sentence must be worth this share of the first one
_OVER = 1.25  # and may go over the summary's words by a quarter
_CHARS_PER_WORD = 9  # a "sentence" longer than the summary's words times this is cut
_GAP = " … "
# What does not end so is a heading or a broken line.
_ENDINGS = frozenset(".!?:…。！？：؟۔।॥\"'”’»)]」』）")
_BULLETS = frozenset("-–—•◦▪●■○|_")

Floats = NDArray[np.float64]
Offsets = NDArray[np.intp]


def summarize(
    text: str,
    chunks: Sequence[Chunk],
    words: Words,
    tree: Tree,
    summary_words: Sequence[int] = SUMMARY_WORDS,
) -> list[str]:
    """Return one summary an abstract of ``tree``, in its order.

    Sentences stand in document order, white space folded, with " … " where some were left out.

    Args:
        text: the document's extracted text.
        chunks: its chunks, 1 or more.
        words: their words, from `read_words`.
        tree: the document's tree over ``chunks``; children stand before their parents.
        summary_words: about how many words a summary has at level 0, 1, ...; the last number holds
            for all levels above.

    Equal scores go to the earlier sentence. Cost: linear; about 0.2 microseconds a word.
    """
    spans = [span for chunk in chunks for span in chunk.sentences]
    pick = _Picker(text, spans, words, chunks)
    picked: list[list[int]] = []
    summaries: list[str] = []
    shape = (tree.level, tree.first_child, tree.child_count, tree.first_chunk, tree.chunk_count)
    for level, first_child, children, first, count in zip(
        *(column.tolist() for column in shape), strict=True
    ):
        room = summary_words[min(level, len(summary_words) - 1)]
        if children:
            below = picked[first_child : first_child + children]
            picked.append(pick.best([j for part in below for j in part], room))
        else:
            start, end = words.chunks[first], words.chunks[first + count]
            picked.append(pick.best(pick.promising(int(start), int(end)), room))
        summaries.append(_join(text, spans, picked[-1], room * _CHARS_PER_WORD))
    return summaries


class _Picker:
    """Picks sentences of one document by score, passing over what was said already."""

    def __init__(
        self,
        text: str,
        spans: Sequence[tuple[int, int]],
        words: Words,
        chunks: Sequence[Chunk],
    ) -> None:
        content = (words.flags & (WordFlag.STOP | WordFlag.BREAK)) == 0
        buckets, weights = _weigh_words(words, content, chunks)
        offsets = words.sentences.astype(np.intp)
        scores, sizes = _score_sentences(words, weights, offsets)
        self._scores = scores * _wholeness(text, spans, sizes)
        self._score: list[float] = self._scores.tolist()
        self._size: list[int] = sizes.tolist()
        self._content: list[int] = buckets[content].tolist()
        self._offset: list[int] = np.append(0, np.cumsum(content))[offsets].tolist()

    def promising(self, start: int, end: int) -> list[int]:
        """Return the best of the sentences ``[start, end)`` by score alone."""
        order = np.argsort(-self._scores[start:end], kind="stable")[:_CANDIDATES]
        return [start + j for j in order.tolist()]

    def best(self, candidates: Iterable[int], room: int) -> list[int]:
        """Return, in document order, the sentences that say most in about ``room`` words.

        One is returned however long it is; others must fit and say something new.
        """
        worth = {j: self._score[j] for j in sorted(candidates)}
        least = _LEAST * max(worth.values(), default=0.0)
        said: set[int] = set()
        chosen: list[int] = []
        left = _OVER * room
        while worth:
            j = max(worth, key=worth.__getitem__)
            if chosen and worth[j] <= least:
                break
            chosen.append(j)
            said |= self._words(j)
            left -= self._size[j]
            worth = {i: self._news(i, said) for i in worth if i != j and self._size[i] <= left}
        return sorted(chosen)

    def _news(self, j: int, said: set[int]) -> float:
        """Return the score of sentence ``j``, less the share of its words that are in ``said``."""
        words = self._words(j)
        return self._score[j] * (1.0 - len(words & said) / max(1, len(words)))

    def _words(self, j: int) -> set[int]:
        return set(self._content[self._offset[j] : self._offset[j + 1]])


def _weigh_words(
    words: Words, content: NDArray[np.bool_], chunks: Sequence[Chunk]
) -> tuple[Offsets, Floats]:
    """Return a bucket and a weight a word, each of shape (n,).

    Words are told apart by a bucket of their key: counting is then one pass without sorting, and
    the rare two words that meet in a bucket merely share their weight.
    """
    size = 1 << (4 * len(words.keys) + 255).bit_length()
    buckets = _bucket(words.keys, size)
    times = np.bincount(buckets[content], minlength=size)
    sentences = len(words.sentences) - 1
    counts = np.arange(1, times.max() + 1)
    weight_by_count = np.append(0.0, np.log1p(counts) * np.log1p(sentences / counts))
    headings = "\n".join(dict.fromkeys(h for chunk in chunks for h in chunk.headings))
    in_heading = np.zeros(size, np.bool_)
    in_heading[_bucket(question_words(headings).keys, size)] = True

    weights = weight_by_count[times[buckets]] * content
    weights[in_heading[buckets]] *= 1.3
    weights[(words.flags & WordFlag.NUMBER) != 0] *= 0.6
    weights[(words.flags & WordFlag.CAPITAL) != 0] *= 1.15
    return buckets, weights


def _bucket(keys: Keys, size: int) -> Offsets:
    return (keys & np.uint64(size - 1)).astype(np.intp)


def _score_sentences(words: Words, weights: Floats, offsets: Offsets) -> tuple[Floats, Offsets]:
    """Return score and length in words of each sentence; prose of 10 to 40 words scores best."""

    def total(values: NDArray[np.generic]) -> Floats:
        return np.diff(np.append(0.0, np.cumsum(values, dtype=np.float64))[offsets])

    signs = np.diff(offsets)
    breaks = total((words.flags & WordFlag.BREAK) != 0)
    sizes = signs - breaks
    some = np.maximum(sizes, 1.0)
    fluent = np.minimum(1.0, 0.4 + 3.0 * total((words.flags & WordFlag.STOP) != 0) / some)
    numeric = np.maximum(0.0, total((words.flags & WordFlag.NUMBER) != 0) / some - 0.2)
    broken = np.minimum(0.9, 1.5 * breaks / np.maximum(signs, 1))
    handy = np.minimum(1.0, sizes / 10.0) * np.minimum(1.0, 40.0 / some)
    early = 1.0 + 0.6 / (1.0 + 0.125 * np.arange(len(sizes)))
    starts = words.chunks[:-1]
    early[starts[starts < len(sizes)]] *= 1.1
    scores = total(weights) / np.sqrt(some)
    scores *= fluent * (1.0 - numeric) * (1.0 - broken) * handy * early
    return scores, sizes.astype(np.intp)


def _wholeness(text: str, spans: Sequence[tuple[int, int]], sizes: Offsets) -> Floats:
    """Return 1 for what looks like a whole sentence, less for a heading, an item, half a line."""
    ends = np.array([text[end - 1] in _ENDINGS for _, end in spans], np.float64)
    begins = np.array([_begins(text[start]) for start, _ in spans], np.float64)
    chars = np.array([end - start for start, end in spans], np.float64)
    worded = np.minimum(1.0, 12.0 * np.maximum(sizes, 1) / chars)  # web addresses are not
    return (0.6 + 0.4 * ends) * (0.6 + 0.4 * begins) * worded * worded


def _begins(sign: str) -> bool:
    return not (sign.islower() or sign in _BULLETS)


def _join(
    text: str, spans: Sequence[tuple[int, int]], sentences: Sequence[int], longest: int
) -> str:
    parts: list[str] = []
    for before, j in zip([None, *sentences], sentences, strict=False):
        if before is not None:
            parts.append(" " if j == before + 1 else _GAP)
        start, end = spans[j]
        parts.append(_fold(text[start:end], longest))
    return "".join(parts)


def _fold(sentence: str, longest: int) -> str:
    """Fold white space, drop a heading's marks, and cut after about ``longest`` characters."""
    folded = " ".join(sentence.split()).lstrip("# \ufeff")
    if len(folded) <= longest:
        return folded
    cut = folded[:longest]
    return (cut[: cut.rfind(" ")] if " " in cut else cut) + "…"
