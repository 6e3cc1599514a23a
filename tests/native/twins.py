"""Slow, obvious twins of the native kernels; they share no code with them."""

from collections import defaultdict

import numpy as np

NO_PARENT = 0xFFFFFFFF


class DictIndex:
    """An entity index as a dict of sets."""

    def __init__(self):
        self.truth = defaultdict(set)

    def add(self, key, abstract):
        new = abstract not in self.truth[key]
        self.truth[key].add(abstract)
        return new

    def discard(self, key, abstract):
        if abstract not in self.truth.get(key, ()):
            return False
        self.truth[key].remove(abstract)
        if not self.truth[key]:
            del self.truth[key]
        return True

    def remove(self, key):
        return len(self.truth.pop(key, ()))

    def lookup(self, key):
        return sorted(self.truth.get(key, ()))


class Node:
    """An abstract as an object with children; `number_forest` turns trees of them into arrays."""

    def __init__(self, chunks=(), children=()):
        self.children = list(children)
        self.chunks = list(chunks) or [c for child in children for c in child.chunks]
        self.level = 1 + children[0].level if children else 0
        self.parent = None
        for child in children:
            child.parent = self


def number_forest(roots):
    """Return all nodes in the order of their ids: document by document, level by level."""
    nodes = []
    for root in roots:
        levels = [[root]]
        while levels[-1][0].children:
            levels.append([child for node in levels[-1] for child in node.children])
        nodes += [node for level in reversed(levels) for node in level]
    for number, node in enumerate(nodes):
        node.number = number
    return nodes


def forest_arrays(nodes):
    """Return the six arrays of `Forest`, in the order of its arguments."""

    def column(of, dtype=np.uint32):
        return np.array([of(node) for node in nodes], dtype)

    return (
        column(lambda n: n.parent.number if n.parent else NO_PARENT),
        column(lambda n: n.children[0].number if n.children else 0),
        column(lambda n: len(n.children)),
        column(lambda n: n.level, np.uint8),
        column(lambda n: n.chunks[0]),
        column(lambda n: len(n.chunks)),
    )


def ancestors(node, depth):
    if depth == 0 or node.parent is None:
        return []
    return [node.parent, *ancestors(node.parent, depth - 1)]


def descendants(node, depth):
    if depth == 0:
        return []
    return [d for child in node.children for d in (child, *descendants(child, depth - 1))]


def expand(seeds, depth):
    """Eq. (1), seed by seed."""
    found = set()
    for seed in seeds:
        found |= {seed.number}
        found |= {node.number for node in ancestors(seed, depth)}
        found |= {node.number for node in descendants(seed, depth)}
    return sorted(found)


def cosines(query, rows):
    """Return the scores in double precision; integer rows are divided by their norm."""
    scores = rows.astype(np.float64) @ query.astype(np.float64)
    if rows.dtype != np.int8:
        return scores
    norms = np.sqrt((rows.astype(np.float64) ** 2).sum(axis=1))
    return np.divide(scores, norms, out=np.zeros(len(rows)), where=norms > 0)


def rank_by_sorting_everything(scores, pool, k):
    return [c for _, c in sorted((-scores[c], c) for c in pool)][:k]
