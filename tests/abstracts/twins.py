"""Slow and obvious twins of what summaries are made with: sets and dicts, a sentence at a time."""

from itertools import pairwise
from math import log1p, sqrt

from bridgerag.entities.words import WordFlag

ENDINGS = frozenset(".!?:…。！？：؟۔।॥\"'”’»)]」』）")
ITEM_MARKS = frozenset("-–—•◦▪●■○|_")


def scores(text, spans, sentences, starts, headings):
    """Return what each sentence is worth.

    Args:
        sentences: its words as pairs (key, flags), a list a sentence.
        starts: the sentences that a chunk starts with.
        headings: keys of the words of headings.
    """
    times = {}
    for key, flags in (word for sentence in sentences for word in sentence):
        if not flags & (WordFlag.STOP | WordFlag.BREAK):
            times[key] = times.get(key, 0) + 1

    def weight(key, flags):
        if flags & (WordFlag.STOP | WordFlag.BREAK):
            return 0.0
        worth = log1p(times[key]) * log1p(len(sentences) / times[key])
        worth *= 1.3 if key in headings else 1.0
        worth *= 0.6 if flags & WordFlag.NUMBER else 1.0
        return worth * (1.15 if flags & WordFlag.CAPITAL else 1.0)

    return [
        sum(weight(*word) for word in words)
        * prose([flags for _, flags in words])
        * (1 + 0.6 / (1 + 0.125 * j))
        * (1.1 if j in starts else 1.0)
        * whole(text[start:end], words)
        for j, (words, (start, end)) in enumerate(zip(sentences, spans, strict=True))
    ]


def prose(flags):
    """Return 1 / sqrt(words) for prose of a handy length, less for anything else."""

    def count(flag):
        return sum(1 for one in flags if one & flag)

    breaks = count(WordFlag.BREAK)
    size = len(flags) - breaks
    some = max(1, size)
    fluent = min(1.0, 0.4 + 3 * count(WordFlag.STOP) / some)
    numeric = max(0.0, count(WordFlag.NUMBER) / some - 0.2)
    broken = min(0.9, 1.5 * breaks / max(1, len(flags)))
    handy = min(1.0, size / 10) * min(1.0, 40 / some)
    return fluent * (1 - numeric) * (1 - broken) * handy / sqrt(some)


def whole(sentence, words):
    size = sum(1 for _, flags in words if not flags & WordFlag.BREAK)
    begins = not (sentence[0].islower() or sentence[0] in ITEM_MARKS)
    worded = min(1.0, 12 * max(1, size) / len(sentence))
    return (1.0 if sentence[-1] in ENDINGS else 0.6) * (1.0 if begins else 0.6) * worded**2


def pick(scores, sizes, offsets, words, is_leaf, first, count, room):
    """Return the sentences picked, one list an abstract."""
    said_by = [set(words[a:b]) for a, b in pairwise(offsets)]
    picked = []
    for leaf, start, many, space in zip(is_leaf, first, count, room, strict=True):
        if leaf:
            here = sorted(range(start, start + many), key=lambda j: -scores[j])[:8]
        else:
            here = [j for below in picked[start : start + many] for j in below]
        picked.append(best(sorted(here), space, scores, sizes, said_by))
    return picked


def best(candidates, room, scores, sizes, said_by):
    worth = {j: scores[j] for j in candidates}
    least = 0.35 * max(worth.values(), default=0.0)
    said, chosen, left = set(), [], 1.25 * room
    while worth:
        j = max(worth, key=worth.__getitem__)
        if chosen and worth[j] <= least:
            break
        chosen.append(j)
        said |= said_by[j]
        left -= sizes[j]
        worth = {
            i: scores[i] * (1.0 - len(said_by[i] & said) / max(1, len(said_by[i])))
            for i in worth
            if i != j and sizes[i] <= left
        }
    return sorted(chosen)


def summary_text(text, spans, picked, longest):
    """Return sentences as one line, with a mark where some were left out."""
    parts = []
    for before, j in zip([None, *picked], picked, strict=False):
        if before is not None:
            parts.append(" " if j == before + 1 else " … ")
        start, end = spans[j]
        parts.append(fold(text[start:end], longest))
    return "".join(parts)


def fold(sentence, longest):
    folded = " ".join(sentence.split()).lstrip("# \ufeff")
    if len(folded) <= longest:
        return folded
    cut = folded[:longest]
    return (cut[: cut.rfind(" ")] if " " in cut else cut) + "…"


def summary_shape(tree, chunks, rooms):
    """Return which abstracts are leaves, what each picks from, and its room; a list of each."""
    shape = []
    for a in range(len(tree)):
        first = int(tree.first_chunk[a])
        start, end = chunks[first], chunks[first + int(tree.chunk_count[a])]
        children = int(tree.child_count[a])
        own = (0, int(tree.first_child[a]), children) if children else (1, start, end - start)
        shape.append((*own, rooms[min(int(tree.level[a]), len(rooms) - 1)]))
    return [list(column) for column in zip(*shape, strict=True)]
