"""Find what the chunks of one document mention: names, terms, headings, titles, acronyms.

Decided from the document alone, so that a store gives the same answers however its documents came
in. What is frequent in the whole corpus is left to question time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bridgerag import _native
from bridgerag._native import phrases, word_key
from bridgerag.chunks import Chunks
from bridgerag.entities.aliases import find_aliases
from bridgerag.entities.normalize import normalize_word
from bridgerag.entities.titles import read_part, title_parts, without_qualifier
from bridgerag.entities.words import Words
from bridgerag.text import STOP_WORDS
from bridgerag.types import Chunk, Document, Ids, Keys

__all__ = ["EntityMentions", "extract", "name_keys", "title_keys"]

_FILE_SUFFIX = re.compile(r"\.[A-Za-z]\w{1,4}$")
_TITLE_CHARS = 400
_TITLE_WORDS = 8  # the longest n-gram that a question is probed with
_WORDS = 1 << 14


@dataclass(frozen=True, slots=True)
class EntityMentions:
    """What one document mentions.

    Attributes:
        keys: shape (m,), entities.
        chunks: shape (m,), the chunk that mentions the entity, inside the document. Pairs ascend
            by key, then chunk, and come once.
        document_keys: shape (t,), the entities that the whole document is about, ascending: what
            its title names. They are not in `keys` unless a chunk mentions them too.
    """

    keys: Keys
    chunks: Ids
    document_keys: Keys


def extract(document: Document, chunks: Sequence[Chunk], words: Words) -> EntityMentions:
    """Return the entities of a document.

    Args:
        document: its title and text are read.
        chunks: its chunks, in order.
        words: what `read_words` found in them.

    Cost: about 0.2 microseconds a word; the GIL is free most of the time.
    """
    known, known_chunks = _heading_mentions(chunks)
    aliases = find_aliases(document.text, chunks)
    for alias in aliases:
        known += (alias.short, alias.long)
        known_chunks += (alias.chunk, alias.chunk)
    keys, where = phrases(
        words.keys,
        words.flags,
        words.sentences,
        words.chunks,
        np.array(known, np.uint64),
        np.array(known_chunks, np.uint32),
        np.array([(alias.short, alias.long) for alias in aliases], np.uint64).reshape(-1),
    )
    titled = np.array(sorted(title_keys(document.title)), np.uint64)
    return EntityMentions(keys, where, titled)


def title_keys(title: str) -> list[int]:
    """Return the keys of the names that a title or heading gives to what stands below it.

    That is the title itself, and the title without a qualifier in brackets, without a file's
    suffix, and without function words at its ends ("The Beatles" is also "Beatles"). Titles of more
    than eight words only count by their parts around a colon or dash; what is behind the first 400
    characters does not count.
    """
    title = title[:_TITLE_CHARS]
    bare = _FILE_SUFFIX.sub("", without_qualifier(title))
    names = dict.fromkeys([title, bare, *title_parts(bare)])
    return list(dict.fromkeys(key for name in names for key in name_keys(name)))


def name_keys(name: str) -> Iterator[int]:
    """Yield the key of a name of one to eight words, and without function words at its ends.

    A number of less than four digits ("7", "2.1") names nothing.
    """
    words = [token for token, _ in read_part(name)]
    signs = "".join(words)
    if not 0 < len(words) <= _TITLE_WORDS:
        return
    if len(signs) < 4 and not any(map(str.isalpha, signs)):
        return
    yield _key(words)
    first, last = 0, len(words)
    while first < last and words[first].casefold() in STOP_WORDS:
        first += 1
    while last > first and words[last - 1].casefold() in STOP_WORDS:
        last -= 1
    if 0 < last - first < len(words):
        yield _key(words[first:last])


def _key(words: Sequence[str]) -> int:
    return _native.entity_key(np.array([key for word in words for key in _keys(word)], np.uint64))


@lru_cache(_WORDS)
def _keys(word: str) -> tuple[int, ...]:
    """Return the keys of a word; there are several where its normal form has blanks."""
    return tuple(word_key(part) for part in normalize_word(word).split(" ") if part)


def _heading_mentions(chunks: Sequence[Chunk]) -> tuple[list[int], list[int]]:
    known: list[int] = []
    where: list[int] = []
    memo: dict[str, list[int]] = {}
    for number, headings in enumerate(Chunks.of(chunks).headings):
        for heading in headings:
            if heading not in memo:
                memo[heading] = title_keys(heading)
            known += memo[heading]
            where += [number] * len(memo[heading])
    return known, where
