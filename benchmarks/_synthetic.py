"""A synthetic corpus of any size: documents that mention one another.

Everything follows from a number of chunks and a seed. Names are mentioned by power laws. Two
mentions in five are titles of other documents, the others names that no document is about; before
two links in five stands a relation ("directed by"). Beside the 10,389 chunks of MuSiQue's dev part,
10,000 made here have: words a chunk 61, here 80; stems a chunk 37, here 51; mentions a chunk 8.3,
here 7.4; mentions by names in more than 100 chunks 21 %, here 16 %; chunks of a name, median and
90 % quantile, 2 and 9, here 3 and 13; share of chunks of the most frequent stem 21 %, here 29 %.

Questions and vectors for it are in `_synthetic_questions` and `_synthetic_vectors`.

Memory: the plan takes about 120 bytes a chunk and stays, beside the spellings, and four times as
much while it is made; texts are made in blocks. Cost: about a minute for a million chunks with
their texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.typing import NDArray

from benchmarks._synthetic_words import QUALIFIERS, RELATIONS, STOPS, Lexicon, Numbers, zipf
from bridgerag import Document
from bridgerag.types import Section

__all__ = ["BLOCK", "SETTINGS", "Block", "Synthetic"]

SETTINGS = {"embedding": "none", "chunk_tokens": 512}
"""A store built with these has the chunks of the corpus as they are."""

_CHUNKS_A_DOCUMENT = (0.45, 0.25, 0.15, 0.10, 0.05)  # 1 to 5
_LINKS, _UNTITLED = (1, 5), (2, 7)  # a chunk, least and most
_WORDS = (60, 100)  # a chunk
_RELATED = 0.4  # of the links
_QUALIFIED = 0.12  # of the titles; half of them share what stands before the qualifier
_STOP_SHARE = 0.35  # of running text
_SENTENCE_ENDS = 0.4  # of the clauses, each of which ends with a name
BLOCK = 10_000  # documents that are written, and given vectors, together
_GAP = "\n\n"
_BY = STOPS.index("by")


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive documents as arrays, one row a word.

    Attributes:
        documents: which.
        chunks: theirs.
        borders: shape ``(len(chunks) + 1,)``, where the words of each chunk start.
        words: numbers in the lexicon.
        capital: whether the word starts with a capital.
        sentence: the sentence of its chunk that it stands in, from 0.
        name: of the first word of a mention, its name; -1 for all other words.
    """

    documents: range
    chunks: range
    borders: NDArray[np.int64]
    words: Numbers
    capital: NDArray[np.bool_]
    sentence: Numbers
    name: Numbers


