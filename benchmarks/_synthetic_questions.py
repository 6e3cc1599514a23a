"""Questions over two links of a synthetic corpus, with the passages that answer them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks._synthetic import Synthetic
from benchmarks._synthetic_words import RELATIONS

__all__ = ["Asked", "questions"]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question over two hops.

    Attributes:
        documents: the one that it names, the one that this names as asked, and so on.
        gold: the first chunk of each, which leads on.
        answer: the title of the last document.
    """

    text: str
    documents: tuple[int, int, int]
    gold: tuple[int, int, int]
    answer: str


def questions(made: Synthetic, count: int) -> list[Asked]:
    """Return questions, each from a document over two related links to a third.

    All three are the only ones of their names. At most 50 chances are taken for each.
    """
    chance = np.random.default_rng([made.seed, 2])
    alone = np.bincount(made.own, minlength=made.lexicon.length.size)[made.own] == 1
    found: list[Asked] = []
    for start in chance.integers(0, made.documents, 50 * count).tolist():
        if len(found) == count:
            break
        chain = [start]
        steps = []
        for _ in range(2):
            step = _step(made, chance, chain[-1])
            if step is None:
                break
            steps.append(step)
            chain.append(int(made.target[step]))
        if len(set(chain)) == 3 and alone[chain].all():
            found.append(_asked(made, chain, steps))
    return found


def _step(made: Synthetic, chance: np.random.Generator, document: int) -> int | None:
    """Return a clause that links on with a relation of which the document has only one.

    It stands in the first chunk, as in question sets that are made from openings of articles.
    """
    first, end = made.clauses[made.first[document]], made.clauses[made.first[document + 1]]
    opening = made.clauses[made.first[document] + 1] - first
    relation = made.relation[first:end]
    once = np.bincount(relation + 1, minlength=len(RELATIONS) + 1)[relation + 1] == 1
    fit = np.flatnonzero(once[:opening] & (relation[:opening] >= 0))
    return int(first + chance.choice(fit)) if len(fit) else None


def _asked(made: Synthetic, chain: list[int], steps: list[int]) -> Asked:
    first, second = (RELATIONS[int(made.relation[step])][1] for step in steps)
    name = made.lexicon.spelled(int(made.own[chain[0]]))
    text = f"Where was the {second} of the {first} of {name} born?"
    gold = made.first[chain].tolist()
    return Asked(text, tuple(chain), tuple(gold), made.title(chain[2]))
