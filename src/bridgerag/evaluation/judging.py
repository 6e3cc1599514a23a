"""All metrics of one question: the documents found, the prompt, the answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bridgerag.errors import MissingExtra
from bridgerag.evaluation.answering import shown_texts
from bridgerag.evaluation.answers import contains_answer, exact_match, token_f1
from bridgerag.evaluation.bertscore import bert_score
from bridgerag.evaluation.overlap import rouge, sentence_bleu
from bridgerag.evaluation.questions import QuestionItem
from bridgerag.evaluation.ranking import ndcg_at, precision_at, recall_at, reciprocal_rank
from bridgerag.evaluation.token_models import TokenModel
from bridgerag.generation.prompt import Prompt

__all__ = ["Judge", "overlap_missing"]


def overlap_missing() -> str | None:
    """Return why ROUGE and BLEU cannot be had, or None."""
    try:
        rouge("a", ["a"])
        sentence_bleu("a", ["a"])
    except MissingExtra as error:
        return str(error)
    return None


@dataclass(frozen=True, slots=True)
class Judge:
    """What is measured besides the metrics that cost nothing.

    Attributes:
        overlap: ROUGE and BLEU, which need the extra ``eval``.
        token_model: gives BERTScore; None leaves it out.
    """

    overlap: bool = True
    token_model: TokenModel | None = None

    def metrics(
        self, item: QuestionItem, ranked: Sequence[str], prompt: Prompt, answer: str | None
    ) -> dict[str, float]:
        """Return the metrics by their keys in `COLUMNS`; those that do not apply are left out."""
        found = {
            **{f"recall@{k}": recall_at(ranked, item.gold_ids, k) for k in (2, 5, 10)},
            "precision@5": precision_at(ranked, item.gold_ids, 5),
            "ndcg@10": ndcg_at(ranked, item.gold_ids, 10),
            "mrr": reciprocal_rank(ranked, item.gold_ids),
            "prompt_tokens": float(prompt.tokens),
        }
        contained = contains_answer(shown_texts(prompt), item.answers)
        if contained is not None:
            found["in_context"] = float(contained)
        if answer is not None:
            found |= self._of_answer(item.answers, answer)
        return {name: value for name, value in found.items() if not math.isnan(value)}

    def _of_answer(self, answers: Sequence[str], answer: str) -> dict[str, float]:
        found = {"em": exact_match(answer, answers), "f1": token_f1(answer, answers)}
        if self.overlap:
            found |= rouge(answer, answers)._asdict()
            found["bleu"] = sentence_bleu(answer, answers)
        if self.token_model is not None and answers:
            found["bertscore"] = bert_score(answer, answers, self.token_model).f1
        return found
