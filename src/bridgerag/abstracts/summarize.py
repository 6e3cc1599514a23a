"""Summarise every abstract of a document by its own best sentences, without a language model.

A sentence is worth the words it holds: those that the document returns to without using them
everywhere, and those of its headings. A leaf picks sentences for what they add to those picked
before; an abstract above picks among its children's sentences and has room for more of them, so
that a summary grows with the level.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import pick
from bridgerag.entities.words import WordFlag, Words, question_words
from bridgerag.forest import Tree
from bridgerag.types import Chunk, Ids, Keys

__all__ = ["SUMMARY_WORDS", "summarize"]

SUMMARY_WORDS = (40, 60, 90, 120)  # by level; the last one holds for all levels above

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
    level = np.minimum(tree.level, len(summary_words) - 1)
    rooms = np.array(summary_words, np.uint32)[level]
    picked, borders = _pick(text, spans, words, chunks, tree, rooms)
    return [
        _join(text, spans, picked[start:end], room * _CHARS_PER_WORD)
        for (start, end), room in zip(pairwise(borders), rooms.tolist(), strict=True)
    ]


def _pick(
    text: str,
    spans: Sequence[tuple[int, int]],
    words: Words,
    chunks: Sequence[Chunk],
    tree: Tree,
    rooms: Ids,
) -> tuple[list[int], list[int]]:
    """Return the sentences picked, abstract by abstract, and where those of each begin."""
    content = (words.flags & (WordFlag.STOP | WordFlag.BREAK)) == 0
    buckets, weights = _weigh_words(words, content, chunks)
    offsets = words.sentences.astype(np.intp)
    scores, sizes = _score_sentences(words, weights, offsets)
    leaf = tree.child_count == 0
    first = words.chunks[tree.first_chunk]
    count = words.chunks[tree.first_chunk + tree.chunk_count] - first
    picked, borders = pick(
        scores * _wholeness(text, spans, sizes),
        sizes.astype(np.uint32),
        np.append(0, np.cumsum(content))[offsets].astype(np.uint32),
        buckets[content].astype(np.uint32),
        leaf.astype(np.uint8),
        np.where(leaf, first, tree.first_child),
        np.where(leaf, count, tree.child_count),
        rooms,
    )
    return picked.tolist(), borders.tolist()


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
