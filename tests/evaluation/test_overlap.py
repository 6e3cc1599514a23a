import subprocess
import sys
from math import isnan

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from bridgerag.errors import InputError
from bridgerag.evaluation.overlap import Rouge, corpus_bleu, rouge, sentence_bleu

words = st.sampled_from(
    [
        "the",
        "cats",
        "sitting",
        "U.S.",
        "3.5",
        "1,000",
        "tower-built",
        "Paris",
        "running",
        "_x_",
        "it's",
    ]
)
texts = st.lists(words, min_size=1, max_size=12).map(" ".join)


@limits(max_examples=60)
@given(texts, texts)
def test_english_rouge_is_that_of_rouge_score_with_its_stemmer(prediction, reference):
    own = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True).score(reference, prediction)
    assert rouge(prediction, [reference]) == Rouge(
        *(own[name].fmeasure for name in ("rouge1", "rouge2", "rougeL"))
    )


@limits(max_examples=60)
@given(texts, texts)
def test_english_bleu_is_that_of_sacrebleu(prediction, reference):
    own = sacrebleu.metrics.BLEU(effective_order=True).sentence_score(prediction, [reference])
    assert sentence_bleu(prediction, [reference]) == own.score / 100


def test_rouge_worked_by_hand():
    found = rouge("the cat sat on the mat", ["the cat is on the mat"])
    assert found == pytest.approx((5 / 6, 3 / 5, 5 / 6))


def test_each_value_takes_its_best_reference():
    found = rouge("the cat sat", ["the cat", "sat cat the sat"])
    assert found.rouge1 == pytest.approx(6 / 7)  # of the second
    assert found.rouge2 == pytest.approx(2 / 3)  # of the first
    assert sentence_bleu("the cat sat", ["a dog", "the cat sat"]) == pytest.approx(1)


@pytest.mark.parametrize(
    "text", ["猫坐在垫子上", "кошка сидит", "القطة على السجادة", "बिल्ली बैठी है", "café"]
)
def test_text_in_any_script_matches_itself_and_nothing_else(text):
    assert rouge(text, [text]).rouge1 == 1
    assert rouge(text, ["nothing alike"]).rouge1 == 0
    assert sentence_bleu(text, [text]) == pytest.approx(1)


def test_chinese_is_compared_by_character():
    assert rouge("猫坐在垫子上", ["猫在垫子上"]).rouge1 == pytest.approx(2 * 5 / (6 + 5))
    prediction, reference = "黑豹队的防守只丢了 308分。", "黑豹队的防守丢了308分。"
    own = sacrebleu.sentence_bleu(prediction, [reference], tokenize="zh", use_effective_order=True)
    assert sentence_bleu(prediction, [reference]) == pytest.approx(own.score / 100)


def test_corpus_bleu_is_that_of_sacrebleu_with_references_of_unlike_number():
    said = ["the cat sat on the mat", "a dog barked at the moon", "unjudged"]
    wanted = [["the cat sat on a mat", "a cat sat on the mat"], ["the dog barked at the moon"], []]
    own = sacrebleu.corpus_bleu(
        said[:2], [[wanted[0][0], wanted[1][0]], [wanted[0][1], None]], force=True
    )
    assert corpus_bleu(said, wanted) == pytest.approx(own.score / 100)
    with pytest.raises(InputError, match="lists of references is 1"):
        corpus_bleu(said, [["x"]])


def test_nothing_said_is_worth_nothing_and_no_reference_has_no_value():
    assert rouge("", ["x y"]) == (0, 0, 0)
    assert sentence_bleu("", ["x y"]) == 0
    assert all(map(isnan, rouge("x", [])))
    assert isnan(sentence_bleu("x", []))
    assert isnan(corpus_bleu(["x"], [[]]))


def test_without_the_extra_the_command_that_installs_it_is_named():
    code = (
        "import sys; sys.modules.update({'rouge_score': None, 'sacrebleu': None})\n"
        "from bridgerag.evaluation import overlap\n"
        "for call in (overlap.rouge, overlap.sentence_bleu):\n"
        "    try: call('x', ['y'])\n"
        "    except overlap.MissingExtra as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("pip install 'bridgerag[eval]'") == 2
