"""Evidence for single chunks: all of them in a small store, candidates in a large one."""

import numpy as np
import pytest

import bridgerag
from bridgerag import Document
from bridgerag.retrieval import evidence
from bridgerag.retrieval.evidence import Evidence
from bridgerag.retrieval.method import Timings

PLACES = ("Harwick", "Ludmoor", "Penhallow", "Skerry", "Tarn")
THINGS = ("lantern", "key", "gate", "gull", "letter", "ship", "keeper", "harbour")
QUESTION = "which brass key opens the gate of Harwick?"


def documents(count=60):
    chance = np.random.default_rng(5)
    for n in range(count):
        words = [str(chance.choice(THINGS)) for _ in range(int(chance.integers(2, 9)))]
        place = f"of {chance.choice(PLACES)}" if n % 3 else ""
        yield Document(f"d{n:02}", "", "", f"The brass {' and '.join(words)} {place}.")


def opened(tmp_path, embedder, batches=1, settings=None):
    bridge = bridgerag.open(tmp_path / f"store{batches}", embedder=embedder, settings=settings)
    everything = list(documents())
    for n in range(batches):
        bridge.add(documents=everything[n::batches])
    return bridge


def asking(bridge, question=QUESTION):
    return bridge._stores.asking(question, None, Timings())


def ids_of(snapshot, found):
    first = np.cumsum([0, *(live.segment.chunks for live in snapshot.segments)])
    named = []
    for number, score in found:
        i = int(np.searchsorted(first, number, side="right")) - 1
        live = snapshot.segments[i]
        place = live.document_of_chunk(number - int(first[i]))
        named.append((live.document(place)[1].id, score))
    return named


@pytest.fixture
def large(monkeypatch):
    """Every store counts as large."""
    monkeypatch.setattr(evidence, "_EXACT", 0)


def test_all_chunks_of_a_small_store_are_scored_as_hybrid_does(tmp_path, hashed):
    with opened(tmp_path, hashed) as bridge:
        hits = bridge.search(QUESTION, method="hybrid", k=20).hits
        with asking(bridge) as (snapshot, question):
            found = Evidence(snapshot, question, np.array([0])).best(20)
            named = ids_of(snapshot, found)
    assert [name for name, _ in named] == [hit.document.id for hit in hits]
    assert [score for _, score in named] == pytest.approx([hit.score for hit in hits], abs=1e-6)


def test_given_room_for_all_then_candidates_score_as_they_would_among_all(tmp_path, hashed, large):
    with opened(tmp_path, hashed) as bridge, asking(bridge) as (snapshot, question):
        every = Evidence(snapshot, question).best(60)
        found = Evidence(snapshot, question, np.arange(60)).best(60)
    assert [number for number, _ in found] == [number for number, _ in every]
    assert [score for _, score in found] == pytest.approx([score for _, score in every], abs=1e-6)


def test_candidates_hold_a_rare_word_or_are_where_a_name_leads(
    tmp_path, hashed, large, monkeypatch
):
    monkeypatch.setattr(evidence, "_POSTINGS", 10)  # room for "Harwick" only
    texts = {document.id: document.text for document in documents()}
    holders = {name for name, text in texts.items() if "Harwick" in text}
    assert 0 < len(holders) <= 10
    expected = holders | {"d00", "d03"}
    with opened(tmp_path, hashed) as bridge, asking(bridge) as (snapshot, question):
        found = Evidence(snapshot, question, np.array([3, 0, 3])).best(len(expected))
        assert {name for name, _ in ids_of(snapshot, found)} == expected
        assert len(Evidence(snapshot, question, np.array([3, 0])).best(60)) == 60


def test_the_best_candidates_do_not_depend_on_the_cut_or_on_what_was_removed(
    tmp_path, hashed, large, monkeypatch
):
    monkeypatch.setattr(evidence, "_POSTINGS", 25)
    monkeypatch.setattr(evidence, "_REACHED", 5)
    answers = []
    for batches in (1, 4):
        with opened(tmp_path, hashed, batches) as bridge:
            for n in range(batches):
                extra = [
                    Document(f"x{n}-{i}", "", "", f"Brass key of Harwick {'tide ' * i}")
                    for i in range(6)
                ]
                bridge.add(documents=extra)
                bridge.remove(*[document.id for document in extra])
            with asking(bridge) as (snapshot, question):
                gathered = Evidence(snapshot, question, leads(snapshot, "d01", "d02"))
                answers.append(ids_of(snapshot, gathered.best(6)))
    assert answers[0] == answers[1]
    assert len(answers[0]) == 6


