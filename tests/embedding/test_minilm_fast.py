import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bridgerag
from bridgerag.embedding import open_embedder
from bridgerag.embedding.minilm import MiniLM
from bridgerag.embedding.minilm_fast import FastMiniLM
from bridgerag.errors import MissingExtra, ModelMismatch

needs_openvino = pytest.mark.skipif(
    find_spec("openvino") is None, reason="the extra is absent: pip install 'bridgerag[fast]'"
)
WORDS = ["river", "Paris", "the", "of", "1889", "塔", "برج", "tower-built", "é", "\x00", "."]
TEXTS = [" ".join(WORDS[i % 9] for i in range(n)) for n in (1, 3, 3, 90, 7, 3, 7, 40, 0, 40, 300)]
PASSAGES = [
    "Who designed the Eiffel Tower?",
    "The cathedral of Cologne took six centuries to build.",
    "Engineers of Gustave Eiffel's company drew the plans of the tower in Paris.",
    "Water boils at a lower temperature on high mountains.",
    "The council voted in 1889 to keep the iron bridge over the river, " * 12,
]


@pytest.fixture(scope="module")
def fast():
    return FastMiniLM(workers=2)


@needs_openvino
def test_vectors_are_close_to_those_of_the_default(fast):
    expected, found = MiniLM().embed(PASSAGES), fast.embed(PASSAGES)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-6)
    cosines = (expected * found).sum(axis=1)
    assert cosines.min() > 0.998
    assert int(np.argmax(found[1:] @ found[0])) == 1, "the passage that answers is the nearest"


@needs_openvino
@settings(max_examples=8, deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join), max_size=12))
def test_a_row_depends_on_its_text_alone(fast, texts):
    alone = [fast.embed([text])[0] for text in texts]
    np.testing.assert_array_equal(fast.embed(texts), np.reshape(alone, (-1, 384)))


@needs_openvino
def test_workers_and_threads_do_not_change_a_bit(fast):
    expected = fast.embed(TEXTS)
    np.testing.assert_array_equal(FastMiniLM(workers=1).embed(TEXTS), expected)
    with ThreadPoolExecutor(3) as pool:
        for rows in pool.map(fast.embed, [TEXTS] * 3):
            np.testing.assert_array_equal(rows, expected)


@needs_openvino
def test_threads_do_not_wait_for_each_other_at_a_process_s_first_texts():
    code = (
        "import sys; from bridgerag.embedding.minilm_fast import FastMiniLM;"
        "sys.setswitchinterval(1e-6);"  # so that they meet: four of five such processes stood still
        "FastMiniLM(workers=8).embed(['a ' * n for n in range(200)])"
    )
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code], check=True, timeout=100)


@needs_openvino
def test_what_follows_the_first_256_tokens_is_not_read(fast):
    start = "river " * 254
    rows = fast.embed([start, start + "and a tower of iron", "river " * 253 + "tower"])
    np.testing.assert_array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0], rows[2])


@needs_openvino
def test_padding_is_left_out_of_the_states_of_tokens(fast):
    assert fast.token_states("The tower was opened").shape == (4, 384)
    assert fast.token_states("").shape == (0, 384)


@needs_openvino
def test_no_texts_give_no_rows_and_progress_adds_up(fast):
    done = []
    assert fast.embed([]).shape == (0, 384)
    fast.embed(TEXTS, done.append)
    assert sum(done) == len(TEXTS)


@needs_openvino
def test_embedding_asks_nothing_of_the_network():
    code = (
        "import sys, threading\n"
        "def watch(event, args):\n"
        "    if event.startswith('socket.'): print(event, args)\n"
        "sys.addaudithook(watch)\n"
        "from bridgerag.embedding import open_embedder\n"
        "open_embedder('minilm-fast').embed(['a tower'])\n"
        "for thread in threading.enumerate():\n"
        "    if thread is not threading.current_thread(): thread.join(5)\n"
    )
    seen = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert seen.stdout == ""


@needs_openvino
def test_opening_and_counting_load_no_runtime():
    code = (
        "import sys; from bridgerag.embedding import open_embedder;"
        "e = open_embedder('minilm-fast'); assert e.count_tokens('a tower') == 2;"
        "assert not {'openvino', 'onnxruntime', 'tokenizers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@needs_openvino
def test_a_store_is_built_by_one_and_searched_by_no_other(tmp_path):
    with bridgerag.open(tmp_path, settings=bridgerag.Settings(embedding="minilm-fast")) as bridge:
        bridge.add(documents=[bridgerag.Document("d", "Tower", "", PASSAGES[2])])
        assert bridge.search("Who designed the tower?").hits
    with pytest.raises(ModelMismatch, match="minilm-l6-v2-int8-fast"):
        bridgerag.open(tmp_path, embedder=MiniLM())


def test_without_openvino_the_extra_is_named_before_a_store_is_made(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(MissingExtra, match=r"minilm-fast needs.*pip install 'bridgerag\[fast\]'"):
        open_embedder("minilm-fast")
    settings = bridgerag.Settings(embedding="minilm-fast")
    with (
        bridgerag.open(tmp_path / "new", settings=settings) as bridge,
        pytest.raises(MissingExtra),
    ):
        bridge.add(documents=[bridgerag.Document("d", "Tower", "", "A tower.")])
    assert not (tmp_path / "new").exists()
