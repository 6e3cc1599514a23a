"""What entities reach, in plain Python: the oracle of `bridgerag._native.Reach`.

A segment is its documents; a document is alive or not, and a list of abstracts from leaves to root.
Nothing is fast, and nothing is shared with the native code.
"""

from dataclasses import dataclass, field


@dataclass(eq=False, repr=False)
class Abstract:
    number: int
    chunks: range
    children: list["Abstract"] = field(default_factory=list)
    parent: "Abstract | None" = None
    entities: set[int] = field(default_factory=set)


@dataclass(eq=False, repr=False)
class Document:
    alive: bool
    abstracts: list[Abstract]


def up(abstract, depth):
    while depth > 0 and abstract.parent is not None:
        abstract, depth = abstract.parent, depth - 1
        yield abstract


def down(abstract, depth):
    for child in abstract.children if depth > 0 else ():
        yield child
        yield from down(child, depth - 1)


def seeds_of(document, entity):
    return [a for a in document.abstracts if document.alive and entity in a.entities]


def expanded(document, entities, depth):
    found = set()
    for entity in entities:
        for seed in seeds_of(document, entity):
            found |= {seed, *up(seed, depth), *down(seed, depth)}
    return sorted(found, key=lambda a: a.number)


def pool(document, entities, depth):
    return sorted({c for a in expanded(document, entities, depth) for c in a.chunks})


def verdicts(segments, entities, depth, few, share, most):
    """Return the depth taken and, of each entity, whether it is followed, and its live documents.

    The depth is the largest, up to that asked for, at which anything is followed.
    """
    documents = [document for segment in segments for document in segment]
    for taken in range(depth, -1, -1):
        found = verdicts_at(segments, entities, taken, few, share, most)
        followed = [e for e, (said, _) in zip(entities, found, strict=True) if said == "followed"]
        if any(pool(d, followed, taken) for d in documents):
            return taken, found
    return depth, verdicts_at(segments, entities, depth, few, share, most)


def verdicts_at(segments, entities, depth, few, share, most):
    """Follow the rarest first, until one more would open too many chunks."""
    documents = [document for segment in segments for document in segment]
    alive = sum(document.alive for document in documents)
    held = {e: sum(bool(seeds_of(d, e)) for d in documents) for e in entities}
    found = {}
    followed = [e for e in entities if held[e] <= few]
    full = False
    for e in sorted(entities, key=lambda e: held[e]):
        if sum(len(seeds_of(d, e)) for d in documents) > most:
            found[e] = "crowded"
        elif held[e] <= few:
            found[e] = "followed"
        elif held[e] > share * alive:
            found[e] = "common"
        else:
            chunks = sum(len(pool(d, [*followed, e], depth)) for d in documents)
            full = full or chunks > most
            found[e] = "crowded" if full else "followed"
            followed += [] if full else [e]
    return [(found[e], 0 if found[e] == "crowded" else held[e]) for e in entities]


def ways(document, entities, depth, chunk):
    """Return the owners of a chunk, narrowest first, and the shortest way from each entity."""
    owners = [a for a in expanded(document, entities, depth) if chunk in a.chunks]
    found = []
    for e in entities:
        climbs = [
            (steps, owners.index(above), seed.number)
            for seed in seeds_of(document, e)
            for steps, above in enumerate([seed, *up(seed, depth)])
            if above in owners
        ]
        if climbs:
            steps, place, seed = min(climbs)
            if steps == 0:
                steps = -min(depth, place)
                place += steps
            found.append((e, seed, owners[place].number, steps))
    return tuple(a.number for a in owners), found
