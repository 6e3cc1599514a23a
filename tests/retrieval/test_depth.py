"""The depth that is chosen for a question: from what its entities open, and how it asks."""

import pytest

import bridgerag
from bridgerag.errors import InputError

HOW = bridgerag.Settings(embedding="none", chunk_tokens=8, window=2, branching=2)
RARE = "Where is the Amber Lantern kept?"
COMMON = "What did Zorvex Quillan say?"


@pytest.fixture
def bridge(tmp_path, hashed):
    """A document of 64 chunks: one entity in one of them, another in every fourth."""

    def sentence(number):
        name = "Zorvex Quillan" if number % 4 == 0 else "Somebody Else"
        name = "Amber Lantern" if number == 33 else name
        return f"On day {number} it was {name} again."

    text = " ".join(map(sentence, range(64)))
    with bridgerag.open(tmp_path / "store", settings=HOW, embedder=hashed) as opened:
        opened.add(documents=[bridgerag.Document("d", "Diary", "", text)])
        assert opened.status().chunks == 64
        yield opened


@pytest.mark.parametrize(
    ("question", "k", "depth", "why"),
    [
        (COMMON, 1, 0, "open 32 chunks there, and 10 are enough"),
        (COMMON, 4, 1, "open 64 chunks there, and 40 are enough"),
        (RARE, 1, 2, "open 8 chunks there, fewer than 10"),
        ("Who is Nobody Known here?", 1, 2, "no entity of the question leads anywhere"),
    ],
)
def test_given_auto_then_the_depth_is_what_the_entities_need(bridge, question, k, depth, why):
    chosen = bridge.search(question, k=k, depth="auto", method="bridge")
    assert chosen.depth == depth
    assert why in chosen.depth_why


@pytest.mark.parametrize(
    ("method", "depth", "why"),
    [
        ("cft", 1, "cft needs one step from the question's entities"),
        ("tree", 1, "tree needs one step"),
        ("naive", 2, "the usual one, as naive has no rule of its own"),
        ("walk", 2, "walk goes by no depth"),
    ],
)
def test_given_auto_and_another_method_then_it_is_that_methods(bridge, method, depth, why):
    chosen = bridge.search(COMMON, depth="auto", method=method)
    assert chosen.depth == depth
    assert why in chosen.depth_why


@pytest.mark.parametrize("question", [RARE, COMMON])
@pytest.mark.parametrize("method", ["bridge", "cft", "tree", "naive"])
def test_given_auto_then_the_search_is_the_one_with_that_depth(bridge, question, method):
    chosen = bridge.search(question, k=3, depth="auto", method=method)
    fixed = bridge.search(question, k=3, depth=chosen.depth, method=method)
    assert (chosen.hits, chosen.abstracts) == (fixed.hits, fixed.abstracts)
    assert fixed.depth_why == ""


def test_given_neither_a_number_nor_auto_then_it_is_refused(bridge):
    with pytest.raises(InputError, match="depth is 'deep'; it must be 0 or more, or auto"):
        bridge.search(RARE, depth="deep")
    with pytest.raises(InputError, match="depth is -1"):
        bridge.search(RARE, depth=-1)


def test_given_two_stores_then_what_both_open_counts(bridge, tmp_path, hashed):
    with bridgerag.open(bridge.path, bridge.path, embedder=hashed) as twice:
        chosen = twice.search(COMMON, k=1, depth="auto", method="bridge")
        assert "64 chunks there" in chosen.depth_why
