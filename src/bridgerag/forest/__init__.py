"""The shape of a document's tree of abstracts, before anything is known about its content."""

from bridgerag.forest.grow import Tree, grow, join

__all__ = ["Tree", "grow", "join"]
