"""Turn relations into entity trees: filter them until they are a hierarchy, then plant the trees.

Source: Bridge-RAG §4.3 and CFT-RAG, whose steps are: no self-loops, no duplicates, no cycles (the
closest relations stay), no transitive edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bridgerag.entities.normalize import entity_key, normalize
from bridgerag.entities.relations import IS_A, Relation
from bridgerag.types import Keys

__all__ = ["EntityForest", "entity_trees", "filter_relations"]

_Edge = tuple[str, str]  # child, parent


def filter_relations(relations: Iterable[Relation]) -> list[Relation]:
    """Return the relations that make up a hierarchy without detours, in the order given.

    Names are the same when they are spelled the same but for case and signs. Of several relations
    between the same two the closest stays (fewest words apart, then the first one), and so it does
    in a cycle: its farthest relation goes. A relation goes too when others lead from its head to
    its tail by way of a third. Filtering twice changes nothing.

    One rule is ours: a kind of things ("film") belongs to no single named one, or a wrong relation
    would hang all of its kind there.

    Cost: linear, times the number of ancestors that an entity has.
    """
    closest = _closest(list(relations))
    parents: dict[str, set[str]] = {}
    kept: dict[_Edge, tuple[int, Relation]] = {}
    has_children: set[str] = set()
    for edge, (_, order, relation) in sorted(closest.items(), key=lambda item: item[1][:2]):
        child, parent = edge
        if child in has_children and child in _ancestors(parents, parent):
            continue
        parents.setdefault(child, set()).add(parent)
        has_children.add(parent)
        kept[edge] = order, relation
    for edge in _detours(parents):
        del kept[edge]
    return [relation for _, relation in sorted(kept.values(), key=lambda item: item[0])]


def _closest(relations: Sequence[Relation]) -> dict[_Edge, tuple[int, int, Relation]]:
    """Return for each two entities their closest relation, behind its distance and its place."""
    kinds = {normalize(relation.tail) for relation in relations if relation.kind == IS_A}
    closest: dict[_Edge, tuple[int, int, Relation]] = {}
    for order, relation in enumerate(relations):
        edge = child, parent = normalize(relation.head), normalize(relation.tail)
        if not child or not parent or child == parent:
            continue
        if child in kinds and relation.kind != IS_A and relation.tail != relation.tail.lower():
            continue
        if edge not in closest or (relation.distance, order) < closest[edge][:2]:
            closest[edge] = relation.distance, order, relation
    return closest


def _ancestors(parents: dict[str, set[str]], start: str) -> set[str]:
    """Return everything above ``start``."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        for parent in parents.get(ahead.pop(), ()):
            if parent not in found:
                found.add(parent)
                ahead.append(parent)
    return found


def _detours(parents: dict[str, set[str]]) -> list[_Edge]:
    """Return the edges of an acyclic graph that a longer way makes redundant."""
    redundant = []
    for child, above in parents.items():
        if len(above) > 1:
            reached = set[str]().union(*(_ancestors(parents, parent) for parent in above))
            redundant += [(child, parent) for parent in above & reached]
    return redundant


@dataclass(frozen=True, slots=True)
class EntityForest:
    """Trees of entities; every node has one parent or none.

    An entity that belongs to several others stands in several places, as in CFT-RAG: node ``i`` is
    entity ``i`` under its closest parent, with all its children; behind these nodes come the
    entity's other places, a leaf under each other parent.

    Attributes:
        names: the entities, as they are spelled first.
        keys: shape ``(len(names),)``, `entity_key` of each, all different.
        chunks: for each entity the texts whose relations name it, ascending.
        entity: the entity of each node.
        parent: the node above each node, -1 for a root.
        relation: what puts each node under its parent, None for a root.
        children: the nodes below each node, ascending.
    """

    names: tuple[str, ...]
    keys: Keys
    chunks: tuple[tuple[int, ...], ...]
    entity: tuple[int, ...]
    parent: tuple[int, ...]
    relation: tuple[Relation | None, ...]
    children: tuple[tuple[int, ...], ...]

    def __len__(self) -> int:
        return len(self.entity)

    @property
    def roots(self) -> list[int]:
        """The nodes without a parent, ascending: one a tree."""
        return [node for node, parent in enumerate(self.parent) if parent < 0]

    def ancestors(self, node: int, depth: int) -> list[int]:
        """Return at most ``depth`` nodes above ``node``, nearest first."""
        found: list[int] = []
        while len(found) < depth and (node := self.parent[node]) >= 0:
            found.append(node)
        return found

    def descendants(self, node: int, depth: int) -> list[int]:
        """Return the nodes at most ``depth`` levels below ``node``, level by level."""
        found: list[int] = []
        level: Sequence[int] = (node,)
        for _ in range(depth):
            level = [child for above in level for child in self.children[above]]
            if not level:
                break
            found += level
        return found


def entity_trees(relations: Sequence[Relation]) -> EntityForest:
    """Return the trees that relations make.

    Args:
        relations: a hierarchy, as `filter_relations` returns it.
    """
    numbers: dict[str, int] = {}
    names: list[str] = []
    chunks: list[set[int]] = []
    above: list[list[tuple[int, Relation]]] = []

    def entity(name: str, chunk: int) -> int:
        number = numbers.setdefault(normalize(name), len(names))
        if number == len(names):
            names.append(name)
            chunks.append(set())
            above.append([])
        chunks[number].add(chunk)
        return number

    for relation in relations:
        child, parent = entity(relation.head, relation.chunk), entity(relation.tail, relation.chunk)
        above[child].append((parent, relation))
    places: list[tuple[int, int, Relation | None]] = []  # entity, parent, relation
    others: list[tuple[int, int, Relation | None]] = []
    for number, found in enumerate(above):
        found.sort(key=lambda item: item[1].distance)  # equal ones stay in reading order
        places.append((number, *found[0]) if found else (number, -1, None))
        others += [(number, *other) for other in found[1:]]
    places += others
    children: list[list[int]] = [[] for _ in places]
    for node, (_, parent, _) in enumerate(places):
        if parent >= 0:
            children[parent].append(node)
    return EntityForest(
        tuple(names),
        np.array([entity_key(name) for name in names], np.uint64),
        tuple(tuple(sorted(found)) for found in chunks),
        tuple(entity for entity, _, _ in places),
        tuple(parent for _, parent, _ in places),
        tuple(relation for _, _, relation in places),
        tuple(map(tuple, children)),
    )