def test_given_no_name_and_a_caller_content_with_candidates_then_they_hold_a_rare_word(
    tmp_path, hashed, large, monkeypatch
):
    monkeypatch.setattr(evidence, "_POSTINGS", 10)
    holders = {document.id for document in documents() if "Harwick" in document.text}
    with opened(tmp_path, hashed, 2) as bridge, asking(bridge) as (snapshot, question):
        gathered = Evidence(snapshot, question, bounded=True)
        found = gathered.best(len(holders))
        assert {name for name, _ in ids_of(snapshot, found)} == holders
        for number, _ in found:
            live, chunk = snapshot.placed(number)
            place = live.document_of_chunk(chunk)
            assert live.document(place)[1].id in holders
        assert gathered.best(60) == Evidence(snapshot, question).best(60)  # too few


def test_a_question_without_entities_is_answered_by_candidates_in_a_large_store(
    tmp_path, hashed, large, monkeypatch
):
    asked = "who wrote letter after letter?"
    with opened(tmp_path, hashed) as bridge:
        monkeypatch.setattr("bridgerag.retrieval.bridge.recognized", lambda *_: [])
        found = bridge.search(asked, method="bridge", k=3)
        every = bridge.search(asked, method="hybrid", k=3)
    assert found.fallback
    assert [hit.document.id for hit in found.hits] == [hit.document.id for hit in every.hits]
    assert all("letter" in hit.text for hit in found.hits)


def leads(snapshot, *documents):
    first = np.cumsum([0, *(live.segment.chunks for live in snapshot.segments)])
    numbers = []
    for name in documents:
        live, place = snapshot.find(name)
        i = next(i for i, one in enumerate(snapshot.segments) if one.segment is live.segment)
        numbers.append(int(first[i]) + int(live.segment.first_chunk[place]))
    return np.array(numbers)


@pytest.mark.parametrize(
    ("asked", "lead", "count"),
    [
        (QUESTION, [], 5),  # no name
        ("what is brass?", [0], 5),  # no rare word
        (QUESTION, [0], 101),  # more than candidates are gathered for
    ],
)
def test_where_candidates_are_not_enough_all_chunks_are_scored(
    tmp_path, hashed, large, monkeypatch, asked, lead, count
):
    monkeypatch.setattr(evidence, "_POSTINGS", 10)
    with opened(tmp_path, hashed) as bridge, asking(bridge, asked) as (snapshot, question):
        found = Evidence(snapshot, question, np.array(lead, np.int64)).best(count)
        assert found == Evidence(snapshot, question).best(count)
    assert len(found) == min(count, 60)


def test_the_reasons_for_a_chunk_are_the_same_whether_or_not_it_is_a_candidate(
    tmp_path, hashed, large, monkeypatch
):
    monkeypatch.setattr(evidence, "_POSTINGS", 10)
    with opened(tmp_path, hashed, 3) as bridge, asking(bridge) as (snapshot, question):
        every = Evidence(snapshot, question)
        gathered = Evidence(snapshot, question, np.array([0]))
        for number in range(60):
            expected, found = every.origins(number), gathered.origins(number)
            assert [one.kind for one in found] == [one.kind for one in expected]
            assert [one.score for one in found] == pytest.approx(
                [one.score for one in expected], abs=1e-6
            )


def test_a_store_without_vectors_goes_by_words_alone(tmp_path, large):
    plain = bridgerag.Settings(embedding="none")
    with opened(tmp_path, None, settings=plain) as bridge, asking(bridge) as (snapshot, question):
        gathered = Evidence(snapshot, question, np.array([0]))
        (best, score), *_ = gathered.best(3)
        assert score == pytest.approx(0.5)
        assert [one.kind for one in gathered.origins(best)] == ["lexical"]


def test_cosines_with_another_vector_are_those_of_the_chunks(tmp_path, hashed):
    with opened(tmp_path, hashed, 3) as bridge, asking(bridge) as (snapshot, question):
        vector = hashed.embed(["a gull"])[0]
        rows = np.concatenate([live.segment.vectors for live in snapshot.segments])
        some = np.array([59, 0, 31, 30])
        found = Evidence(snapshot, question).cosines(vector, some)
    assert found.tolist() == pytest.approx((rows[some] @ vector).tolist(), abs=1e-3)
