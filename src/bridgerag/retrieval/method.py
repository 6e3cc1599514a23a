"""What a retrieval method gets and gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from types import TracebackType
from typing import NamedTuple, Protocol, runtime_checkable

from bridgerag.entities import QuestionWords
from bridgerag.protocols import Recognizer
from bridgerag.store import Snapshot
from bridgerag.store.snapshot import LiveSegment
from bridgerag.types import Footprint, Ids, Vector

__all__ = [
    "Found",
    "IndexedMethod",
    "Method",
    "Origin",
    "Question",
    "Seeds",
    "Selected",
    "Timings",
]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, embedded and cut into words.

    Attributes:
        vector: shape ``(dim,)``, unit length; None for a store without embeddings.
        recognizer: finds the entities in place of probing n-grams.
        embed: embeds another text by the model of ``vector``; None for a store without embeddings.
    """

    text: str
    words: QuestionWords
    vector: Vector | None
    recognizer: Recognizer | None = None
    embed: Callable[[str], Vector] | None = None


class Origin(NamedTuple):
    """Why a chunk was selected; abstracts are numbered inside the chunk's segment.

    Attributes:
        kind: ``"entity"``, ``"dense"``, ``"lexical"``, or what else a method goes by.
        path: how the method came to the chunk, in words, where no field says it.
    """

    kind: str
    score: float
    entity: str | None = None
    seed: int | None = None
    abstract: int | None = None
    steps: int | None = None
    path: str | None = None


class Selected(NamedTuple):
    """A chunk that a method chose.

    Attributes:
        abstracts: the abstracts that own it and were looked at, narrowest first.
    """

    live: LiveSegment
    chunk: int
    score: float
    abstracts: tuple[int, ...]
    origins: tuple[Origin, ...]


@dataclass(frozen=True, slots=True)
class Seeds:
    """What the entity indexes gave for one entity of the question.

    Attributes:
        abstracts: one array a segment of the snapshot, live documents only.
        ignored: why they are not followed, or None.
    """

    text: str
    abstracts: tuple[Ids, ...]
    ignored: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a method gives back; ``selected`` is best first.

    Attributes:
        notes: what it found that is no chunk, most useful first: relations of entities, summaries
            that stand in no document. They go into the prompt beside the passages.
        depth: what it searched with, where at the depth asked for no entity would be followed.
    """

    selected: list[Selected]
    seeds: list[Seeds]
    fallback: bool
    notes: tuple[str, ...] = ()
    depth: int | None = None


class Timings:
    """Milliseconds a stage took, by stage."""

    STAGES = ("embed", "recognize", "lookup", "expand", "rank", "total")

    def __init__(self) -> None:
        self.ms = dict.fromkeys(self.STAGES, 0.0)

    def stage(self, name: str) -> _Stage:
        """Add the time of the block to ``name``."""
        return _Stage(self.ms, name)


class _Stage:
    __slots__ = ("_ms", "_name", "_start")

    def __init__(self, ms: dict[str, float], name: str) -> None:
        self._ms, self._name = ms, name

    def __enter__(self) -> None:
        self._start = perf_counter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ms[self._name] += (perf_counter() - self._start) * 1e3


class Method(Protocol):
    """Finds the chunks for a question."""

    def __call__(
        self, snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings
    ) -> Found:
        """Return at most ``k`` chunks, best first; ties by document id, then by position."""
        ...


@runtime_checkable
class IndexedMethod(Protocol):
    """A method with an index of its own beside the store's, made when first needed."""

    def __call__(
        self, snapshot: Snapshot, question: Question, k: int, depth: int, timings: Timings
    ) -> Found:
        """Search, as `Method` does; the index is built first where it is not there yet."""
        ...

    def prepare(self, snapshot: Snapshot) -> Footprint:
        """Build the index now, unless it is there, and return what it cost."""
        ...
