"""Ways to find chunks for a question, one file a method, behind one protocol."""

from bridgerag.retrieval.depth import resolve_depth
from bridgerag.retrieval.hits import assemble
from bridgerag.retrieval.method import Found, IndexedMethod, Method, Question, Timings
from bridgerag.retrieval.methods import METHODS, method

__all__ = [
    "METHODS",
    "Found",
    "IndexedMethod",
    "Method",
    "Question",
    "Timings",
    "assemble",
    "method",
    "resolve_depth",
]
