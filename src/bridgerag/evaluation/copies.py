"""Find questions and answers that were copied into documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np

from bridgerag.entities.tokens import TOKEN, is_han, is_word
from bridgerag.evaluation.answers import is_telling
from bridgerag.evaluation.phrases import RUN, KnownRuns, Phrases, WordKeys, holds
from bridgerag.evaluation.questions import QuestionItem
from bridgerag.types import Keys

__all__ = ["Copies", "Copy", "Text"]

_LETTERS = 12  # shorter questions stand in a text by accident
_HAN_LETTERS = 2  # what a Han character counts
_LONG_RUN = 6  # words
_NEAR = 30  # words between a question and its answer
_BESIDE = 4  # the same for answers that stand anywhere, such as "yes"
_LONG_ANSWER = 12  # words; shorter ones are repeated by honest documents


class Text(Protocol):
    """What is looked at of a document."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def title(self) -> str:
        """Its title, read as if it stood above the text."""

    @property
    def text(self) -> str:
        """Its text."""


class Copy(NamedTuple):
    """Something of a question in a document.

    Attributes:
        kind: ``"pair"``, ``"question"`` or ``"answer"``, see `Copies.read`.
        answer: the answer that was found, None with ``"question"``.
    """

    kind: Literal["pair", "question", "answer"]
    question: str
    document: str
    answer: str | None


class Copies:
    """Looks for copies in one document after the other, and keeps count of repeated runs."""

    def __init__(self, questions: Sequence[QuestionItem]) -> None:
        """Prepare. Cost: linear in the questions."""
        self._keys = WordKeys()
        asked: dict[bytes, list[QuestionItem]] = defaultdict(list)
        answers: dict[bytes, list[tuple[QuestionItem, str]]] = defaultdict(list)
        for item in questions:
            if _says_enough(item.question):
                asked[self._keys(item.question).tobytes()].append(item)
            for answer in filter(is_telling, item.answers):
                answers[self._keys(answer).tobytes()].append((item, answer))
        self._asked = list(asked.values())
        self._questions = Phrases(texts := [_unpacked(key) for key in asked])
        self._answers = answers
        self._long = [key for key in answers if _unpacked(key).size >= _LONG_ANSWER]
        self._long_answers = Phrases([_unpacked(key) for key in self._long])
        self._runs = KnownRuns(texts, _LONG_RUN)
        self._met = np.zeros(len(self._runs), np.bool_)

    def read(self, document: Text) -> Iterator[Copy]:
        """Yield the copies in a document, one at most for each question and kind.

        A ``"question"`` stands there word for word, or is a ``"pair"`` with an answer at most 30
        words away. An ``"answer"`` is all that the document says; or it has twelve words or more
        and stands in a document that is not gold for its question, though others are.

        Cost: linear in the document's length, about 0.1 microseconds a character.
        """
        text = self._keys(document.text)
        keys = np.concatenate([self._keys(document.title), text])
        self._met[self._runs.met_in(keys)] = True
        pairs: dict[str, str | None] = {}
        for number, start, end in self._questions.find(keys):
            for item in self._asked[number]:
                pairs[item.id] = pairs.get(item.id) or self._beside(item, keys, start, end)
        for question, answer in pairs.items():
            yield Copy("question" if answer is None else "pair", question, document.id, answer)
        answers = {item.id: answer for item, answer in self._answers.get(text.tobytes(), ())}
        for number, _, _ in self._long_answers.find(keys):
            for item, answer in self._answers[self._long[number]]:
                if item.gold_ids and document.id not in item.gold_ids:
                    answers[item.id] = answer
        for question, answer in answers.items():
            if question not in pairs:
                yield Copy("answer", question, document.id, answer)

    @property
    def share_met(self) -> float:
        """The share of all runs of six words in the questions that were met in the documents."""
        return float(self._met.mean()) if self._met.size else 0.0

    def _beside(self, item: QuestionItem, keys: Keys, start: int, end: int) -> str | None:
        """Return an answer that stands shortly before or behind ``keys[start:end]``."""
        for answer in item.answers:
            wanted = self._keys(answer)
            reach = wanted.size + (_NEAR if is_telling(answer) else _BESIDE)
            before, behind = keys[max(0, start - reach) : start], keys[end : end + reach]
            if wanted.size and (holds(behind, wanted) or holds(before, wanted)):
                return answer
        return None


def _says_enough(question: str) -> bool:
    """Say whether a question says enough not to stand in a text by accident."""
    words = [token for token in TOKEN.findall(question) if is_word(token)]
    letters = sum(_HAN_LETTERS if is_han(word[0]) else len(word) for word in words)
    return len(words) >= RUN and letters >= _LETTERS


def _unpacked(key: bytes) -> Keys:
    return np.frombuffer(key, np.uint64)
