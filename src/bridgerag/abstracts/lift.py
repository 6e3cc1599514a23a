"""Lift entities that most children of an abstract share to the abstract itself.

The subject of a long report stands on most of its pages: it says nothing about which page, and
everything about which document. Stored once, at the abstract, it costs one id instead of one a
page, and a search that names it starts there and works downwards. With ``share`` 1.0 nothing is
lifted, which is the plain paper.
"""

from __future__ import annotations

import numpy as np

from bridgerag.forest import Tree
from bridgerag.types import Ids, Keys

__all__ = ["lift"]


def lift(keys: Keys, abstracts: Ids, forest: Tree, share: float) -> tuple[Keys, Ids]:
    """Return the (entity, abstract) pairs after lifting, distinct, by ascending (key, abstract).

    Args:
        keys: shape ``(m,)``, entity keys.
        abstracts: shape ``(m,)``, an abstract that holds the entity; repeats count once.
        share: an entity found in more than this share of an abstract's children, and in at least
            two of them, is stored at the abstract instead of at those children. Level by level,
            upwards, so that it may rise to the root.

    Cost: O(m log m).
    """
    keys, abstracts = _distinct(keys, abstracts)
    for level in range(int(forest.level.max(initial=0))):
        keys, abstracts = _lift_level(keys, abstracts, forest, level, share)
    return keys, abstracts


def _lift_level(
    keys: Keys, abstracts: Ids, forest: Tree, level: int, share: float
) -> tuple[Keys, Ids]:
    here = forest.level[abstracts] == level
    parents = forest.parent[abstracts[here]]
    starts, counts = _runs(keys[here], parents)
    children = forest.child_count[np.minimum(parents[starts], len(forest) - 1)]
    is_root = parents[starts] >= len(forest)
    rises = (counts >= 2) & (counts > share * children) & ~is_root
    if not rises.any():
        return keys, abstracts
    stays = np.ones(len(keys), bool)
    stays[np.flatnonzero(here)[np.repeat(rises, counts)]] = False
    return _distinct(
        np.concatenate([keys[stays], keys[here][starts[rises]]]),
        np.concatenate([abstracts[stays], parents[starts[rises]]]),
    )


def _runs(keys: Keys, parents: Ids) -> tuple[np.ndarray, np.ndarray]:
    """Return start and length of each run of equal (key, parent).

    Pairs are sorted by (key, abstract), and parents rise with the abstracts of one level, so equal
    pairs stand together.
    """
    new = np.ones(len(keys), bool)
    new[1:] = (keys[1:] != keys[:-1]) | (parents[1:] != parents[:-1])
    starts = np.flatnonzero(new)
    return starts, np.diff(np.append(starts, len(keys)))


def _distinct(keys: Keys, abstracts: Ids) -> tuple[Keys, Ids]:
    order = np.lexsort((abstracts, keys))
    keys, abstracts = keys[order], abstracts[order]
    new = np.ones(len(keys), bool)
    new[1:] = (keys[1:] != keys[:-1]) | (abstracts[1:] != abstracts[:-1])
    return keys[new], abstracts[new]
