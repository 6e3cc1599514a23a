"""The walk's push without bounds: sparse matrices over the whole graph of names and passages.

The oracle for the bounded push (native/include/bridge/walk.h): the same start and the same edges,
every passage's nearness to what is asked included, but each node passes its weight on in each
round, and rounds may go on until nothing moves.

    names'    = 0.3 start + 0.7 * passages @ out
    passages' = 0.3 start + 0.7 * names @ back

A name with many passages passes on more than it has (its shares are worth / degree ** 0.7), so
weight may grow without end. To come to rest, what is passed on is scaled to sum to 0.7 in each
round, as is usual in power iteration; a fixed number of rounds is left as the push has it.

The graph is read off a synthetic corpus, not off an index, and no code is shared with the push. A
title with "The" before it is a name that leads to its document; texts mention it without.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks._synthetic import Synthetic
from benchmarks._synthetic_index import name_keys
from benchmarks._synthetic_words import RELATIONS, STOPS
from bridgerag.entities.names import read_title
from bridgerag.entities.words import describe
from bridgerag.types import Keys

__all__ = ["PowerIteration", "Unbounded", "best"]

Floats = NDArray[np.float64]
Places = NDArray[np.int64]

_RESTART = 0.3
_WIDTH = 100  # passages; a name in more leads to none that merely mentions it
_NEAR_WEIGHT, _NEAR_WORDS, _NEAR_MOST = 8.0, 8.0, 32
_DEFINITION, _POWER = 16.0, 0.7
_APART = 8  # words that stand for the border between two sentences
_TOLERANCE = 1e-9  # of the weight at the start, which is 1
_MOST_ROUNDS = 500


@dataclass(frozen=True, slots=True)
class Unbounded:
    """Where all weight came to rest.

    Attributes:
        passages: shape ``(passages,)``.
        rounds: how many it took.
        settled: whether it came to rest at all.
    """

    passages: Floats
    rounds: int
    settled: bool


class PowerIteration:
    """The graph of a corpus as matrices, but for what the question decides.

    Memory: about 600 bytes a chunk.
    """

    def __init__(self, made: Synthetic) -> None:
        mentioned = name_keys(made)
        key, self._document = _titles(made)
        self._keys = np.union1d(mentioned, key)
        self._shape = made.chunks, len(self._keys)
        node = np.searchsorted(self._keys, mentioned)  # of each name of the lexicon
        self._titled = np.searchsorted(self._keys, key)  # with `_document`, what defines what
        self._titles = np.bincount(self._titled, minlength=self._shape[1])
        chunk = np.repeat(np.arange(made.chunks), np.diff(made.clauses))
        held = np.unique(made.mentioned * np.int64(made.chunks) + chunk) // made.chunks
        self._spread = np.bincount(node[held], minlength=self._shape[1])
        self._rarity = np.maximum(0.0, np.log((made.chunks + 1) / (self._spread + 0.5)))
        mentions, self._asked = _read(made)
        own = made.own[np.repeat(np.arange(made.documents), np.diff(made.first))]
        self._known = (self._titles > 0) | (self._spread > 1)  # others only lead from the start
        self._mentions = mentions.of(own[mentions.passage] != mentions.name)
        codes = self._mentions.passage * self._shape[1] + node[self._mentions.name]
        edges, self._edge = np.unique(codes, return_inverse=True)  # edge of each mention
        self._passage, self._name = edges // self._shape[1], edges % self._shape[1]
        self._back = self._leaving_names(made)

    def __call__(
        self,
        asked: Mapping[int, float],
        passages: Mapping[int, float],
        names: Mapping[int, float],
        rounds: int | None = None,
    ) -> Unbounded:
        """Return where the weight comes to rest, or where it is after some rounds, not scaled.

        Args:
            asked: what each stem that is asked with is worth, together 1.
            passages: what each starts with.
            names: likewise, by key.

        Cost: some twenty rounds of two sparse products, and a pass over the chunks that hold a stem
        that is asked with.
        """
        out = self._leaving_passages(asked)
        start_passages, start_names = np.zeros(self._shape[0]), np.zeros(self._shape[1])
        start_passages[list(passages)] = list(passages.values())
        for key, weight in names.items():
            place = int(np.searchsorted(self._keys, np.uint64(key)))
            if place < len(self._keys) and int(self._keys[place]) == key:
                start_names[place] = weight
        now_passages, now_names = start_passages, start_names
        moved, done = np.inf, 0
        while done < (rounds or _MOST_ROUNDS) and (rounds or moved >= _TOLERANCE):
            to_names, to_passages = out @ now_passages, self._back @ now_names
            scale = 1 - _RESTART
            if rounds is None:
                scale /= max(float(to_names.sum() + to_passages.sum()), 1e-300)
            next_names = _RESTART * start_names + scale * to_names
            next_passages = _RESTART * start_passages + scale * to_passages
            moved = float(np.abs(next_names - now_names).sum())
            moved += float(np.abs(next_passages - now_passages).sum())
            now_passages, now_names = next_passages, next_names
            done += 1
        return Unbounded(now_passages, done, moved < _TOLERANCE)

    def _leaving_names(self, made: Synthetic) -> sparse.csr_matrix:
        """Return the share of each passage (row) in what a name (column) passes on."""
        narrow = self._spread <= _WIDTH
        others = np.bincount(self._name, minlength=self._shape[1])
        titled = self._titles > 0
        degree = _DEFINITION * titled + np.where(narrow, others, self._spread)
        mention = narrow[self._name]
        rows = np.concatenate([self._passage[mention], made.first[self._document]])
        columns = np.concatenate([self._name[mention], self._titled])
        definitions = _DEFINITION / self._titles[self._titled]
        worth = np.concatenate([np.ones(int(mention.sum())), definitions])
        return sparse.csr_matrix((worth / degree[columns] ** _POWER, (rows, columns)), self._shape)

    def _leaving_passages(self, asked: Mapping[int, float]) -> sparse.csr_matrix:
        """Return the share of each name (row) in what a passage (column) passes on."""
        near = np.zeros(len(self._name))
        np.maximum.at(near, self._edge, self._nearness(asked))
        leads = self._known & ((self._titles > 0) | (self._spread <= _WIDTH))
        worth = self._rarity[self._name] * (1 + _NEAR_WEIGHT * near) * leads[self._name]
        total = np.bincount(self._passage, worth, self._shape[0])[self._passage]
        share = np.divide(worth, total, out=np.zeros_like(worth), where=total > 0)
        return sparse.csr_matrix((share, (self._name, self._passage)), self._shape[::-1])

    def _nearness(self, asked: Mapping[int, float]) -> Floats:
        """Return for each mention how much of what is asked stands around it."""
        near = np.zeros(len(self._mentions.name))
        borders = np.searchsorted(self._mentions.passage, np.arange(self._shape[0] + 1))
        for stem, worth in asked.items():
            at = np.flatnonzero(self._asked.stem == stem)
            passage, position = self._asked.passage[at], self._asked.position[at]
            count = borders[passage + 1] - borders[passage]
            word = np.repeat(np.arange(len(at)), count)  # each mention beside each word
            mention = np.arange(len(word)) - (np.cumsum(count) - count)[word]
            mention += borders[passage][word]
            gap = np.maximum(
                self._mentions.first[mention] - position[word],
                position[word] - self._mentions.last[mention],
            )
            close = (gap > 0) & (gap <= _NEAR_MOST)
            best = np.zeros(len(near))
            np.maximum.at(best, mention[close], np.exp(-gap[close] / _NEAR_WORDS))
            near += worth * best
        return near


@dataclass(frozen=True, slots=True)
class _Mentions:
    passage: Places
    name: Places
    first: Places
    last: Places

    def of(self, kept: NDArray[np.bool_]) -> _Mentions:
        return _Mentions(self.passage[kept], self.name[kept], self.first[kept], self.last[kept])


@dataclass(frozen=True, slots=True)
class _Asked:
    passage: Places
    position: Places
    stem: NDArray[np.uint32]


def _titles(made: Synthetic) -> tuple[Keys, Places]:
    """Return the names that titles hold, and the document of each."""
    named = [read_title(made.title(document))[0] for document in range(made.documents)]
    return np.concatenate(named), np.repeat(np.arange(made.documents), [len(n) for n in named])


def _read(made: Synthetic) -> tuple[_Mentions, _Asked]:
    """Return all mentions, by passage, and all words that relations are called by."""
    stems = np.array([describe(said).stem for said, _ in RELATIONS], np.uint32)
    mentions, asked = [], []
    for block in made.blocks():
        sizes = np.diff(block.borders)
        chunk = np.repeat(np.arange(len(sizes)), sizes)
        position = np.arange(len(chunk)) - block.borders[chunk] + _APART * block.sentence
        passage = block.chunks.start + chunk
        at = np.flatnonzero(block.name >= 0)
        name = block.name[at].astype(np.int64)
        last = position[at] + made.lexicon.length[name] - 1
        first = position[at] + (made.lexicon.words[name, 0] == STOPS.index("the"))
        mentions.append((passage[at], name, first, last))
        relation = block.words - len(STOPS)
        at = np.flatnonzero((relation >= 0) & (relation < len(RELATIONS)))
        asked.append((passage[at], position[at], stems[relation[at]]))
    return (
        _Mentions(*map(np.concatenate, zip(*mentions, strict=True))),
        _Asked(*map(np.concatenate, zip(*asked, strict=True))),
    )


def best(weights: Floats, k: int) -> list[int]:
    """Return the heaviest passages, ties by the lower number."""
    found = np.flatnonzero(weights > 0)
    return found[np.lexsort((found, -weights[found]))][:k].tolist()
