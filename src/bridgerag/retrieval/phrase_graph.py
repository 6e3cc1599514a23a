"""The graph that `hippo` walks: phrases and passages, and what ties them together.

Source: Gutierrez et al., "From RAG to Memory: Non-Parametric Continual Learning for Large Language
Models" (HippoRAG 2, 2025), section 3, after "HippoRAG" (2024), section 2. What follows the papers:

- phrases and passages are nodes of one undirected graph;
- relation edges between the phrases of a triple, as heavy as the triples are many;
- context edges between a passage and the phrases found in it.

What stands in for triples that a language model extracts: a phrase is an entity of the store, and
each passage relates what its document's title names to every other phrase in it. The edge between a
passage and what its title names weighs five, as if the passage stated five facts of its subject.
Recall@5 on the dev parts of 2WikiMultihopQA, MuSiQue and HotpotQA is 89.4, 62.5, 89.6 that way, and
87.3, 62.2, 87.2 with a weight of 1. Of relations, the first 150 questions of each say: to the title
88.7, 61.1, 88.3; among the names of a sentence 86.3, 62.1, 87.3; none at all 89.3, 62.2, 87.7.

Left out: edges between synonyms, which the papers draw between phrases of similar embedding; a
store has no embedder for phrases. Edges between names that share half of their words changed the
three by -0.7, -2.6 and -1.0 (100 questions each), and spellings meet in one key already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgerag.entities import Vocabulary, extract, read_words
from bridgerag.errors import MissingExtra
from bridgerag.retrieval.corpus import Corpus, Places
from bridgerag.text import sentence_spans
from bridgerag.types import Chunk, Document, Keys

__all__ = ["PhraseGraph"]

_SUBJECT_WEIGHT = 5.0  # of a context edge to what the title names; others weigh 1
_GAP = "\n\n"

Numbers = NDArray[np.int32]
Pairs = tuple[Numbers, Numbers]  # phrases by number, and a passage for each


@dataclass(frozen=True, slots=True)
class PhraseGraph:
    """Phrases, passages (the chunks of a corpus), and how a walk steps between them.

    Phrases that a single passage holds and no title names have all their edges alike, so those of
    one passage share a node: the walk is the same, and several times as fast.

    Attributes:
        keys: shape ``(p,)``, the phrases, ascending.
        spread: shape ``(p,)``, in how many passages each is.
        node: shape ``(p,)``, the node of each.
        passages: passage n is node ``passages + n``.
        shared: the nodes below are single phrases; those up to ``passages`` stand for several.
        steps: a sparse float32 matrix; column j holds how likely a step from node j leads to each
            node.
    """

    keys: Keys
    spread: Numbers
    node: Numbers
    passages: int
    shared: int
    steps: Any  # scipy.sparse.csr_array
    places: Places

    @classmethod
    def of(cls, corpus: Corpus, subject_weight: float = _SUBJECT_WEIGHT) -> PhraseGraph:
        """Return the graph of a corpus.

        Raises:
            MissingExtra: SciPy is not installed.

        Cost: about 0.1 ms a passage.
        """
        try:
            from scipy import sparse  # noqa: PLC0415 - an extra, and heavy
        except ImportError as error:
            raise MissingExtra("the method hippo", "eval") from error
        keys, mentions, subjects = _numbered(corpus)

        def matrix(rows: Numbers, columns: Numbers, height: int, width: int) -> Any:  # noqa: ANN401
            ones = np.ones(len(rows), np.float32)
            return sparse.csr_array((ones, (rows, columns)), shape=(height, width))

        about = matrix(*subjects, len(keys), len(corpus))
        context = matrix(*mentions, len(keys), len(corpus)).maximum(about)
        spread = np.diff(context.indptr)
        lone = spread == 1
        lone[subjects[0]] = False
        shared = len(keys) - int(lone.sum())
        node = np.cumsum(~lone, dtype=np.int32) - 1
        node[lone] = shared + context.indices[context.indptr[:-1][lone]]
        passages = shared + len(corpus)
        gather = matrix(node, np.arange(len(keys), dtype=np.int32), passages, len(keys))
        about, context = gather @ about, gather @ context
        relation = about @ context.T  # in how many passages each pair stands
        relation -= sparse.diags_array(relation.diagonal())
        weighted = context + (subject_weight - 1) * about
        edges = sparse.block_array([[relation + relation.T, weighted], [weighted.T, None]])
        steps = edges.tocsr().astype(np.float32)
        steps.eliminate_zeros()
        weights = steps.sum(axis=0)
        steps.data /= weights[steps.indices]
        return cls(keys, spread, node, passages, shared, steps, corpus.places)

    def find(self, keys: Keys) -> NDArray[np.intp]:
        """Return where some phrases stand in `keys`, -1 for those that are none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[places] == keys, places, -1)

    @property
    def size_bytes(self) -> int:
        """What it takes in memory."""
        arrays = (self.keys, self.spread, self.node, self.places.segment, self.places.chunk,
                  self.steps.data, self.steps.indices, self.steps.indptr)  # fmt: skip
        return sum(array.nbytes for array in arrays)


def _numbered(corpus: Corpus) -> tuple[Keys, Pairs, Pairs]:
    """Return all phrases, which passage mentions which, and which passage's title names which.

    Pairs come once.
    """
    none = np.empty(0, np.uint64), np.empty(0, np.int32)
    found = [none, none, *_phrases(corpus)]  # mentions and subjects in turn
    parts = [found[0::2], found[1::2]]
    keys = [np.concatenate([keys for keys, _ in part]) for part in parts]
    mentioned, named = (np.concatenate([passages for _, passages in part]) for part in parts)
    phrases, numbers = np.unique(np.concatenate(keys), return_inverse=True)
    mention, subject = np.split(numbers.astype(np.int32), [len(mentioned)])
    return phrases, (mention, mentioned), (subject, named)


def _phrases(corpus: Corpus) -> Iterator[tuple[Keys, Numbers]]:
    """Yield for each document the phrases that its passages mention, then those it is about."""
    vocabulary = Vocabulary()
    borders = np.searchsorted(corpus.document, np.arange(len(corpus.documents) + 1)).tolist()
    for number, ref in enumerate(corpus.documents):
        first, last = borders[number], borders[number + 1]
        document, chunks = _joined(ref.title, corpus.texts[first:last])
        found = extract(document, chunks, read_words(document.text, chunks, vocabulary))
        yield found.keys, found.chunks.astype(np.int32) + first
        about, passages = found.document_keys, np.arange(first, last, dtype=np.int32)
        yield np.tile(about, len(passages)), np.repeat(passages, len(about))


def _joined(title: str, texts: list[str]) -> tuple[Document, list[Chunk]]:
    """Return a document made of the texts of its chunks."""
    text = _GAP.join(texts)
    chunks, start = [], 0
    for part in texts:
        end = start + len(part)
        chunks.append(Chunk(start, end, 0, tuple(sentence_spans(text, start, end))))
        start = end + len(_GAP)
    return Document("", title, "", text), chunks
