"""RAPTOR: search a tree of clusters and their summaries, whose leaves are the chunks.

Source: Sarthi et al., "RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval"
(ICLR 2024).

What follows the paper: the tree (`cluster_tree`, `clusters`); *collapsed* search, its better one,
which reads the nodes of all levels by falling cosine; and *traversal*, which takes the ``k`` best
nodes of a level, then the ``k`` best of their members, down to the leaves. Leaves are hits,
summaries are notes beside them in the prompt: a list is read until it has given ``k`` leaves. So
the hits of collapsed search are those of `naive`, and what RAPTOR adds are its notes.

What stands in, unless it is given: each cluster's own best sentences for a language model's summary
(`ModelSummaries` asks one); the mean of a cluster's vectors for the vector of its summary;
principal axes for UMAP.

Measured on the dev parts: the mean is no worse than embedding the summaries (three notes hold the
answer of 16.5 % of the questions of MuSiQue, embedded 12.1 %; HotpotQA 22.9, 14.9). On 2,984 chunks
of 2WikiMultihopQA, recall@5 of traversal is 65.4 with principal axes and 62.9 with UMAP; members
have a cosine of 0.57 and 0.63 with their cluster's mean. Traversal finds less than `naive`:
recall@5 44.6 against 51.1 on MuSiQue, 68.6 / 74.2 on HotpotQA, 55.5 / 63.5 on 2WikiMultihopQA.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bridgerag.retrieval.cluster_tree import Embed, Level, grow_levels
from bridgerag.retrieval.clusters import Reduce, Rows
from bridgerag.retrieval.corpus import Corpus, Places
from bridgerag.retrieval.derived import Derived
from bridgerag.retrieval.embedded import expect_embeddings, vector_of
from bridgerag.retrieval.method import Found, Origin, Question, Selected, Timings
from bridgerag.retrieval.score import best_of_pools
from bridgerag.retrieval.summaries import Metered, Summarize, extractive_summary
from bridgerag.store import Snapshot
from bridgerag.types import Footprint, Vector

__all__ = ["Raptor"]

_SHOWN = 80  # characters of a summary in a reason

Node = tuple[float, str]  # cosine and summary


@dataclass(frozen=True, slots=True)
class _Tree:
    places: Places
    levels: list[Level]
    calls: int
    tokens: int


class Raptor:
    """The methods `raptor` and `raptor-tree`; keeps the tree of the latest snapshot.

    Args:
        search: ``"collapsed"`` or ``"traversal"``.
        summarize: writes the summaries; the best sentences when left out.
        embed: embeds them, with the store's own model; a mean stands in when left out.
        reduce: reduces dimensions; to principal axes when left out.
    """

    def __init__(
        self,
        search: Literal["collapsed", "traversal"] = "collapsed",
        summarize: Summarize = extractive_summary,
        embed: Embed | None = None,
        reduce: Reduce | None = None,
    ) -> None:
        self._search = search
        self._summarize, self._embed, self._reduce = summarize, embed, reduce
        self._tree = Derived(self._grow)

    def prepare(self, snapshot: Snapshot) -> Footprint:
        """Build the tree now, unless it is there, and return what it cost.

        Raises:
            InputError: the store has no embeddings.
            MissingExtra: scikit-learn is not installed.
        """
        expect_embeddings(snapshot, "raptor")
        tree = self._tree.of(snapshot)
        size = tree.places.segment.nbytes + tree.places.chunk.nbytes
        return Footprint(
            seconds=self._tree.seconds,
            size_bytes=size + sum(level.size_bytes for level in tree.levels),
            llm_calls=tree.calls,
            llm_tokens=tree.tokens,
            stand_in=self._stand_in(),
        )

    def __call__(
        self, snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings
    ) -> Found:
        """Return the ``k`` nearest leaves that the search comes to, and the summaries on its way.

        Args:
            depth: levels above the leaves at which a traversal begins; the whole tree where it has
                no more, and no tree at all with 0. A collapsed search takes no notice.

        Raises:
            As `prepare`.
        """
        vector = vector_of(question, "raptor")
        tree = self._tree.of(snapshot)
        with timings.stage("rank"):
            if self._search == "collapsed":
                return _collapsed(tree, snapshot, question, vector, k)
            return _traversed(tree, snapshot, question, vector, k, depth)

    def _grow(self, corpus: Corpus) -> _Tree:
        calls, tokens = self._spent()
        levels = grow_levels(
            corpus.vectors, corpus.texts, self._summarize, self._embed, self._reduce
        )
        after, tokens_after = self._spent()
        return _Tree(corpus.places, levels, after - calls, tokens_after - tokens)

    def _spent(self) -> tuple[int, int]:
        meter = self._summarize
        return (meter.calls, meter.tokens) if isinstance(meter, Metered) else (0, 0)

    def _stand_in(self) -> str:
        parts = {
            "extractive summaries": self._summarize is extractive_summary,
            "mean vectors": self._embed is None,
            "principal axes": self._reduce is None,
        }
        return ", ".join(part for part, used in parts.items() if used)


def _collapsed(
    tree: _Tree, snapshot: Snapshot, question: Question, vector: Vector, k: int
) -> Found:
    """Read all nodes by falling cosine until ``k`` leaves are found."""
    pools = [live.live_chunks() for live in snapshot.segments]
    leaves = best_of_pools(snapshot, question, pools, k)
    least = leaves[-1][2] if len(leaves) == k else -1.0
    nodes = [
        node
        for level in tree.levels
        for node in zip(_cosines(level, vector).tolist(), level.summaries, strict=True)
        if node[0] > least
    ]
    selected = []
    for place, (segment, chunk, score) in enumerate(leaves, 1):
        place += sum(cosine > score for cosine, _ in nodes)  # noqa: PLW2901
        path = f"cosine {score:.3f}, number {place} of all leaves and summaries"
        origin = Origin("cluster", score, path=path)
        selected.append(Selected(snapshot.segments[segment], chunk, score, (), (origin,)))
    return Found(selected, [], fallback=False, notes=_notes(nodes))


def _traversed(
    tree: _Tree, snapshot: Snapshot, question: Question, vector: Vector, k: int, depth: int
) -> Found:
    """Go down from ``depth`` levels above the leaves, by way of the ``k`` best nodes of each."""
    levels = tree.levels[:depth]
    candidates: Rows = np.arange(len(levels[-1].summaries) if levels else len(tree.places))
    nodes: list[Node] = []
    ways: list[tuple[str, Rows]] = []
    for level in reversed(levels):
        cosines = _cosines(level, vector)
        best = candidates[np.argsort(-cosines[candidates], kind="stable")[:k]].tolist()
        nodes += [(float(cosines[node]), level.summaries[node]) for node in best]
        ways = [(level.summaries[node], level.members[node]) for node in best]
        candidates = np.unique(np.concatenate([members for _, members in ways]))
    pools = tree.places.pools(snapshot, candidates.astype(np.uint32))
    numbers = _numbers(tree.places, candidates)
    selected = []
    for segment, chunk, score in best_of_pools(snapshot, question, pools, k):
        path = _way(ways, numbers[segment, chunk]) + f"cosine {score:.3f}"
        origin = Origin("cluster", score, path=path)
        selected.append(Selected(snapshot.segments[segment], chunk, score, (), (origin,)))
    return Found(selected, [], fallback=False, notes=_notes(nodes))


def _cosines(level: Level, vector: Vector) -> NDArray[np.float32]:
    cosines: NDArray[np.float32] = level.vectors @ vector
    return cosines


def _numbers(places: Places, numbers: Rows) -> dict[tuple[int, int], int]:
    """Return the numbers of some chunks by their segments and numbers there."""
    segments, chunks = places.segment[numbers].tolist(), places.chunk[numbers].tolist()
    return dict(zip(zip(segments, chunks, strict=True), numbers.tolist(), strict=True))


def _way(ways: Sequence[tuple[str, Rows]], number: int) -> str:
    """Return by which of the clusters, the nearest first, a leaf was reached."""
    for summary, members in ways:
        if (members == number).any():
            shown = summary if len(summary) <= _SHOWN else summary[: _SHOWN - 1] + "…"
            return f"in the cluster '{shown}'; "
    return ""


def _notes(nodes: Iterable[Node]) -> tuple[str, ...]:
    """Return the summaries of some nodes, the nearest first, each once."""
    ordered = sorted(nodes, key=lambda node: -node[0])
    return tuple(dict.fromkeys(summary for _, summary in ordered if summary))
