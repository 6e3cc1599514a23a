"""BERTScore: how well the tokens of an answer and of a reference match in meaning.

Source: Zhang et al. 2020, *BERTScore: Evaluating Text Generation with BERT*, section 3: every token
is matched with the most similar token of the other side. Without idf weights and without rescaling
against a baseline.

**Values of different models cannot be compared.** Papers use RoBERTa-large or DeBERTa at a tuned
layer; the default here is the last layer of the small model that comes with the package. So print
the model's name beside the values, and compare only what one model gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import NamedTuple

import numpy as np

from bridgerag.evaluation.token_models import MiniLMTokens, TokenModel, TokenStates

__all__ = ["BertScore", "bert_score", "greedy_match"]


class BertScore(NamedTuple):
    """Mean cosines of the best matches, in [-1, 1].

    Attributes:
        precision: over the tokens of the answer.
        recall: over the tokens of the reference.
        f1: their harmonic mean, 0 unless both are above 0.
    """

    precision: float
    recall: float
    f1: float


def bert_score(
    prediction: str, references: Sequence[str], model: TokenModel | None = None
) -> BertScore:
    """Return the score against the reference with the best F1; all NaN where there is none.

    What the model's tokenizer leaves empty scores 0, or 1 against what is as empty. A model reads
    the beginning of a text: the default the first 254 tokens.

    Args:
        model: gives the tokens' vectors; make one and keep it. By default MiniLM, made anew.

    Raises:
        ModelError: the model cannot be used.
    """
    if not references:
        return BertScore(nan, nan, nan)
    model = model or MiniLMTokens()
    said = model.token_states(prediction)
    scores = (greedy_match(said, model.token_states(reference)) for reference in references)
    return max(scores, key=lambda score: score.f1)


def greedy_match(candidate: TokenStates, reference: TokenStates) -> BertScore:
    """Return the score of two texts by the vectors of their tokens.

    Args:
        candidate: shape (m, dim), rows of any length but not 0.
        reference: shape (n, dim).

    Cost: O(m · n · dim).
    """
    if not len(candidate) or not len(reference):
        value = float(len(candidate) == len(reference))
        return BertScore(value, value, value)
    cosines = _unit(candidate) @ _unit(reference).T
    precision = float(cosines.max(axis=1).mean())
    recall = float(cosines.max(axis=0).mean())
    if precision <= 0 or recall <= 0:
        return BertScore(precision, recall, 0.0)
    return BertScore(precision, recall, 2 * precision * recall / (precision + recall))


def _unit(states: TokenStates) -> TokenStates:
    rows: TokenStates = states / np.linalg.norm(states, axis=1, keepdims=True)
    return rows
