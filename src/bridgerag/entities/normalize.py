"""Normalise words and entities: spellings that mean the same get the same key.

NFKC and case folding; a possessive "'s" and an elided article ("l'", "d'", "dell'") go; Arabic
tatweel and vowel signs, Hebrew points, and the Arabic article go; the spellings of alef meet, and
so do Cyrillic ё and е. Letters are never taken away otherwise: "café" stays "café".
"""

from __future__ import annotations

import re
import unicodedata

import numpy as np

from bridgerag import _native
from bridgerag._native import word_key
from bridgerag.entities.tokens import TOKEN, is_word

__all__ = ["entity_key", "normalize", "normalize_word"]

_FOLD = str.maketrans(
    {
        "’": "'",
        "ʼ": "'",
        "أ": "ا",
        "إ": "ا",
        "آ": "ا",
        "ٱ": "ا",
        "ى": "ي",
        "ё": "е",
        "ـ": None,
        " ": None,
    }
)
_POINTS = re.compile(
    "[\u00ad\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u200c\u200d]"
)
_ELISION = re.compile(r"(?:[ldjnsmtc]|qu|dell|all|nell|sull|dall|un)'(?=\w\w)")
_ARTICLE = re.compile("(?:[وبكف]?ال|لل)(?=\\w{3})")
"""Arabic "the", alone or behind "and", "by", "like", "so"; "for the" is spelled "لل"."""


def normalize_word(word: str) -> str:
    """Return the spelling that stands for ``word``, one word as `words` cuts it; never empty."""
    folded = word.casefold()
    if not folded.isascii():
        plain = unicodedata.normalize("NFKC", folded).casefold().translate(_FOLD)
        folded = _POINTS.sub("", plain) or folded
        if "\u0600" <= folded[0] <= "\u06ff":
            return _ARTICLE.sub("", folded, count=1) if _ARTICLE.match(folded) else folded
    if "'" in folded:
        folded = folded.removesuffix("'s") or folded
        if (elided := _ELISION.match(folded)) is not None:
            folded = folded[elided.end() :]
    if "." in folded and not folded[0].isdigit():
        folded = folded.replace(".", "")
    return folded


def normalize(text: str) -> str:
    """Return the words of ``text``, normalised, with one space between them."""
    return " ".join(normalize_word(token) for token in TOKEN.findall(text) if is_word(token))


def entity_key(text: str) -> int:
    """Return the key of the entity that ``text`` names; `EMPTY_ENTITY` when it has no word."""
    words = [word_key(word) for word in normalize(text).split(" ") if word]
    return _native.entity_key(np.array(words, np.uint64))
