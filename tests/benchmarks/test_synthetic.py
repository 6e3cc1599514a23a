"""A synthetic corpus follows from its seed, and its indexes are those of its texts."""

from itertools import pairwise

import numpy as np
import pytest

import bridgerag
from bridgerag.store import Store

CHUNKS = 400


@pytest.fixture(scope="module")
def modules(benchmark):
    names = (
        "_synthetic", "_synthetic_index", "_synthetic_store", "_synthetic_vectors",
        "_synthetic_words",
    )  # fmt: skip
    return {name: benchmark(name) for name in names}


@pytest.fixture(scope="module")
def questions(benchmark):
    return benchmark("_synthetic_questions").questions


@pytest.fixture(scope="module")
def vectors(benchmark):
    return benchmark("_synthetic_vectors").vectors


@pytest.fixture(scope="module")
def made(modules):
    return modules["_synthetic"].Synthetic(CHUNKS, seed=5)


@pytest.fixture(scope="module")
def added(modules, made, tmp_path_factory):
    """A store of the corpus as users make one."""
    path = tmp_path_factory.mktemp("synthetic") / "store"
    with bridgerag.open(path, settings=modules["_synthetic"].SETTINGS) as bridge:
        bridge.add(documents=made.stream())
    return path


@pytest.fixture(scope="module")
def written(modules, made, tmp_path_factory):
    """A store of the corpus from its arrays."""
    path = tmp_path_factory.mktemp("synthetic") / "store"
    modules["_synthetic_store"].make(path, made, 0)
    return path


def segment(path):
    store = Store(path)
    with store.reading() as snapshot:
        (live,) = snapshot.segments
        return live.segment


def test_the_arrays_of_a_corpus_give_the_indexes_that_its_texts_give(added, written):
    one, other = segment(added), segment(written)
    assert one.names.to_bytes() == other.names.to_bytes()
    assert one.lexical.to_bytes() == other.lexical.to_bytes()
    assert one.first_chunk.tolist() == other.first_chunk.tolist()
    assert one.forest.to_bytes() == other.forest.to_bytes()


def test_every_name_leads_to_the_same_documents_in_both(modules, made, added, written):
    keys = np.unique(modules["_synthetic_index"].name_keys(made)[made.mentioned])
    one, other = (segment(path).entities.count_many(keys) for path in (added, written))
    assert (other > 0).all()
    assert np.mean(one > 0) > 0.95  # a store leaves single words out that say little


def test_both_stores_give_the_same_texts_and_the_same_answers(made, added, written, questions):
    with bridgerag.open(added) as one, bridgerag.open(written) as other:
        for document in list(one.documents())[::50]:
            assert one.text(document.id) == other.text(document.id)
        for question in questions(made, 5):
            found = [
                [(h.document.id, h.chunk) for h in bridge.search(question.text, method="bm25").hits]
                for bridge in (one, other)
            ]
            assert found[0] == found[1]


def test_a_store_with_vectors_has_one_a_chunk_and_one_a_document(modules, made, vectors, tmp_path):
    modules["_synthetic_store"].make(tmp_path / "store", made, 24)
    live = segment(tmp_path / "store")
    rows = np.concatenate(list(vectors(made, 24)))
    assert np.array_equal(live.vectors, rows)
    whole = rows[made.first[3] : made.first[4]].astype(np.float32).sum(axis=0)
    assert np.allclose(live.abstract_vectors[3], whole / np.linalg.norm(whole), atol=2e-3)


def test_a_store_in_several_segments_answers_like_one_of_a_single_segment(
    modules, questions, tmp_path, monkeypatch
):
    for module in ("_synthetic", "_synthetic_vectors"):
        monkeypatch.setattr(modules[module], "BLOCK", 50)
    made = modules["_synthetic"].Synthetic(CHUNKS, seed=5)
    modules["_synthetic_store"].make(tmp_path / "one", made, 24, 1)
    modules["_synthetic_store"].make(tmp_path / "three", made, 24, 3)
    model = modules["_synthetic_store"].Model(24)
    with (
        bridgerag.open(tmp_path / "one", embedder=model) as one,
        bridgerag.open(tmp_path / "three", embedder=model) as three,
    ):
        assert [bridge.status().segments for bridge in (one, three)] == [1, 3]
        for question in questions(made, 5):
            for method in ("bm25", "naive", "walk"):
                found = [
                    [(h.document.id, h.chunk) for h in b.search(question.text, method=method).hits]
                    for b in (one, three)
                ]
                assert found[0] == found[1]


