"""Entities with their lists, made up, and the plain ways of keeping them: what an index races."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from bridgerag.types import Ids, Keys

__all__ = ["Entities", "NumberedDict", "SortedKeys", "Trie", "dict_bytes", "dict_of_lists"]

Ints = NDArray[np.int64]

_ZIPF, _LONGEST, _ABSTRACTS = 2.5, 1_000, 1 << 20  # three lists in four have one id


@dataclass(frozen=True, slots=True)
class Entities:
    """Keys ascend; entity e has the ids ``ids[first[e]:first[e + 1]]``, ascending."""

    keys: Keys
    first: Ints
    ids: Ids

    @staticmethod
    def random(count: int, random: np.random.Generator) -> Entities:
        """Return entities whose lists are Zipf-long."""
        keys = np.unique(random.integers(0, 2**64, count + count // 100 + 10, np.uint64))
        keys = np.sort(random.permutation(keys)[:count])
        lengths = np.minimum(random.zipf(_ZIPF, count), _LONGEST)
        first = np.concatenate(([0], np.cumsum(lengths)))
        place = np.arange(first[-1]) - np.repeat(first[:-1], lengths)
        start = random.integers(0, _ABSTRACTS // 2, count)
        ids = np.repeat(start, lengths) + place * (_ABSTRACTS // 2 // _LONGEST)
        return Entities(keys, first, ids.astype(np.uint32))

    @property
    def list_bytes(self) -> int:
        """What an index takes for lists of two ids or more."""
        longer = np.diff(self.first)
        longer = longer[longer > 1]
        return 4 * int((longer + 1).sum())

    def lists(self, entities: Ints) -> tuple[Ints, Ids]:
        """Return the lists of some entities, -1 for none: where each starts, and all ids."""
        known = entities >= 0
        start = np.where(known, self.first[entities], 0)
        sizes = np.where(known, self.first[entities + 1] - start, 0)
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        return offsets, self.ids[np.arange(offsets[-1]) + np.repeat(start - offsets[:-1], sizes)]


def dict_of_lists(made: Entities) -> dict[int, list[int]]:
    """Return key -> ids, all of them Python ints."""
    number = list(range(_ABSTRACTS))  # one object an id, as a program that is careful has it
    ids = iter([number[i] for i in made.ids.tolist()])
    sizes = np.diff(made.first).tolist()
    return {
        key: list(islice(ids, size)) for key, size in zip(made.keys.tolist(), sizes, strict=True)
    }


def dict_bytes(table: dict[int, list[int]]) -> float:
    """Return the bytes an entity of a dict takes with its key and its list, but no ids."""
    few = list(islice(table.items(), 10_000))
    each = sum(sys.getsizeof(key) + sys.getsizeof([]) for key, _ in few) / len(few)
    return sys.getsizeof(table) / len(table) + each


class NumberedDict:
    """A dict from key to number, and arrays for the lists."""

    def __init__(self, made: Entities, keys: Iterator[int]) -> None:
        self.made, self.number = made, {key: e for e, key in enumerate(keys)}

    def find(self, keys: list[int]) -> tuple[Ints, Ids]:
        get = self.number.get
        entities = np.fromiter((get(key, -1) for key in keys), np.int64, len(keys))
        return self.made.lists(entities)


class SortedKeys:
    """A binary search in the sorted keys, for all at once."""

    def __init__(self, made: Entities) -> None:
        self.made = made

    def find(self, keys: Keys) -> tuple[Ints, Ids]:
        at = np.minimum(np.searchsorted(self.made.keys, keys), len(self.made.keys) - 1)
        return self.made.lists(np.where(self.made.keys[at] == keys, at, -1))


class Trie:
    """A marisa-trie of the keys, spelled in hexadecimal."""

    installed = find_spec("marisa_trie") is not None

    def __init__(self, made: Entities) -> None:
        spelled = self.spell(made.keys)
        self.made, self.trie = made, import_module("marisa_trie").Trie(spelled)
        self.entity = np.empty(len(spelled), np.int64)
        self.entity[[self.trie[key] for key in spelled]] = np.arange(len(spelled))

    @staticmethod
    def spell(keys: Keys) -> list[str]:
        return [f"{key:016x}" for key in keys.tolist()]

    def find(self, spelled: list[str]) -> tuple[Ints, Ids]:
        get = self.trie.get
        found = np.fromiter((get(key, -1) for key in spelled), np.int64, len(spelled))
        return self.made.lists(np.where(found >= 0, self.entity[found], -1))
