"""Words as names and terms are compared: without accents, without English endings.

Both work on what `normalize_word` returns. The native `words` does the same for words of ASCII;
tests/entities/test_words.py holds the two together.
"""

from __future__ import annotations

import unicodedata

__all__ = ["plain_word", "same_stem", "stem"]

_SUFFIXES = (
    *("ations", "ation", "ators", "ator", "ments", "ment", "ings", "ing", "ions", "ion", "ors"),
    *("or", "ers", "er", "ies", "ied", "ed", "es", "s", "al", "ly", "e", "y"),
)
_STEM_LETTERS = 4  # that an ending leaves


def plain_word(word: str) -> str:
    """Return a word without its accents, so that "aimée" meets "aimee"; never empty."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFKD", word)
    return "".join(sign for sign in letters if not unicodedata.combining(sign)) or word


def stem(word: str) -> str:
    """Cut an English ending off, so that "director" meets "directed"; other words stay as they are.

    As a term of BM25 it changes nothing; what a question asks with is found beside names by it.
    """
    if not (word.isascii() and word.isalpha()):
        return word
    if len(word) <= _STEM_LETTERS:
        plural = len(word) == _STEM_LETTERS and word.endswith("s") and not word.endswith("ss")
        return word[:-1] if plural else word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM_LETTERS:
            word = word.removesuffix(suffix)
            break
    return word.rstrip("e") if len(word) > _STEM_LETTERS else word


def same_stem(word: str) -> list[str]:
    """Return spellings that may share the stem of a word: the stem with each known ending."""
    base = stem(word)
    return [base, *(base + suffix for suffix in _SUFFIXES)]
