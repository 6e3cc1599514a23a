"""Tokenize as BERT (base, uncased) does, and count tokens fast.

The vocabulary comes with the package. Words such as ``[SEP]`` have no special meaning in a text:
they are tokenized like any others.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import WordPieces

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["TokenCounts", "encode", "tokenizer"]

_MEMO_PIECES = 1 << 17
_MEMO_CHARS = 64  # longer pieces are CJK sentences or noise, and seldom come back
_PLAIN_SIGNS = 0x2028  # Latin letters, accents included, and what stands between English words
_PUNCTUATION = frozenset("¡§«¶·»¿" + "".join(map(chr, range(0x2010, 0x2028))))
_LONGEST_WORD = 100  # what is longer is one unknown token


@cache
def _vocabulary() -> bytes:
    """Return the words of the vocabulary in the order of their numbers, a line each."""
    return gzip.decompress(files(__package__).joinpath("vocabulary.txt.gz").read_bytes())


@cache
def _word_pieces() -> WordPieces:
    return WordPieces(_vocabulary(), bytes(map(_plain, range(_PLAIN_SIGNS))))


def _plain(code: int) -> int:
    """Return what a code point counts as: a letter or digit in ASCII, another sign, or 0."""
    sign = chr(code)
    bare = "".join(c for c in normalize("NFD", sign) if category(c) != "Mn")
    if len(bare) == 1 and "!" <= bare <= "~":
        return ord(bare.lower())
    return ord(".") if sign in _PUNCTUATION else 0


@cache
def tokenizer() -> Tokenizer:
    """Return the tokenizer: BERT's normaliser and word pieces, no special tokens, no truncation."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers  # noqa: PLC0415 - heavy

    words = _vocabulary().decode().splitlines()
    pieces = models.WordPiece(
        {word: number for number, word in enumerate(words)},
        unk_token="[UNK]",  # noqa: S106 - a token of text
        max_input_chars_per_word=_LONGEST_WORD,
    )
    made = Tokenizer(pieces)
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


def encode(text: str) -> list[int]:
    """Return the token numbers of ``text``, special tokens not among them."""
    try:
        return list(tokenizer().encode(text, add_special_tokens=False).ids)
    except (TypeError, UnicodeEncodeError):  # half a surrogate pair: no UTF-8 text holds it
        clean = text.encode("utf-8", "ignore").decode()
        return list(tokenizer().encode(clean, add_special_tokens=False).ids)


class TokenCounts:
    """Counts tokens exactly: ``counts(text)`` is ``len(encode(text))``. A `SpanCounter`.

    Latin script is counted by the native core, about 4 nanoseconds a character; other pieces
    between white space by the tokenizer, once: they are kept in this memo, which starts afresh when
    it holds 131,072. Safe for several threads at once.
    """

    def __init__(self) -> None:
        self.memo = _OddPieces()

    def __call__(self, text: str) -> int:
        """Return the number of tokens in ``text``, special tokens not counted."""
        return int(self.of_spans(text, np.array([[0, len(text)]], np.uint32))[0])

    def of_spans(self, text: str, spans: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the numbers of tokens in ``text[start:end]`` for each row of ``spans``."""
        counts, odd = _word_pieces().count(text, spans)
        if len(odd):
            tokens = [self.memo[text[start:end]] for start, end in odd[:, 1:].tolist()]
            np.add.at(counts, odd[:, 0], np.array(tokens, np.uint32))
        return counts


class _OddPieces(dict[str, int]):
    """Memo from a piece that the core does not count to its number of tokens."""

    __slots__ = ()

    def __missing__(self, piece: str) -> int:
        tokens = len(encode(piece))
        if len(piece) <= _MEMO_CHARS:
            if len(self) >= _MEMO_PIECES:
                self.clear()
            self[piece] = tokens
        return tokens
