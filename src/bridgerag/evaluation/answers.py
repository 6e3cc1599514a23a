"""Judge a written answer by its words, and a context by whether the answer stands in it.

`exact_match` and `token_f1` are those of SQuAD (Rajpurkar et al. 2016, evaluation script 1.1); on
ASCII text the values are the same. Beyond ASCII, spellings that Unicode calls equal are equal,
all punctuation goes, and Chinese, Japanese, Thai, ... are compared by character.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from math import nan

from bridgerag.evaluation.words import delete_signs, fold, set_apart, space_signs

__all__ = ["contains_answer", "exact_match", "is_telling", "normalize_answer", "token_f1"]

_ARTICLES = frozenset(("a", "an", "the"))
_UNJUDGED = frozenset(("yes", "no", "maybe", "true", "false"))  # they stand in any text

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_POINTED = re.compile(r"\b(?:[^\W\d_]\.){2,}")  # "U.S."
_DECIMAL = re.compile(r"(?<=\d)[.,](?=\d)")
_POINT = "\u02d1"  # a letter by Unicode, so that a decimal point does not become a space


def normalize_answer(text: str) -> str:
    """Return ``text`` without case, punctuation, English articles and superfluous spaces.

    Punctuation is taken out and nothing put in its place, so "well-known" becomes "wellknown".
    """
    words = fold(delete_signs(fold(text))).split()  # signs may have kept letters apart
    return " ".join(word for word in words if word not in _ARTICLES)


def exact_match(prediction: str, answers: Sequence[str]) -> float:
    """Return 1 if the prediction equals one of the answers once normalised, else 0.

    NaN where there is no answer to compare with.
    """
    if not answers:
        return nan
    return float(normalize_answer(prediction) in set(map(normalize_answer, answers)))


def token_f1(prediction: str, answers: Sequence[str]) -> float:
    """Return the F1 of the normalised words, the best over ``answers``, in [0, 1].

    Words count as often as both have them. Nothing against nothing is 1. NaN without answers.
    """
    predicted = Counter(_tokens(prediction))
    return max((_f1(predicted, Counter(_tokens(answer))) for answer in answers), default=nan)


def contains_answer(text: str, answers: Sequence[str]) -> bool | None:
    """Say whether one of the answers stands in ``text`` word for word: "answer in context".

    Case, punctuation, articles and the commas of thousands do not matter. The answer must begin and
    end at a word's border: "art" is not in "Bart", nor "100" in "100,000" or "1.100". A context can
    hold an answer in other words (then this is False), or by accident (then it is True).

    Returns:
        None where this cannot be judged: no answer is given, or none that `is_telling`: they are
        "yes", "no", "maybe", "true", "false", or a single letter, digit or character, which stand
        in any text. Such answers are passed over where there are others.
    """
    needles = [_words(answer) for answer in answers if is_telling(answer)]
    if not needles:
        return None
    hay = f" {' '.join(_words(text))} "
    return any(f" {' '.join(words)} " in hay for words in needles)


def is_telling(answer: str) -> bool:
    """Say whether finding ``answer`` in a text means something; "yes" and "7" are anywhere."""
    words = _words(answer)
    return len("".join(words)) > 1 and " ".join(words) not in _UNJUDGED


def _tokens(text: str) -> list[str]:
    return set_apart(normalize_answer(text)).split()


def _f1(predicted: Counter[str], wanted: Counter[str]) -> float:
    if not predicted or not wanted:
        return float(predicted == wanted)
    common = (predicted & wanted).total()
    return 2 * common / (predicted.total() + wanted.total())


def _words(text: str) -> list[str]:
    """Return the words of ``text`` in order: here signs separate, unless they are inside one."""
    text = _THOUSANDS.sub("", fold(text))
    text = _POINTED.sub(lambda found: found[0].replace(".", ""), text)
    text = space_signs(_DECIMAL.sub(_POINT, text))
    return [word for word in set_apart(text).split() if word not in _ARTICLES]
