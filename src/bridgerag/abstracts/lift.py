"""Lift entities that most children of an abstract share to the abstract itself.

The subject of a long report stands on most of its pages: it says nothing about which page, and
everything about which document. Stored once, at the abstract, it costs one id instead of one a
page, and a search that names it starts there and works downwards. With ``share`` 1.0 nothing is
lifted, which is the plain paper.
"""

from __future__ import annotations

from bridgerag import _native
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

    Cost: O(m log m), without the GIL.
    """
    return _native.lift(keys, abstracts, forest.parent, forest.child_count, forest.level, share)
