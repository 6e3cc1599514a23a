"""`hybrid` adds BM25 to the cosine, and `bridge` falls back to it."""

import pytest

import bridgerag
from bridgerag import Document

TEXTS = {
    "a": "The brass lantern of Harwick lights the harbour at night.",
    "b": "A brass key opens the harbour gate.",
    "c": "Gulls sleep on the gate when nights are long.",
    "d": "The keeper counts ships and writes letters about gulls.",
    "e": "A brass key opens the harbour gate.",
}
QUESTION = "which brass things are at the harbour?"


class OneAxis:
    """Every text lies near one axis: the cosine tells little, as of a foreign language."""

    name, fingerprint, dim = "axis", "axis-1", 2

    def embed(self, texts, on_done=None):
        import numpy as np

        return np.array([[1.0, 0.0]] * len(texts), np.float32)

    def count_tokens(self, text):
        return len(text.split())


def opened(tmp_path, embedder, *batches):
    bridge = bridgerag.open(tmp_path / "store", embedder=embedder)
    for batch in batches or (TEXTS,):
        bridge.add(documents=[Document(name, "", "", text) for name, text in batch.items()])
    return bridge


def scores(bridge, method, question=QUESTION, **options):
    hits = bridge.search(question, method=method, k=100, **options).hits
    return {hit.document.id: hit.score for hit in hits}


def test_a_score_is_the_cosine_plus_half_of_bm25_over_the_best(tmp_path, hashed):
    with opened(tmp_path, hashed) as bridge:
        cosine, lexical = scores(bridge, "naive"), scores(bridge, "bm25")
        combined = scores(bridge, "hybrid")
    best = max(lexical.values())
    expected = {name: cosine[name] + 0.5 * lexical.get(name, 0.0) / best for name in TEXTS}
    assert combined == pytest.approx(expected, abs=1e-6)
    assert list(combined) == sorted(expected, key=lambda name: (-combined[name], name))


def test_words_decide_where_the_cosine_tells_nothing(tmp_path):
    with opened(tmp_path, OneAxis()) as bridge:
        combined = scores(bridge, "hybrid", "gulls and letters")
    assert list(combined)[:2] == ["d", "c"]
    assert list(combined)[2:] == ["a", "b", "e"]  # a tie, by id


def test_the_cosine_decides_where_no_word_is_shared(tmp_path, hashed):
    with opened(tmp_path, hashed) as bridge:
        assert scores(bridge, "hybrid", "of the and") == scores(bridge, "naive", "of the and")


def test_without_embeddings_it_is_bm25_and_then_the_rest(tmp_path):
    settings = bridgerag.Settings(embedding="none")
    with bridgerag.open(tmp_path / "store", settings=settings) as bridge:
        bridge.add(documents=[Document(name, "", "", text) for name, text in TEXTS.items()])
        lexical, combined = scores(bridge, "bm25"), scores(bridge, "hybrid")
        why = bridge.search(QUESTION, method="hybrid").hits[0].why
    assert list(combined)[: len(lexical)] == list(lexical)
    assert set(combined) == set(TEXTS)
    assert [reason.kind for reason in why] == ["lexical"]


def test_segments_removal_and_filters_change_nothing(tmp_path, hashed):
    kept = {name: text for name, text in TEXTS.items() if name != "b"}
    with opened(tmp_path / "one", hashed, kept) as bridge:
        expected = list(scores(bridge, "hybrid").items())
    parts = [{name: TEXTS[name]} for name in ("e", "b", "d")]
    with opened(tmp_path / "many", hashed, {"a": TEXTS["a"], "c": TEXTS["c"]}, *parts) as bridge:
        assert list(scores(bridge, "hybrid", where='id != "b"').items()) == expected
        bridge.remove("b")
        assert list(scores(bridge, "hybrid").items()) == expected
        assert scores(bridge, "hybrid", where='id = "nothing"') == {}


def test_bridge_falls_back_to_it(tmp_path, hashed):
    with opened(tmp_path, hashed) as bridge:
        question = "what is written at length?"
        fallen = bridge.search(question, method="bridge")
        assert fallen.fallback
        assert fallen.hits == bridge.search(question, method="hybrid").hits
        assert not bridge.search(question, method="hybrid").fallback


def test_the_reasons_are_cosine_and_lexical_match(tmp_path, hashed):
    with opened(tmp_path, hashed) as bridge:
        by_name = {h.document.id: h for h in bridge.search(QUESTION, method="hybrid").hits}
    assert [why.kind for why in by_name["a"].why] == ["dense", "lexical"]
    assert [why.kind for why in by_name["c"].why] == ["dense"]
