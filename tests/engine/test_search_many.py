"""Many questions at once: the same as one by one, in their order, whatever the method."""

from functools import partial
from time import sleep

import pytest

import bridgerag
from bridgerag.engine import many
from bridgerag.errors import InputError, ModelError
from bridgerag.retrieval import METHODS, Found

PEOPLE = ["Zorvex Quillan", "Mirthe Okonda", "Brandor Pellix", "Ilse Varrow"]
ASKED = [
    "Where was Zorvex Quillan born?",
    "Who is nobody at all?",
    "What did Mirthe Okonda say to Brandor Pellix?",
    "Where does Ilse Varrow live?",
    "Where was Zorvex Quillan born?",
] * 3


def diary(person, number):
    text = " ".join(f"{person} was in town {i % 7} with {PEOPLE[i % 4]}." for i in range(20))
    return bridgerag.Document(
        f"{person} {number}", person, "", text, metadata={"year": 2000 + number}
    )


@pytest.fixture
def bridge(tmp_path, hashed):
    how = bridgerag.Settings(embedding="none", chunk_tokens=12, window=2, branching=2)
    with bridgerag.open(tmp_path / "store", settings=how, embedder=hashed) as opened:
        for number in range(2):  # two segments
            opened.add(documents=[diary(person, number) for person in PEOPLE])
        yield opened


class Parts:
    """Parts the work of an embedder, last questions first, and says how it was done."""

    def __init__(self, embedder, seconds=0.0, broken=None):
        self.embedder, self.seconds, self.broken = embedder, seconds, broken
        self.sizes, self.running, self.at_once = [], [], []

    def __call__(self, texts, most):
        numbers = list(range(len(texts)))[::-1]
        parts = [numbers[at : at + most] for at in range(0, len(texts), most)]
        return [(part, partial(self.embed, [texts[n] for n in part])) for part in parts]

    def embed(self, texts):
        self.sizes.append(len(texts))
        self.running.append(None)
        self.at_once.append(len(self.running))
        sleep(self.seconds)
        self.running.pop()
        if self.broken in texts:
            raise ModelError("the embedder", "no luck", "try again")
        return self.embedder.embed(texts)


def told(context):
    """Return all of a context but the times."""
    return (
        context.question, context.method, context.depth, context.depth_why, context.fallback,
        context.hits, context.abstracts, context.entities, context.background,
    )  # fmt: skip


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("workers", [1, 3])
def test_many_questions_get_what_each_would_get_alone(bridge, method, workers):
    alone = [bridge.search(question, k=3, method=method) for question in ASKED]
    together = bridge.search_many(ASKED, k=3, method=method, workers=workers)
    assert [told(context) for context in together] == [told(context) for context in alone]


def test_a_filter_and_a_chosen_depth_count_for_all(bridge):
    options = {"k": 4, "depth": "auto", "method": "bridge", "where": "year = 2001"}
    alone = [bridge.search(question, **options) for question in ASKED]
    together = bridge.search_many(ASKED, **options)
    assert [told(context) for context in together] == [told(context) for context in alone]
    assert {hit.document.id[-1] for context in together for hit in context.hits} == {"1"}


def test_every_context_has_its_own_times(bridge):
    together = bridge.search_many(ASKED, method="bridge")
    assert len({id(context.timings_ms) for context in together}) == len(ASKED)
    for context in together:
        parts = [ms for stage, ms in context.timings_ms.items() if stage != "total"]
        assert 0 < sum(parts) <= context.timings_ms["total"]


def test_questions_are_embedded_by_blocks(bridge, hashed, monkeypatch):
    sizes = []
    embed = hashed.embed

    def counted(texts, on_done=None):
        sizes.append(len(texts))
        return embed(texts)

    monkeypatch.setattr(hashed, "embed", counted)
    bridge.search_many(ASKED * 100, method="bridge", workers=1)
    assert sum(sizes) == len(ASKED) * 100
    assert len(sizes) < 10


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_questions_that_the_embedder_parts_get_the_same(bridge, hashed, monkeypatch, workers):
    alone = [bridge.search(question, k=3, method="bridge") for question in ASKED]
    monkeypatch.setattr(hashed, "parts", Parts(hashed), raising=False)
    together = bridge.search_many(ASKED, k=3, method="bridge", workers=workers)
    assert [told(context) for context in together] == [told(context) for context in alone]


