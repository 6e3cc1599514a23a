"""`bm25` ranks by the textbook's formula, whatever segments the chunks are in."""

import math
import random

import pytest

import bridgerag
from bridgerag import Document

WORDS = ("zorvex", "quillan", "brandor", "pellix", "mirthe", "okonda", "tavish", "ureno")
QUESTION = "Did zorvex meet ureno and pellix?"
ASKED = ("meet", "zorvex", "ureno", "pellix")


def texts(count):
    """Return texts of 2 to 20 words, by id; the last two are equal."""
    chance = random.Random(7)
    found = [" ".join(chance.choices(WORDS, k=chance.randrange(2, 21))) for _ in range(count - 1)]
    return {f"d{n:02}": text for n, text in enumerate([*found, found[-1]])}


def opened(tmp_path, hashed, *batches):
    """Return a store with a segment for each batch of texts."""
    bridge = bridgerag.open(tmp_path / "store", embedder=hashed)
    for batch in batches:
        bridge.add(documents=[Document(name, "", "", text) for name, text in batch.items()])
    return bridge


def by_the_textbook(texts, k1=1.2, b=0.75):
    """Return ids and scores, best first, as a share of the most that the question can get."""
    average = sum(len(text.split()) for text in texts.values()) / len(texts)
    idf = {}
    for word in ASKED:
        df = sum(word in text.split() for text in texts.values())
        idf[word] = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5)) if df else 0.0
    scores = {}
    for name, text in texts.items():
        length = k1 * (1 - b + b * len(text.split()) / average)
        counts = {word: text.split().count(word) for word in ASKED}
        scores[name] = sum(idf[w] * n * (k1 + 1) / (n + length) for w, n in counts.items() if n)
    most = sum(idf.values()) * (k1 + 1)
    return sorted(((n, s / most) for n, s in scores.items() if s), key=lambda x: (-x[1], x[0]))


def found(bridge, question=QUESTION, **options):
    hits = bridge.search(question, method="bm25", **{"k": 100, **options}).hits
    return [(hit.document.id, hit.score) for hit in hits]


@pytest.mark.parametrize("cuts", [(40,), (3, 20, 40), (39, 40)])
def test_order_and_scores_are_the_textbooks(tmp_path, hashed, cuts):
    everything = list(texts(40).items())
    batches = [dict(everything[a:b]) for a, b in zip((0, *cuts[:-1]), cuts, strict=True)]
    with opened(tmp_path, hashed, *batches) as bridge:
        expected = by_the_textbook(texts(40))
        got = found(bridge)
    assert [name for name, _ in got] == [name for name, _ in expected]
    assert [score for _, score in got] == pytest.approx([score for _, score in expected])


def test_what_was_removed_or_filtered_out_weighs_nothing(tmp_path, hashed):
    kept = {name: text for name, text in texts(40).items() if name >= "d15"}
    names = ", ".join(f'"{name}"' for name in kept)
    with opened(tmp_path, hashed, texts(40)) as bridge:
        filtered = found(bridge, where=f"id in ({names})")
        bridge.remove("d0*", "d10", "d11", "d12", "d13", "d14")
        assert found(bridge) == filtered
    expected = by_the_textbook(kept)
    assert [name for name, _ in filtered] == [name for name, _ in expected]
    assert [score for _, score in filtered] == pytest.approx([score for _, score in expected])


def test_equal_scores_are_ordered_by_document_even_across_segments(tmp_path, hashed):
    batches = [{"c": "mirthe okonda"}, {"b": "mirthe okonda"}, {"a": "mirthe okonda"}]
    with opened(tmp_path, hashed, *batches) as bridge:
        assert [name for name, _ in found(bridge, "mirthe?")] == ["a", "b", "c"]
        assert [name for name, _ in found(bridge, "mirthe?", k=2)] == ["a", "b"]


def test_the_title_counts(tmp_path, hashed):
    with opened(tmp_path, hashed, {"a": "tavish ureno"}) as bridge:
        bridge.add(documents=[Document("b", "Pellix", "", "tavish ureno")])
        assert [name for name, _ in found(bridge, "pellix?")] == ["b"]


@pytest.mark.parametrize("question", ["Who is nobody here?", "of the and", "?"])
def test_a_question_that_shares_no_word_finds_nothing(tmp_path, hashed, question):
    with opened(tmp_path, hashed, texts(5)) as bridge:
        context = bridge.search(question, method="bm25")
        assert (context.hits, context.fallback) == ((), False)
        assert bridge.search(QUESTION, method="bm25", where='id = "none"').hits == ()


def test_the_reason_is_the_lexical_match(tmp_path, hashed):
    with opened(tmp_path, hashed, texts(5)) as bridge:
        for hit in bridge.search(QUESTION, method="bm25").hits:
            (why,) = hit.why
            assert (why.kind, why.text) == ("lexical", f"lexical match {hit.score:.3f}")
