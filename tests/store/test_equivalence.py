"""However a store came to hold its documents, it answers like one built over them at once."""

import re
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from bridgerag.retrieval import METHODS
from crash.toy import NAMES, OtherVectors, ToyVectors, document, open_toy, scratch

QUESTIONS = (
    *(f"What did {name} say?" for name in NAMES),
    "Did Zorvex Quillan meet Brandor Pellix about topic 3?",
    "topic 4 topic 7",
    "Note 3",
    "Who is Nobody Known here?",
    "of the and",
)
FILTERS = (None, 'year >= 2020 and lang = "en"', "not year in (2016, 2017)", 'id = "d003"')
MATCHES = {
    FILTERS[1]: lambda d: d.metadata["year"] >= 2020 and d.metadata["lang"] == "en",
    FILTERS[2]: lambda d: d.metadata["year"] not in (2016, 2017),
    FILTERS[3]: lambda d: d.id == "d003",
    None: lambda d: True,
}
NEED_VECTORS = ("graph", "raptor", "raptor-tree", "tree-ann")  # a store without any is refused
numbers = st.integers(0, 29)


class WithoutVectors(ToyVectors):
    name, fingerprint, dim = "none", "none", 0


class Grown(RuleBasedStateMachine):
    """A store that is changed at random, beside the documents that it should hold."""

    def __init__(self, embedder, windows):
        super().__init__()
        self.embedder, self.windows = embedder, windows
        self.folder = scratch()
        self.grown = self.open("grown")
        self.grown.add()
        self.model = {}
        self.fresh = {}

    def open(self, name):
        return open_toy(Path(self.folder.name) / name, self.embedder, self.windows)

    def teardown(self):
        for where in FILTERS:
            for question in QUESTIONS[::4]:
                self.compare(question, 5, 2, "bridge", where)
        assert self.grown.check().problems == ()
        self.grown.compact()
        assert files(self.grown) == files(self.built_at_once(None))
        for bridge in (self.grown, *self.fresh.values()):
            bridge.close()
        self.folder.cleanup()

    @rule(added=st.lists(numbers, min_size=1, max_size=4), version=st.integers(0, 2))
    def add_or_change(self, added, version):
        self.put(dict.fromkeys(added, version))

    @rule(first=numbers, count=st.integers(10, 25))
    def add_many(self, first, count):
        self.put({number % 30: 0 for number in range(first, first + count)})

    def put(self, versions):
        documents = [document(number, version) for number, version in versions.items()]
        self.grown.add(documents=documents)
        self.change(self.model | {d.id: d for d in documents})

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data):
        names = data.draw(st.lists(st.sampled_from(sorted(self.model)), min_size=1, max_size=6))
        self.grown.remove(*names)
        self.change({name: d for name, d in self.model.items() if name not in names})

    @rule(share=st.sets(st.integers(0, 7), min_size=1))
    def merge(self, share):
        store = self.grown._stores.open()
        with store.reading() as snapshot:
            numbers = [live.segment.number for live in snapshot.segments]
        chosen = [number for place, number in enumerate(numbers) if place in share]
        if chosen:
            with store.writing() as (writer, _):
                writer._merge(chosen)

    @rule()
    def compact(self):
        self.grown.compact()

    @rule()
    def reembed(self):
        other = {"toy": OtherVectors, "toy-wide": ToyVectors, "none": WithoutVectors}
        self.embedder = other[self.embedder.name]()
        self.grown.reembed(self.embedder.name, embedder=self.embedder)
        self.change(self.model)

    @rule()
    def reopen(self):
        self.grown.close()
        self.grown = self.open("grown")

    @rule(
        question=st.sampled_from(QUESTIONS),
        k=st.sampled_from((1, 4, 100)),
        depth=st.sampled_from((0, 1, 2, 9)),
        method=st.sampled_from(sorted(METHODS)),
        where=st.sampled_from(FILTERS),
    )
    def compare(self, question, k, depth, method, where):
        if method in NEED_VECTORS and not self.embedder.dim:
            method = "naive"
        fresh = self.built_at_once(where)
        found = self.grown.search(question, k=k, depth=depth, method=method, where=where)
        expected = fresh.search(question, k=k, depth=depth, method=method)
        assert plain(self.grown, found) == plain(fresh, expected)

    def change(self, model):
        self.model = model
        for bridge in self.fresh.values():
            bridge.close()
        self.fresh = {}

    def built_at_once(self, where):
        """Return a store built from scratch over the documents that a filter lets through."""
        if where not in self.fresh:
            with scratch() as unused:
                name = Path(unused).name
            bridge = self.open(name)
            bridge.add(documents=filter(MATCHES[where], self.model.values()))
            self.fresh[where] = bridge
        return self.fresh[where]


def files(bridge):
    return {p.name: p.read_bytes() for p in bridge.path.glob("segments/*/*")}


def plain(bridge, context):
    """Return a context without what may differ: times, and abstracts by number."""
    named = abstract_names(bridge)
    return {
        "hits": [
            (hit.rank, hit.score, hit.text, hit.document, hit.chunk, hit.start, hit.end,
             [named[a] for a in hit.abstracts], [reason(named, why) for why in hit.why])
            for hit in context.hits
        ],
        "abstracts": [(named[note.id], note.level, note.summary) for note in context.abstracts],
        "entities": [
            (entity.text, entity.ignored, sorted(named[a] for a in entity.abstracts))
            for entity in context.entities
        ],
        "fallback": context.fallback,
    }  # fmt: skip


def reason(named, why):
    text = re.sub(r"abstract \d+", "abstract", why.text)
    return (why.kind, text, why.score, why.entity, named.get(why.seed), named.get(why.abstract),
            why.steps)  # fmt: skip


def abstract_names(bridge):
    """Return document, level and chunks of every abstract by its id."""
    named = {}

    def visit(document, node):
        named[node.id] = (document, node.level, node.first, node.count)
        for child in node.children:
            visit(document, child)

    for ref in bridge.documents():
        visit(ref.id, bridge.tree(ref.id))
    return named


@pytest.mark.parametrize(
    ("embedder", "windows"),
    [(ToyVectors(), "fixed"), (ToyVectors(), "content"), (WithoutVectors(), "fixed")],
    ids=["toy", "toy-content", "none"],
)
def test_after_any_changes_a_search_returns_what_a_store_built_at_once_returns(embedder, windows):
    how = settings(max_examples=10, stateful_step_count=15, deadline=None)
    run_state_machine_as_test(lambda: Grown(embedder, windows), settings=how)
