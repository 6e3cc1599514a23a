"""Read what a document brings to the index of names: spans of its text, and its title's names.

What is a name is decided when a question comes, by what titles define and by what several chunks
hold; so a document is read without a look at any other. Names are compared without case and
accents. The spans are described in native/include/bridge/name_reader.h.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from bridgerag import _native
from bridgerag._native import DocumentNames, word_key
from bridgerag.entities.normalize import normalize_word
from bridgerag.entities.titles import TitleWord, read_part, title_parts, without_qualifier
from bridgerag.entities.words import WordFlag, Words
from bridgerag.text import STOP_WORDS
from bridgerag.types import Ids, Keys

__all__ = ["names_of", "read_title"]

_TITLE_CHARS = 400
_LONGEST = 8  # words in a name
# Plain numbers: combining members of an IntFlag is slow.
_STOP, _ACRONYM = int(WordFlag.STOP), int(WordFlag.ACRONYM)


def names_of(document_id: str, title: str, words: Words) -> DocumentNames:
    """Return the spans of a document that may be names, its stems, and what its title names.

    Args:
        document_id: settles ties between documents.
        title: its names are those of the document; see `read_title`.
        words: what `read_words` found in the chunks of the document.

    Cost: about 0.05 microseconds a word, without the GIL, and 10 for a title.
    """
    title_names, title_stems = read_title(title)
    return _native.read_names(
        words.plain,
        words.stems,
        words.letters,
        words.flags,
        words.sentences,
        words.chunks,
        document_id,
        title_names,
        title_stems,
    )


def read_title(title: str) -> tuple[Keys, Ids]:
    """Return what a title names, and its terms; what is behind 400 characters is not read.

    Names are the whole title, the title without its qualifier in brackets, and its parts around a
    colon, bar or dash; each also without function words at its ends.

    Returns:
        The keys of the names, ascending, and the stems of the words that are no function words, in
        the order of the title; each once.
    """
    title = title[:_TITLE_CHARS]
    bare = without_qualifier(title)
    parts = [read_part(part) for part in dict.fromkeys([title, bare, *title_parts(bare)])]
    keys = {_name_key(name) for part in parts for name in _names(part) if _is_name(name)}
    stems = dict.fromkeys(word.stem for _, word in parts[0] if not word.flags & _STOP)
    return np.array(sorted(keys), np.uint64), np.array([*stems], np.uint32)


def _names(words: Sequence[TitleWord]) -> Iterator[Sequence[TitleWord]]:
    """Yield the words of a part of a title, without function words at its ends if any are left."""
    stops = _stop_keys()
    content = [place for place, (_, word) in enumerate(words) if word.plain not in stops]
    yield words[content[0] : content[-1] + 1] if content else words


@cache
def _stop_keys() -> frozenset[int]:
    return frozenset(map(word_key, STOP_WORDS))


def _is_name(words: Sequence[TitleWord]) -> bool:
    """Tell whether words can be the name of something: not too short, too long or empty of meaning.

    Three letters, or four signs where there is no letter ("1984").
    """
    signs = sum(word.letters for _, word in words)
    meaning = any(not word.flags & _STOP or word.flags & _ACRONYM for _, word in words)
    long_enough = signs > 3 or (signs == 3 and _has_letter(words))
    return long_enough and len(words) <= _LONGEST and meaning


def _has_letter(words: Sequence[TitleWord]) -> bool:
    return any(sign.isalpha() for token, _ in words for sign in normalize_word(token))


def _name_key(words: Sequence[TitleWord]) -> int:
    return _native.entity_key(np.array([word.plain for _, word in words], np.uint64))