def test_a_large_corpus_is_written_in_parts_and_ends_as_one_segment(modules, tmp_path, monkeypatch):
    for module in ("_synthetic", "_synthetic_vectors"):
        monkeypatch.setattr(modules[module], "BLOCK", 50)
    made = modules["_synthetic"].Synthetic(CHUNKS, seed=5)
    modules["_synthetic_store"].make(tmp_path / "one", made, 24, 1)
    monkeypatch.setattr(modules["_synthetic_store"], "_CHUNKS_A_COMMIT", 150)
    modules["_synthetic_store"].make(tmp_path / "merged", made, 24)
    one, merged = segment(tmp_path / "one"), segment(tmp_path / "merged")
    assert merged.number > one.number
    assert one.names.to_bytes() == merged.names.to_bytes()
    assert one.lexical.to_bytes() == merged.lexical.to_bytes()
    assert np.array_equal(one.vectors, merged.vectors)


def test_a_seed_decides_everything(modules, made, questions, vectors):
    Synthetic = modules["_synthetic"].Synthetic
    again, other = Synthetic(CHUNKS, seed=5), Synthetic(CHUNKS, seed=6)
    assert list(again.stream()) == list(made.stream())
    assert questions(again, 9) == questions(made, 9)
    for one, same in zip(vectors(again, 16), vectors(made, 16), strict=True):
        assert np.array_equal(one, same)
    assert next(other.stream()) != next(made.stream())


@pytest.mark.parametrize("chunks", [1, 2, 7, 50])
def test_small_corpora_have_the_chunks_that_are_asked_for(modules, chunks, vectors):
    made = modules["_synthetic"].Synthetic(chunks)
    documents = list(made.stream())
    assert sum(len(document.sections) for document in documents) == chunks
    assert len({document.id for document in documents}) == made.documents
    assert len(np.concatenate(list(vectors(made, 8)))) == chunks


def test_chunks_have_sixty_to_a_hundred_words_and_sections_tile_the_text(made):
    for document in made.stream():
        assert document.sections[0].start == 0
        assert document.sections[-1].end == len(document.text)
        assert all(one.end == two.start for one, two in pairwise(document.sections))
        for section in document.sections:
            assert 60 <= len(document.text[section.start : section.end].split()) <= 100


def test_names_are_used_by_a_power_law(modules):
    made = modules["_synthetic"].Synthetic(5_000)
    times = np.sort(np.bincount(made.mentioned))[::-1]
    assert times[0] > 20 * np.median(times[times > 0])
    assert times[0] < 5_000 / 10


def test_a_question_can_be_followed_through_the_texts(modules, made, questions):
    relations = {asked: said for said, asked in modules["_synthetic_words"].RELATIONS}
    documents = list(made.stream())
    chunks = [d.text[s.start : s.end] for d in documents for s in d.sections]
    asked = questions(made, 20)
    assert len(asked) == 20
    for question in asked:
        words = question.text.split()
        second, first = relations[words[3]], relations[words[6]]
        names = [documents[d].title.split(" (")[0] for d in question.documents]
        assert names[0] in question.text
        assert f"{first} by {names[1]}" in chunks[question.gold[0]]
        assert f"{second} by {names[2]}" in chunks[question.gold[1]]
        assert names[2] in chunks[question.gold[2]]
        assert question.answer == documents[question.documents[2]].title


def test_vectors_are_of_unit_length_and_lie_near_within_a_document(made, vectors):
    rows = np.concatenate(list(vectors(made, 64))).astype(np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=2e-3)
    near = [rows[a] @ rows[a + 1] for a, b in pairwise(made.first) if b - a > 1]
    far = [rows[a] @ rows[b] for a, b in zip(made.first[:-1], made.first[1:-1], strict=False)]
    assert np.mean(near) > 0.7
    assert np.mean(far) < 0.3
