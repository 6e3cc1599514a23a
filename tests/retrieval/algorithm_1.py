"""Algorithm 1 of the paper in plain Python: the oracle. It shares no code with the engine.

A document is a list of chunks; a chunk is its set of entities and its vector. Everything is lists,
sets and dicts; nothing is fast.
"""

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(eq=False)
class Abstract:
    document: str
    level: int
    chunks: list[int]
    children: list["Abstract"] = field(default_factory=list)
    parent: "Abstract | None" = None

    def name(self):
        return (self.document, self.level, self.chunks[0], len(self.chunks))


def grow_tree(document, chunk_count, n, b):
    """Windows of n chunks, b abstracts under each parent, until one root is left."""
    level = [
        Abstract(document, 0, list(range(i, min(i + n, chunk_count))))
        for i in range(0, chunk_count, n)
    ]
    everything = list(level)
    while len(level) > 1:
        above = []
        for i in range(0, len(level), b):
            group = level[i : i + b]
            parent = Abstract(
                document, group[0].level + 1, [c for a in group for c in a.chunks], group
            )
            for child in group:
                child.parent = parent
            above.append(parent)
        everything += above
        level = above
    return everything


def holders(tree, entities_of_chunk, entity, share):
    """Which abstracts the entity index should name: leaves that hold it, lifted where most do."""
    holding = {
        a for a in tree if a.level == 0 and any(entity in entities_of_chunk[c] for c in a.chunks)
    }
    for level in range(1, max(a.level for a in tree) + 1):
        for abstract in (a for a in tree if a.level == level):
            inside = [child for child in abstract.children if child in holding]
            if len(inside) >= 2 and len(inside) > share * len(abstract.children):
                holding -= set(inside)
                holding.add(abstract)
    return holding


def ancestors(abstract, d):
    found = []
    while d > 0 and abstract.parent is not None:
        abstract, d = abstract.parent, d - 1
        found.append(abstract)
    return found


def descendants(abstract, d):
    if d == 0:
        return []
    return [x for child in abstract.children for x in [child, *descendants(child, d - 1)]]


def algorithm_1(corpus, question_entities, question_vector, n, b, d, k, share):
    """Return ``(A0 by entity, A, C_all, C_k)``; abstracts and chunks by their names.

    corpus: {document id: [(set of entities, vector), ...]}
    """
    trees = {doc: grow_tree(doc, len(chunks), n, b) for doc, chunks in corpus.items()}
    seeds = {}
    for entity in question_entities:
        seeds[entity] = set()
        for doc, chunks in corpus.items():
            seeds[entity] |= holders(trees[doc], [found for found, _ in chunks], entity, share)
    a0 = set().union(*seeds.values()) if seeds else set()
    a = set(a0)
    for abstract in a0:
        a |= set(ancestors(abstract, d)) | set(descendants(abstract, d))
    c_all = {(abstract.document, c) for abstract in a for c in abstract.chunks}

    def similarity(chunk):
        doc, c = chunk
        return sum(
            Fraction(x) * Fraction(y)
            for x, y in zip(question_vector, corpus[doc][c][1], strict=True)
        )

    ranked = sorted(c_all, key=lambda chunk: (-similarity(chunk), chunk))[:k]
    return (
        {entity: {x.name() for x in found} for entity, found in seeds.items()},
        {x.name() for x in a},
        c_all,
        [(chunk, float(similarity(chunk))) for chunk in ranked],
    )
