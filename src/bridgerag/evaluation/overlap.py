"""Overlap of a written answer with reference answers: ROUGE and BLEU.

Both come from the packages by which papers report them: rouge-score (Lin 2004) and sacrebleu
(Papineni et al. 2002; Post 2018), in the extra ``eval``. On ASCII text the values are theirs
unchanged. Beyond ASCII, rouge-score's own tokenizer would drop every letter, so words are cut by
Unicode here; and text in scripts without spaces is cut into characters for both.

All values lie in [0, 1]. Of several references the best one counts. NaN where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import zip_longest
from math import nan
from typing import TYPE_CHECKING, NamedTuple

from bridgerag.errors import InputError, MissingExtra
from bridgerag.evaluation.words import fold, set_apart, space_signs

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenizers import DefaultTokenizer
    from sacrebleu.metrics.bleu import BLEU

__all__ = ["Rouge", "corpus_bleu", "rouge", "sentence_bleu"]


class Rouge(NamedTuple):
    """F-measures: of words, of pairs of words, of the longest common subsequence."""

    rouge1: float
    rouge2: float
    rougeL: float


def rouge(prediction: str, references: Sequence[str]) -> Rouge:
    """Return ROUGE-1, -2 and -L, with Porter's stemmer on English words.

    Each of the three takes the reference that is best for it.

    Raises:
        MissingExtra: rouge-score is not installed.
    """
    if not references:
        return Rouge(nan, nan, nan)
    scores = _rouge_scorer().score_multi(list(references), prediction)
    return Rouge(*(float(scores[name].fmeasure) for name in Rouge._fields))


def sentence_bleu(prediction: str, references: Sequence[str]) -> float:
    """Return BLEU-4 of one answer: 13a tokens, case kept, exponential smoothing, effective order.

    Effective order means that an answer of two words is judged by its words and pairs alone.

    Raises:
        MissingExtra: sacrebleu is not installed.
    """
    score = _bleu(effective_order=True).sentence_score
    said = set_apart(prediction)
    return max((score(said, [set_apart(text)]).score / 100 for text in references), default=nan)


def corpus_bleu(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return BLEU-4 of all answers together, which is not the mean of their own values.

    Here all references of an answer count together, as in BLEU's definition. Answers without a
    reference are left out.

    Args:
        references: those of each prediction, as many lists as predictions.

    Raises:
        MissingExtra: sacrebleu is not installed.
    """
    if len(predictions) != len(references):
        expected = f"{len(predictions)}, one list for each prediction"
        raise InputError("the number of lists of references", len(references), expected)
    pairs = [(said, texts) for said, texts in zip(predictions, references, strict=True) if texts]
    if not pairs:
        return nan
    said = [set_apart(prediction) for prediction, _ in pairs]
    # sacrebleu wants all first references, then all second ones, None where there is none.
    lists = ([set_apart(text) for text in texts] for _, texts in pairs)
    columns = [list(column) for column in zip_longest(*lists)]
    return float(_bleu(effective_order=False).corpus_score(said, columns).score) / 100


@cache
def _rouge_scorer() -> RougeScorer:
    try:
        from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415 - an extra, and heavy
        from rouge_score.tokenizers import DefaultTokenizer  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("ROUGE", "eval") from error
    return RougeScorer(
        list(Rouge._fields), tokenizer=_AnyScript(DefaultTokenizer(use_stemmer=True))
    )


class _AnyScript:
    """A tokenizer as rouge-score asks for one: its own for English words, Unicode for others."""

    def __init__(self, english: DefaultTokenizer) -> None:
        self._english = english

    def tokenize(self, text: str) -> list[str]:
        words = set_apart(space_signs(fold(text))).split()
        return [
            token
            for word in words
            for token in (self._english.tokenize(word) if word.isascii() else (word,))
        ]


@cache
def _bleu(effective_order: bool) -> BLEU:
    try:
        from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("BLEU", "eval") from error
    return BLEU(effective_order=effective_order)
