"""The words by which a sentence is compared with a question, or a statement with its source.

They are for comparing only and never shown: letter case, accents and vowel signs are folded away,
common endings are cut, and scripts written without spaces count as pairs of neighbouring letters.
"""

from __future__ import annotations

import re
import unicodedata

from bridgerag.text import STOP_WORDS

__all__ = ["content_words", "numbers"]

# Scripts that set no spaces between words: Thai to Burmese, Khmer, kana, Han.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_UNSPACED += r"\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"\d+(?:[.,]\d+)*|[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPING = re.compile(r",(?=\d{3}(?!\d))")
_ENGLISH_ENDING = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|s)$")
_ARABIC_ARTICLE = re.compile(r"^(?:[وبكف]?ال|لل)(?=\w{3})")
_PREFIX_LETTERS = 6

# Pairs of letters by which Chinese asks or joins. Others betray themselves by standing in most
# sentences.
_EMPTY_PAIRS = """
什么 哪个 哪些 哪里 多少 什麽 怎么 如何 谁的 是谁 何时 是什 是多 的是 是在
"""


def content_words(text: str) -> frozenset[str]:
    """Return the comparable forms of the words of ``text`` that carry meaning, in any script.

    Numbers are kept whole, without thousands separators. Cost: one pass over the text.
    """
    folded = _fold(text)
    found: set[str] = set()
    for match in _TOKEN.finditer(folded):
        token = match.group()
        if token[0].isdigit():
            found.add(_GROUPING.sub("", token))
        elif _is_unspaced(token):
            pairs = {token[i : i + 2] for i in range(max(1, len(token) - 1))}
            found |= pairs - _EMPTY
        elif token not in _EMPTY:
            found.add(_stem(token))
    return frozenset(found)


def numbers(text: str) -> frozenset[str]:
    """Return the numbers written in digits in ``text``, without thousands separators."""
    return frozenset(_GROUPING.sub("", number) for number in _NUMBER.findall(_fold(text)))


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    bare = (letter for letter in decomposed if not unicodedata.category(letter).startswith("M"))
    return unicodedata.normalize("NFC", "".join(bare))


def _is_unspaced(token: str) -> bool:
    return re.match(rf"[{_UNSPACED}]", token) is not None


def _stem(token: str) -> str:
    """Cut what inflects: an English ending, the Arabic article, all after the sixth letter."""
    bare = _ARABIC_ARTICLE.sub("", _ENGLISH_ENDING.sub("", token))
    return bare[:_PREFIX_LETTERS]


_EMPTY = frozenset(map(_fold, STOP_WORDS)) | frozenset(_EMPTY_PAIRS.split()) | {"many", "much"}