class Synthetic:
    """A corpus of ``chunks`` chunks; ``seed`` decides all that chance does.

    Attributes:
        first: shape ``(documents + 1,)``, the first chunk of each document.
        own: shape ``(documents,)``, the name that each title holds, without its qualifier.
        qualifier: shape ``(documents,)``, its number, or -1.
        clauses: shape ``(chunks + 1,)``, where the clauses of each chunk start.
        mentioned: shape ``(clauses,)``, the name that each clause ends with.
        target: shape ``(clauses,)``, the document that it links to, or -1.
        relation: shape ``(clauses,)``, the relation before the name, or -1.
    """

    def __init__(self, chunks: int, seed: int = 0) -> None:
        self.chunks, self.seed = chunks, seed
        chance = np.random.default_rng([seed, 0])
        sizes = 1 + chance.choice(5, chunks, p=_CHUNKS_A_DOCUMENT)
        borders = np.minimum(np.concatenate([[0], np.cumsum(sizes)]), chunks)
        self.first: NDArray[np.int64] = borders[: np.searchsorted(borders, chunks) + 1]
        self.documents = len(self.first) - 1
        untitled = max(20, int(0.7 * chunks))
        running = int(40 * (80 * chunks) ** 0.5)  # the law of Heaps
        self.lexicon = Lexicon.of(chance, running, self.documents, untitled)
        self._title(chance)
        self._link(chance, untitled)

    def _title(self, chance: np.random.Generator) -> None:
        self.own = np.arange(self.documents, dtype=np.int32)
        self.qualifier = np.full(self.documents, -1, np.int32)
        some = np.flatnonzero(chance.random(self.documents) < _QUALIFIED)
        self.qualifier[some] = chance.integers(0, len(QUALIFIERS), len(some))
        shared = some[: len(some) // 2]
        self.own[shared] = chance.integers(0, self.documents, len(shared))

    def _link(self, chance: np.random.Generator, untitled: int) -> None:
        links = chance.integers(_LINKS[0], _LINKS[1] + 1, self.chunks)
        others = chance.integers(_UNTITLED[0], _UNTITLED[1] + 1, self.chunks)
        opens = np.zeros(self.chunks, np.int64)  # a document's first clause has its own name
        opens[self.first[:-1]] = 1
        self.clauses = np.concatenate([[0], np.cumsum(opens + links + others)])
        count = int(self.clauses[-1])
        opening = self.clauses[self.first[:-1]]
        kind = np.ones(count, np.int8)
        kind[opening] = 0
        chunk = np.repeat(np.arange(self.chunks), np.diff(self.clauses))
        order = np.lexsort((chance.random(count), kind, chunk))  # links anywhere but at the start
        place = np.empty(count, np.int64)
        place[order] = np.arange(count) - self.clauses[chunk] - opens[chunk]
        link = (kind == 1) & (place < links[chunk])
        popular = chance.permutation(self.documents).astype(np.int32)
        self.target = np.full(count, -1, np.int32)
        self.target[link] = popular[zipf(chance, int(link.sum()), self.documents, 0.9, 20)]
        self.relation = np.full(count, -1, np.int32)
        related = link & (chance.random(count) < _RELATED)
        self.relation[related] = chance.integers(0, len(RELATIONS), int(related.sum()))
        names = self.documents + zipf(chance, count, untitled, 0.95, 20)
        self.mentioned = np.where(link, self.own[self.target], names).astype(np.int32)
        self.mentioned[opening] = self.own

    # ---- texts

    @staticmethod
    def id(document: int) -> str:
        """Return a document's id; ids ascend as documents do."""
        return f"d{document:09}"

    def title(self, document: int) -> str:
        """Return a document's title."""
        name = self.lexicon.spelled(int(self.own[document]))
        qualifier = int(self.qualifier[document])
        return name if qualifier < 0 else f"{name} ({QUALIFIERS[qualifier]})"

    def stream(self, documents: range | None = None) -> Iterator[Document]:
        """Yield documents, all or those of a part, by ascending id; each chunk is a page."""
        for block in self.blocks(documents):
            texts = iter(self.texts(block))
            for number in block.documents:
                count = int(self.first[number + 1] - self.first[number])
                yield self._document(number, list(islice(texts, count)))

    def _document(self, number: int, texts: list[str]) -> Document:
        text = _GAP.join(texts)
        ends = np.cumsum([len(part) + len(_GAP) for part in texts]).tolist()
        ends[-1] = len(text)
        sections = tuple(
            Section(start, end, page=page)
            for page, (start, end) in enumerate(zip([0, *ends], ends, strict=False), 1)
        )
        return Document(self.id(number), self.title(number), "", text, sections)

    def texts(self, block: Block) -> list[str]:
        """Return the text of each chunk of a block."""
        last = np.zeros(len(block.words), bool)
        last[:-1] = block.sentence[1:] != block.sentence[:-1]
        last[block.borders[1:] - 1] = True
        spelling = self.lexicon.spelling
        spelled = [spelling[number] for number in block.words.tolist()]
        for i in np.flatnonzero(block.capital).tolist():
            spelled[i] = spelled[i].capitalize()
        for i in np.flatnonzero(last).tolist():
            spelled[i] += "."
        borders = block.borders.tolist()
        return [" ".join(spelled[start:end]) for start, end in pairwise(borders)]

    def parts(self, count: int) -> list[range]:
        """Return all documents in ``count`` parts of about one size; fewer if they are few."""
        blocks = -(-self.documents // BLOCK)
        borders = np.unique(np.linspace(0, blocks, count + 1).round().astype(int)) * BLOCK
        borders = np.minimum(borders, self.documents).tolist()
        return [range(start, stop) for start, stop in pairwise(borders)]

    def blocks(self, documents: range | None = None) -> Iterator[Block]:
        """Yield documents, all or those of a part, as arrays, some thousands at a time."""
        part = range(self.documents) if documents is None else documents
        for start in range(part.start, part.stop, BLOCK):
            yield self._block(range(start, min(start + BLOCK, part.stop)))

    def _block(self, documents: range) -> Block:
        """Write clauses: a stop word, running text, a relation where there is one, a name."""
        chance = np.random.default_rng([self.seed, 1, documents.start])
        chunks = range(int(self.first[documents.start]), int(self.first[documents.stop]))
        clauses = slice(int(self.clauses[chunks.start]), int(self.clauses[chunks.stop]))
        name, relation = self.mentioned[clauses], self.relation[clauses]
        borders = self.clauses[chunks.start : chunks.stop + 1] - clauses.start
        count = np.diff(borders)
        chunk = np.repeat(np.arange(len(chunks)), count)
        length = self.lexicon.length[name].astype(np.int64)
        fixed = 1 + 2 * (relation >= 0) + length
        wanted = chance.integers(_WORDS[0], _WORDS[1] + 1, len(chunks))
        fill = np.maximum(wanted - np.add.reduceat(fixed, borders[:-1]), count)
        place = np.arange(len(name)) - borders[chunk]
        text = (place + 1) * fill[chunk] // count[chunk] - place * fill[chunk] // count[chunk]
        ends = np.cumsum(fixed + text)
        starts = ends - fixed - text
        words = self._running(chance, int(ends[-1]))
        words[starts] = chance.integers(0, len(STOPS), len(starts))
        at_name = ends - length
        related = np.flatnonzero(relation >= 0)
        words[at_name[related] - 2] = len(STOPS) + relation[related]
        words[at_name[related] - 1] = _BY
        capital = np.zeros(len(words), bool)
        for i in range(self.lexicon.words.shape[1]):
            has = np.flatnonzero(length > i)
            words[at_name[has] + i] = self.lexicon.words[name[has], i]
            capital[at_name[has] + i] = True
        opens = np.ones(len(name), bool)  # a sentence
        opens[1:] = chance.random(len(name) - 1) < _SENTENCE_ENDS
        opens[borders[:-1]] = True
        capital[starts[opens]] = True
        sentence = np.cumsum(opens) - 1
        sentence -= sentence[borders[:-1]][chunk]
        mention = np.full(len(words), -1, np.int32)
        mention[at_name] = name
        return Block(
            documents, chunks, np.append(starts[borders[:-1]], len(words)), words, capital,
            np.repeat(sentence, fixed + text).astype(np.int32), mention,
        )  # fmt: skip

    def _running(self, chance: np.random.Generator, count: int) -> Numbers:
        lexicon = self.lexicon
        size = lexicon.of_names - lexicon.running
        words = lexicon.running + zipf(chance, count, size, 1.05, 15)
        stops = np.flatnonzero(chance.random(count) < _STOP_SHARE)
        words[stops] = zipf(chance, len(stops), len(STOPS), 0.8, 0)
        return words.astype(np.int32)
