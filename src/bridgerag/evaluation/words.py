"""Cut text into words for comparing answers, in any script.

Answers are compared by spelling, so this follows the field's scripts (SQuAD, ROUGE) and not the
index's own idea of a word. Scripts written without spaces are cut into single characters.
"""

from __future__ import annotations

import re
import string
import unicodedata

__all__ = ["delete_signs", "fold", "set_apart", "space_signs"]

# Thai, Lao, Burmese, Khmer; CJK signs, kana, Han; full-width forms.
_UNSPACED = re.compile(
    "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff01-\uff9f\U00020000-\U0003ffff]"
)


def fold(text: str) -> str:
    """Return ``text`` in the one spelling that compares equal: NFKC, case folded."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def set_apart(text: str) -> str:
    """Return ``text`` with spaces around each character of a script that is written without."""
    return text if text.isascii() else _UNSPACED.sub(r" \g<0> ", text)


def delete_signs(text: str) -> str:
    """Return ``text`` without punctuation, currency signs and invisible signs.

    Of ASCII, these are the signs in `string.punctuation`.
    """
    return text.translate(_DELETED)


def space_signs(text: str) -> str:
    """Return ``text`` with a space for every sign that is no letter, mark or digit."""
    return text.translate(_SPACED)


class _Deleted(dict[int, int | None]):
    """A table for `str.translate` that fills itself."""

    def __missing__(self, code: int) -> int | None:
        sign = chr(code)
        kind = unicodedata.category(sign)
        gone = kind[0] == "P" or kind in ("Sc", "Cf") or sign in string.punctuation
        self[code] = None if gone else code
        return self[code]


class _Spaced(dict[int, int | None]):
    """The same; marks, such as the vowels of Hindi, belong to their letters."""

    def __missing__(self, code: int) -> int | None:
        kind = unicodedata.category(chr(code))
        self[code] = None if kind == "Cf" else code if kind[0] in "LMN" else ord(" ")
        return self[code]


_DELETED, _SPACED = _Deleted(), _Spaced()  # memos of what Unicode says, never more than that
