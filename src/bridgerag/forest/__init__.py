"""The shape of a document's tree of abstracts, from its chunks and what they say."""

from bridgerag.forest.grow import ROOT, Tree, grow, grow_over, join, separate
from bridgerag.forest.windows import content_windows

__all__ = ["ROOT", "Tree", "content_windows", "grow", "grow_over", "join", "separate"]
