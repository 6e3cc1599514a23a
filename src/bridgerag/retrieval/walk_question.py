"""What `walk` reads in a question: the names it holds and the words that it asks with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bridgerag._native import WalkGraph, ngram_keys, word_key
from bridgerag.entities import QuestionWords, WordFlag
from bridgerag.entities.lexical import bm25_idf
from bridgerag.entities.normalize import normalize_word
from bridgerag.entities.plain import plain_word, same_stem
from bridgerag.retrieval.method import Question
from bridgerag.retrieval.score import frequencies
from bridgerag.retrieval.seeds import recognized
from bridgerag.store import Snapshot
from bridgerag.types import Mention

__all__ = ["Asked", "understand"]

Floats = NDArray[np.float64]
_Span = tuple[int, int, int]  # name by place among the n-grams, first word, end

_LONGEST = 8  # words in a name


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in terms of a graph.

    Attributes:
        names: as the question spells them, by key.
        rarity: of each name, 0 where it is too frequent to start from.
        relation: the words that it asks with, those that belong to no name, as one text. For "Who
            is the spouse of the painter of Blue Orchard?": "Who is the spouse of the painter of".
        stems: shape ``(t,)``, of its words that the corpus has with any ending, each once.
        idf: shape ``(t,)``, of each.
        asked_with: shape ``(t,)``, whether it belongs to no name.
    """

    names: dict[int, str]
    rarity: Floats
    relation: str
    stems: NDArray[np.uint32]
    idf: Floats
    asked_with: NDArray[np.bool_]

    @property
    def asks(self) -> Floats:
        """What each stem is worth beside a name: 0 for a name's, together 1."""
        return _shares(self.idf * self.asked_with)

    @property
    def worth(self) -> Floats:
        """What each stem is worth, together 1."""
        return _shares(self.idf)


def understand(graph: WalkGraph, snapshot: Snapshot, question: Question) -> Asked:
    """Read a question. Cost: a lookup for each of its n-grams of up to eight words.

    A recogniser that comes with it decides what its names are.
    """
    words, given = question.words, None
    if question.recognizer is not None:
        given = _places(words, recognized(snapshot, question))
    count = len(words.keys)
    is_stop = (words.flags & WordFlag.STOP) != 0
    stands = _frequencies(snapshot, words, is_stop)
    idf = np.where(is_stop, 0.0, bm25_idf(stands, snapshot.chunks))
    names, rarity, inside = _names(graph, words, stands, given)
    stems, first = np.unique(words.stems, return_index=True)
    worth = idf[first]
    asked_with = np.isin(stems, words.stems[~inside])
    held = worth > 0
    relation = " ".join(
        words.text[slice(*words.spans[place])] for place in range(count) if not inside[place]
    )
    return Asked(names, rarity, relation, stems[held], worth[held], asked_with[held])


def _frequencies(
    snapshot: Snapshot, words: QuestionWords, is_stop: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return in how many chunks each word stands; with other endings where it stands in none."""
    stands = frequencies(snapshot, words.keys)
    unknown = np.flatnonzero((stands == 0) & ~is_stop)
    if len(unknown):
        spelled = (words.text[slice(*words.spans[place])] for place in unknown.tolist())
        forms = [same_stem(plain_word(normalize_word(word))) for word in spelled]
        keys = np.array([[word_key(form) for form in some] for some in forms], np.uint64)
        found = frequencies(snapshot, keys.ravel()).reshape(keys.shape).sum(axis=1)
        stands[unknown] = np.minimum(found, snapshot.chunks)
    return stands


def _places(words: QuestionWords, mentions: Iterable[Mention]) -> set[int]:
    """Return the n-grams that recognised entities are, by place."""
    found = set()
    for mention in mentions:
        inside = [
            place
            for place, (start, end) in enumerate(words.spans)
            if mention.start <= start and end <= mention.end
        ]
        if 0 < len(inside) <= _LONGEST:
            found.add(inside[0] * _LONGEST + len(inside) - 1)
    return found


def _names(
    graph: WalkGraph, words: QuestionWords, stands: NDArray[np.int64], given: set[int] | None
) -> tuple[dict[int, str], Floats, NDArray[np.bool_]]:
    """Return the names of a question, how rare each is, and which words belong to names.

    Two words or more are a name as soon as one chunk holds them. A question that writes capitals
    writes its names with one; in others a single word is a name only where the corpus writes most
    of it as one.
    """
    capital = (words.flags & WordFlag.CAPITAL) != 0
    stop = (words.flags & WordFlag.STOP) != 0
    proper = capital & (~stop | ((words.flags & WordFlag.ACRONYM) != 0))
    inside = capital & ~stop
    inside[:1] = False  # the first word has a capital for its place
    cased = capital[1:].any()
    grams = ngram_keys(words.plain, _LONGEST)
    known, documents, chunks, rarities = graph.facts(grams)
    places = np.arange(len(grams))
    few_do = places % _LONGEST > 0 if given is None else np.isin(places, list(given))
    found = [
        (int(place), int(place) // _LONGEST, int(place) // _LONGEST + int(place) % _LONGEST + 1)
        for place in np.flatnonzero((known | few_do & (chunks > 0)) & (grams != 0))
        if given is None or int(place) in given
    ]
    found.sort(key=lambda span: (span[1] - span[2], span[1]))
    chosen = dict.fromkeys(_apart(span for span in found if documents[span[0]]))
    names: dict[int, tuple[str, float]] = {}
    for place, first, end in chosen | dict.fromkeys(_apart(found)):
        if given is None and cased and not capital[first:end].any():
            continue
        mention = given is not None or proper[first:end].any() or (~stop[first:end]).sum() > 1
        if not mention:
            word = first + int(np.argmin(stop[first:end]))
            if 2 * int(chunks[place]) <= stands[word]:
                continue
        # "The" of "The Copper Heron" belongs to the name as it is written, not as it is compared.
        start = first - 1 if first > 1 and capital[first - 1] and stop[first - 1] else first
        text = words.text[words.spans[start][0] : words.spans[end - 1][1]]
        names[int(grams[place])] = text, float(rarities[place])
        if end - first > 1 or capital[first]:
            inside[start:end] = True
    ordered = dict(sorted(names.items()))
    return (
        {name: text for name, (text, _) in ordered.items()},
        np.array([rarity for _, rarity in ordered.values()], np.float64),
        inside,
    )


def _apart(found: Iterable[_Span]) -> Iterator[_Span]:
    """Yield those that overlap none before them."""
    taken: set[int] = set()
    for span in found:
        if taken.isdisjoint(range(span[1], span[2])):
            taken.update(range(span[1], span[2]))
            yield span


def _shares(worth: Floats) -> Floats:
    return worth / max(float(worth.sum()), 1e-9)
