"""Cut text into words and breaks: what a word is.

The native `words` reads whole documents by the same rules; tests/entities/test_words.py holds the
two together.

What counts as one word: a run of letters and digits with its accents, apostrophes ("o'brien"),
decimal points ("3.14"), the points of an abbreviation ("U.S.") and an ampersand between capitals
("AT&T"); every Han character by itself; a run of hiragana. Hyphens, slashes and underscores
separate words. Punctuation that ends a phrase (commas, brackets, quotes, colons, dashes between
spaces, ...) is a break; other signs are skipped.
"""

from __future__ import annotations

import re

__all__ = ["TOKEN", "is_han", "is_hiragana", "is_word"]

_HAN = "々〇㐀-䶿一-鿿豈-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = "ぁ-ゟ"
_LETTER = rf"[^\W_{_HAN}{_HIRAGANA}]"
# Marks belong to the letter before them; Python's \w leaves them out.
_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u0711-\u074a\u07a6-\u07b0\u0900-\u0963\u0966-\u0dff\u0e31-\u0e3a\u0e47-\u0e4e"
    "\u0eb1-\u0ecd\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0"
    "\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\u200c\u200d"
)
_JOINT = (
    rf"(?:[{_MARKS}]{{1,16}}"
    rf"|['’](?={_LETTER})"
    r"|(?<=\d)[.,](?=\d)"
    r"|(?<![^\W_].)(?<=[A-Z])\.(?=[A-Z](?![^\W_]))"
    r"|(?<=\.[A-Z])\.(?=[A-Z](?![^\W_]))"
    r"|(?<=[A-Z])&(?=[A-Z]))"
)
_BREAK = (
    r",;:!?()\[\]{}<>\"“”„‘«»‹›…—―|/\\•●▪■◦‣="
    r"。，、；：！？（）「」『』《》〈〉【】،؛؟।"
)
# One character, then what it turns out to be. (A pattern that starts with a set, not with a choice,
# lets the engine skip white space fast.) The first case, plain ASCII with nothing special behind
# it, is the second one made quicker. Bounds keep an endless "word" (base64, a line of 200 MB) from
# becoming one huge key.
TOKEN = re.compile(
    r"[^\s](?:"
    r"(?<=[A-Za-z0-9])[A-Za-z0-9]{0,63}+(?![^\x00-\x7f]|['.,&]?[^\W_])"
    rf"|(?<={_LETTER}){_LETTER}{{0,63}}(?:{_JOINT}{_LETTER}{{0,64}}){{0,16}}"
    rf"|(?<=[{_HAN}])"
    rf"|(?<=[{_HIRAGANA}])[{_HIRAGANA}]{{0,15}}"
    rf"|(?<=[{_BREAK}])"
    r"|(?<=\.)\.+"
    r"|(?<=\s[-–])(?=\s)"
    r")"
)
_HAN_SIGN = re.compile(f"[{_HAN}]")


def is_word(token: str) -> bool:
    """Tell a word from a break; a word starts with a letter or digit, a break never does."""
    return token[0].isalnum()


def is_hiragana(sign: str) -> bool:
    """Tell whether one character is hiragana."""
    return "ぁ" <= sign <= "ゟ"


def is_han(sign: str) -> bool:
    """Tell whether one character is Han."""
    return sign >= "々" and _HAN_SIGN.match(sign) is not None
