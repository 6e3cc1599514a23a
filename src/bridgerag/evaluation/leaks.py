"""Look whether a data set gives its answers away: a comparison on leaked data says nothing.

Each check looks for what honest data hardly shows. A finding is a reason to look, not a verdict: a
corpus of frequently asked questions does hold its questions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, exp, lgamma, log

from bridgerag.evaluation.copies import Copies, Copy, Text
from bridgerag.evaluation.dataset import Dataset
from bridgerag.evaluation.questions import QuestionItem

__all__ = ["Leak", "find_leaks"]

_MADE_OF_QUESTIONS = 0.5  # of the questions' runs of six words; honest data sets have 0.03 to 0.13
_COPIED = 0.2  # of the questions
_DISTANCES = (1, 10)  # places; 10 is how data sets pack a question's paragraphs
_LARGEST_GOLD = 50  # of more gold documents, pairs would be too many
_BY_CHANCE = 1e-6
_FAR_MORE = 3  # times
_LONG_NAME = 8  # letters; shorter ids agree by accident
_NAME_PARTS = 12
_FEW = 3
_NAME_PART = re.compile(r"[^\W_]+")

_Name = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Leak:
    """A sign that retrieval or answering is easier than it should be.

    Attributes:
        kind: ``"question"`` (a question stands in a document), ``"pair"`` (with its answer beside
            it), ``"answer"`` (an answer was copied), ``"corpus"`` (the documents are made of the
            questions), ``"adjacent"`` (the order of the documents tells which belong to one
            question) or ``"id"`` (their ids do).
        question_id: None where it concerns the data set as a whole.
        document_id: the same.
        note: one line for people; text of the data may stand in it.
    """

    kind: str
    question_id: str | None
    document_id: str | None
    note: str


def find_leaks(dataset: Dataset, documents: Iterable[Text]) -> list[Leak]:
    """Return what was found, the data set as a whole first, then by question and document.

    - A question of at least three words and twelve letters stands in a document word for word.
      Where one of its answers stands at most 30 words before or behind it (4 for an answer that
      stands anywhere, such as "yes"), question and answer were copied together.
    - An answer is all that a document says; or an answer of twelve words or more stands in a
      document that is not gold, though others are.
    - A fifth of the questions is copied, or half of the runs of six words in all questions is
      met in the documents.
    - Gold documents of one question are neighbours (at a distance of 1, or of at most 10), in the
      order of the file or of their ids, at least three times as often as chance would have it, and
      chance would do so less than once in a million times.
    - A document's id, or the last part of a path, holds the id of a question. An id of less than
      eight letters counts only in gold documents, and where it happens for 5 % of the questions.

    Args:
        documents: all of them, in file order; each is read once and not kept.

    Cost: linear in the text, about 0.2 microseconds a character.
    """
    search = Copies(dataset.questions)
    names: list[str] = []
    copies: list[Copy] = []
    for document in documents:
        names.append(document.id)
        copies += search.read(document)
    single = [*map(_copied, copies), *_named(dataset.questions, names)]
    return [
        *_made_of_questions(dataset.questions, copies, search.share_met),
        *_adjacent(dataset.questions, names),
        *sorted(single, key=lambda leak: (leak.question_id or "", leak.document_id or "")),
    ]


# ---- copies -------------------------------------------------------------------------------------


def _copied(copy: Copy) -> Leak:
    note = {
        "question": "the question stands in the document",
        "pair": f"the question stands in the document, with its answer {copy.answer!r} beside it",
        "answer": f"the answer {copy.answer!r} was copied into the document",
    }[copy.kind]
    return Leak(copy.kind, copy.question, copy.document, note)


def _made_of_questions(
    questions: Sequence[QuestionItem], copies: Sequence[Copy], share_met: float
) -> Iterator[Leak]:
    copied = len({copy.question for copy in copies if copy.kind != "answer"})
    holders = len({copy.document for copy in copies if copy.kind != "answer"})
    if copied >= max(_FEW, _COPIED * len(questions)):
        note = f"{copied} of {len(questions)} questions stand word for word in {holders} documents"
        yield Leak("corpus", None, None, note)
    elif share_met >= _MADE_OF_QUESTIONS and len(questions) >= _FEW:
        note = f"{share_met:.0%} of all runs of six words in the questions stand in the documents"
        yield Leak("corpus", None, None, note)


# ---- order --------------------------------------------------------------------------------------


def _adjacent(questions: Sequence[QuestionItem], names: Sequence[str]) -> Iterator[Leak]:
    known = set(names)
    golds = {frozenset(known.intersection(item.gold_ids)) for item in questions}
    golds = {gold for gold in golds if 2 <= len(gold) <= _LARGEST_GOLD}
    for order, ordered in {"the file": names, "their ids": sorted(names)}.items():
        if order != "the file" and ordered == names:
            continue
        place = {name: i for i, name in enumerate(ordered)}
        gaps = [abs(place[a] - place[b]) for gold in golds for a, b in combinations(gold, 2)]
        for distance in _DISTANCES:
            near = sum(gap <= distance for gap in gaps)
            share = _chance(len(names), distance)
            if near > _FAR_MORE * share * len(gaps) and _tail(near, share * len(gaps)) < _BY_CHANCE:
                within = "neighbours" if distance == 1 else f"at most {distance} places apart"
                note = (
                    f"in the order of {order}, {near / len(gaps):.1%} of the pairs of documents "
                    f"that are gold for one question are {within}; by chance {share:.1%} would be"
                )
                yield Leak("adjacent", None, None, note)
                break


def _chance(count: int, distance: int) -> float:
    """Return the share of all pairs of ``count`` places that are at most ``distance`` apart."""
    if count <= distance + 1:
        return 1.0
    return (distance * count - distance * (distance + 1) / 2) / comb(count, 2)


def _tail(count: int, mean: float) -> float:
    """Return how likely a Poisson variable of this mean is ``count`` or more (``count`` > mean)."""
    term = exp(count * log(mean) - mean - lgamma(count + 1))
    total = 0.0
    while term > total * 1e-12:
        total += term
        count += 1
        term *= mean / count
    return total


# ---- ids ----------------------------------------------------------------------------------------


def _named(questions: Sequence[QuestionItem], names: Iterable[str]) -> Iterator[Leak]:
    asked = {_parts(item.id): item for item in questions}
    short: list[Leak] = []
    for name in names:
        for part in _stretches(_parts(name.rsplit("/", 1)[-1])):
            if (item := asked.get(part)) is not None:
                note = "the document's id holds the id of the question"
                leak = Leak("id", item.id, name, note)
                if len("".join(part)) >= _LONG_NAME:
                    yield leak
                elif name in item.gold_ids:
                    short.append(leak)
    if len(short) >= max(_FEW, 0.05 * len(questions)):
        yield from short


def _parts(name: str) -> _Name:
    return tuple(_NAME_PART.findall(name.casefold()))


def _stretches(parts: _Name) -> Collection[_Name]:
    """Return all runs of consecutive parts, each once."""
    parts = parts[-_NAME_PARTS:]
    ends = range(len(parts) + 1)
    return dict.fromkeys(parts[start:end] for start, end in combinations(ends, 2))