def test_parts_are_small_and_embedded_by_threads_as_many_as_cores(bridge, hashed, monkeypatch):
    parts = Parts(hashed, seconds=0.001)
    monkeypatch.setattr(hashed, "parts", parts, raising=False)
    monkeypatch.setattr(many, "usable_cores", lambda: 2)
    bridge.search_many(ASKED * 20, method="bridge", workers=8)
    assert 1 < max(parts.sizes) <= 16
    assert max(parts.at_once) == 2
    bridge.search_many(ASKED[:8], method="bridge", workers=2)
    assert parts.sizes[-8:] == [1] * 8


def test_an_error_of_a_part_comes_out_and_ends_the_others(bridge, hashed, monkeypatch):
    parts = Parts(hashed, seconds=0.001, broken=ASKED[1])
    monkeypatch.setattr(hashed, "parts", parts, raising=False)
    with pytest.raises(ModelError, match="no luck"):
        bridge.search_many([ASKED[0], *[ASKED[1]] * 1000], method="bridge", workers=2)
    assert len(parts.at_once) < 20
    monkeypatch.delattr(hashed, "parts")
    assert bridge.search_many(ASKED[:1], method="bridge")[0].hits


def test_no_questions_give_no_contexts(bridge):
    assert bridge.search_many([]) == []


@pytest.mark.parametrize(
    ("questions", "options", "why"),
    [
        (["What?", " "], {}, "the question is ''"),
        (["What?"], {"k": 0}, "k is 0"),
        (["What?"], {"depth": -1}, "depth is -1"),
        (["What?"], {"method": "guess"}, "method is 'guess'"),
        (["What?"], {"workers": 0}, "workers is 0; it must be between 1 and 64"),
        (["What?"], {"workers": 65}, "workers is 65; it must be between 1 and 64"),
        ("What?", {}, "questions is 'What[?]'; it must be a sequence of questions"),
    ],
)
def test_what_search_would_refuse_is_refused_before_anything_is_searched(
    bridge, questions, options, why
):
    with pytest.raises(InputError, match=why):
        bridge.search_many(questions, **options)


def test_an_error_of_a_method_comes_out_and_the_store_goes_on(bridge):
    def broken(snapshot, question, k, depth, timings):
        raise RuntimeError("no luck")

    bridge.use("broken", broken)
    with pytest.raises(RuntimeError, match="no luck"):
        bridge.search_many(ASKED, method="broken", workers=2)
    assert bridge.search_many(ASKED[:1], method="bridge")[0].hits


def test_after_an_error_no_thread_goes_on(bridge):
    seen = []

    def broken(snapshot, question, k, depth, timings):
        if question.text == ASKED[0]:
            raise RuntimeError("no luck")
        seen.append(question.text)
        sleep(0.002)  # long enough to be searched side by side
        return Found([], [], fallback=False)

    bridge.use("broken", broken)
    questions = [*[ASKED[1]] * 40, ASKED[0], *[ASKED[1]] * 5000]
    with pytest.raises(RuntimeError, match="no luck"):
        bridge.search_many(questions, method="broken", workers=2)
    assert len(seen) < 100


def test_long_searches_run_side_by_side(bridge):
    running, at_once = [], []

    def long(snapshot, question, k, depth, timings):
        running.append(None)
        sleep(0.005)
        at_once.append(len(running))
        running.pop()
        return Found([], [], fallback=False)

    bridge.use("long", long)
    for count in (100, 8):
        at_once.clear()
        bridge.search_many(ASKED[:1] * count, method="long", workers=2)
        assert max(at_once) == 2


def test_several_stores_are_searched_as_one(bridge, tmp_path, hashed):
    settings = bridgerag.Settings(embedding="none", chunk_tokens=12, window=2, branching=2)
    with bridgerag.open(tmp_path / "other", settings=settings, embedder=hashed) as second:
        second.add(documents=[diary(PEOPLE[0], 9)])
    with bridgerag.open(bridge.path, tmp_path / "other", embedder=hashed) as both:
        alone = [both.search(question, k=40, method="bridge") for question in ASKED]
        together = both.search_many(ASKED, k=40, method="bridge", workers=2)
        assert [told(context) for context in together] == [told(context) for context in alone]
        assert f"{PEOPLE[0]} 9" in {hit.document.id for context in together for hit in context.hits}
