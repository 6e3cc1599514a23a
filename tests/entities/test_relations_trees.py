"""Relations become trees: against a plain graph, and on what the papers' rules say."""

import networkx
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.entities import entity_key
from bridgerag.entities.relations import IS_A, PART_OF, Relation
from bridgerag.entities.trees import entity_trees, filter_relations

names = st.sampled_from([*"abcdefgh"])
relations = st.lists(
    st.builds(Relation, names, st.just(PART_OF), names, st.integers(0, 9), st.integers(0, 5)),
    max_size=40,
)


def graph(found):
    made = networkx.DiGraph()
    made.add_nodes_from("abcdefgh")
    made.add_edges_from((r.head, r.tail) for r in found)
    return made


def reachable(made):
    return {(a, b) for a in made for b in networkx.descendants(made, a)}


def without_cycles(found):
    """Add the closest relation first, and none that closes a cycle: the rule, spelled out."""
    made = graph([])
    for relation in sorted(found, key=lambda r: r.distance):
        made.add_edge(relation.head, relation.tail)
        if not networkx.is_directed_acyclic_graph(made):
            made.remove_edge(relation.head, relation.tail)
    return made


@given(relations)
def test_what_is_left_is_the_transitive_reduction_of_the_closest_acyclic_relations(found):
    kept = filter_relations(found)
    expected = without_cycles([r for r in found if r.head != r.tail])
    made = graph(kept)
    assert networkx.is_directed_acyclic_graph(made)
    assert reachable(made) == reachable(expected)
    assert set(made.edges) == set(networkx.transitive_reduction(expected).edges)
    assert len(kept) == len(made.edges)
    assert [r for r in found if r in kept][:1] == kept[:1]


@given(relations)
def test_filtering_twice_changes_nothing(found):
    kept = filter_relations(found)
    assert filter_relations(kept) == kept
    assert filter_relations(found) == kept


@given(relations)
def test_trees_hold_every_relation_once_and_every_node_has_one_parent(found):
    kept = filter_relations(found)
    forest = entity_trees(kept)
    placed = [relation for relation in forest.relation if relation is not None]
    assert sorted(placed, key=kept.index) == kept
    for node, (parent, relation) in enumerate(zip(forest.parent, forest.relation, strict=True)):
        if relation is not None:
            assert forest.names[forest.entity[node]] == relation.head
            assert forest.names[forest.entity[parent]] == relation.tail
            assert node in forest.children[parent]
        else:
            assert parent == -1
    above = graph(kept)
    seen = set(forest.roots)
    for root in forest.roots:
        below = forest.descendants(root, len(forest))
        assert len(below) == len(set(below))
        assert seen.isdisjoint(below)
        seen.update(below)
        name = forest.names[forest.entity[root]]
        children = {forest.names[forest.entity[node]] for node in below}
        assert children <= networkx.ancestors(above, name)
    assert seen == set(range(len(forest)))


def relation(head, tail, distance=1, kind=PART_OF, chunk=0):
    return Relation(head, kind, tail, chunk, distance)


def test_the_papers_four_rules():
    self_loop = relation("Oslo", "oslo")
    near, far = relation("Oslo", "Norway", 1), relation("OSLO", "Norway", 4)
    assert filter_relations([self_loop, far, near]) == [near]  # and no duplicates
    back = relation("Norway", "Oslo", 3)
    assert filter_relations([back, near]) == [near]  # no cycle: the closest stays
    up, detour = relation("Norway", "Europe"), relation("Oslo", "Europe", 0)
    assert filter_relations([detour, near, up]) == [near, up]  # no transitive edge


def test_given_equal_distances_then_the_first_relation_stays():
    first, second = relation("a", "b"), relation("b", "a")
    assert filter_relations([first, second]) == [first]
    assert filter_relations([second, first]) == [second]


def test_a_kind_belongs_to_no_single_name():
    film = relation("Metropolis", "film", kind=IS_A)
    wrong = relation("film", "Fritz Lang")
    assert filter_relations([film, wrong]) == [film]
    assert filter_relations([wrong]) == [wrong]  # nothing says that it is a kind


def test_given_names_without_words_then_they_are_left_out():
    assert filter_relations([relation("...", "Oslo"), relation("Oslo", "")]) == []


def test_an_entity_with_two_parents_stands_in_two_places():
    forest = entity_trees(
        [
            relation("Oslo", "city", 3, IS_A, chunk=0),
            relation("Oslo", "Norway", 1, chunk=1),
            relation("Frogner", "Oslo", 1, chunk=2),
        ]
    )
    assert forest.names == ("Oslo", "city", "Norway", "Frogner")
    assert forest.keys.tolist() == [entity_key(name) for name in forest.names]
    assert forest.entity == (0, 1, 2, 3, 0)
    assert forest.parent == (2, -1, -1, 0, 1)  # under its closest parent, with its child
    assert forest.children == ((3,), (4,), (0,), (), ())
    assert forest.chunks == ((0, 1, 2), (0,), (1,), (2,))
    assert forest.roots == [1, 2]
    assert forest.ancestors(3, 1) == [0]
    assert forest.ancestors(3, 9) == [0, 2]
    assert forest.descendants(2, 1) == [0]
    assert forest.descendants(2, 2) == [0, 3]
    assert forest.descendants(2, 0) == []


def test_without_relations_there_are_no_trees():
    forest = entity_trees([])
    assert len(forest) == 0
    assert forest.roots == []
