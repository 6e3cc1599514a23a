"""Search for many questions at once, on several cores.

Each thread has a part of the questions embedded and then searches for them, where the embedder
parts its work, as the default does; so no core waits for another. Any other embedder is given one
block after the other, and what is embedded is searched meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from threading import BoundedSemaphore, Event, Lock
from time import perf_counter

from bridgerag.embedding.minilm import usable_cores
from bridgerag.engine.stores import Asker, Stores
from bridgerag.entities import question_words
from bridgerag.errors import InputError
from bridgerag.retrieval import Question, Timings
from bridgerag.store import Snapshot, Where
from bridgerag.types import Context, Vector

__all__ = ["Search", "search_many"]

Search = Callable[[Snapshot, Question, Timings], Context]
Asked = tuple[int, Vector | None]
"""The number of a question, and its vector."""
Found = list[tuple[int, Context]]
"""The numbers of questions, and what was found."""

_MOST_WORKERS = 64  # each has a connection of its own to every store
_PARTED = 1024  # questions at once: enough to find others of their length to be embedded with
_EMBEDDED = 256  # questions at once, where the embedder does not part them
_SEARCHED = 16  # questions at once, by one thread; fewer where each has few
_PIECES = 4  # for each worker, where there are fewer questions than that makes
_LONG_S = 0.001  # a search of more is mostly native code, which needs no lock


@dataclass(frozen=True, slots=True)
class _Piece:
    """The numbers of the questions that one thread takes at once, and what gives their vectors."""

    numbers: Sequence[int]
    vectors: Callable[[], Iterable[Vector | None]]
    embed_ms: float = 0.0  # for each question, of what is embedded already


def search_many(
    stores: Stores,
    questions: Sequence[str],
    search: Search,
    where: Where | None,
    workers: int | None,
) -> list[Context]:
    """Return what ``search`` finds for each question, in their order, all at one moment.

    ``workers`` threads take one piece of the questions after the other. After an error or an
    interrupt they end with the question they are at.
    """
    if workers is not None and not 1 <= workers <= _MOST_WORKERS:
        raise InputError("workers", workers, f"between 1 and {_MOST_WORKERS}")
    if not questions:
        return []
    size = min(workers or usable_cores(), _MOST_WORKERS, len(questions))
    together = min(_SEARCHED, -(-len(questions) // (size * _PIECES)))
    with stores.asking_many(size, where) as (asker, snapshots):
        searcher = _Searcher(asker, questions, search, snapshots)
        found: Iterable[Found]
        if size == 1:
            found = map(searcher, _embedded(asker, questions, together))
        else:
            found = _side_by_side(searcher, _pieces(asker, questions, together), size)
        contexts = {number: context for piece in found for number, context in piece}
    return [contexts[number] for number in range(len(questions))]


def _side_by_side(searcher: _Searcher, pieces: Iterable[_Piece], threads: int) -> Iterator[Found]:
    pool = ThreadPoolExecutor(threads, "search")
    try:
        found: list[Future[Found]] = []
        for piece in pieces:
            if searcher.stopped.is_set():
                break
            found.append(pool.submit(searcher, piece))
        for one in found:
            yield one.result()
    finally:
        searcher.stopped.set()
        pool.shutdown(cancel_futures=True)


def _pieces(asker: Asker, questions: Sequence[str], size: int) -> Iterator[_Piece]:
    """Yield pieces of up to ``size`` questions, which the embedder parts if it can."""
    if asker.parts is None:
        yield from _embedded(asker, questions, size)
        return
    for first in range(0, len(questions), _PARTED):
        for numbers, vectors in asker.parts(questions[first : first + _PARTED], size):
            yield _Piece([first + number for number in numbers], vectors)


def _embedded(asker: Asker, questions: Sequence[str], size: int) -> Iterator[_Piece]:
    """Yield pieces of up to ``size`` questions, embedded by the calling thread in blocks."""
    for first in range(0, len(questions), _EMBEDDED):
        block = questions[first : first + _EMBEDDED]
        start = perf_counter()
        vectors = asker.vectors(block)
        embed_ms = (perf_counter() - start) * 1e3 / len(block)
        for at in range(0, len(block), size):
            part = vectors[at : at + size]
            numbers = range(first + at, first + at + len(part))
            yield _Piece(numbers, partial(list, part), embed_ms)


class _Searcher:
    """Takes pieces, called by as many threads as there are snapshots.

    As many threads embed as there are cores. Short searches are mostly Python, which two threads
    only take from each other, again and again: while searches are short, one thread at a time has
    its turn.
    """

    def __init__(
        self,
        asker: Asker,
        questions: Sequence[str],
        search: Search,
        snapshots: Sequence[Snapshot],
    ) -> None:
        self._asker, self._questions, self._search = asker, questions, search
        self._free = list(snapshots)
        self._count = len(snapshots)
        self._cores = BoundedSemaphore(usable_cores())
        self._turn = Lock()
        self._long = False
        self.stopped = Event()

    def __call__(self, piece: _Piece) -> Found:
        """Return what is found for each question; for fewer once this was told to stop."""
        try:
            with self._cores:
                if self.stopped.is_set():
                    return []
                start = perf_counter()
                asked = list(zip(piece.numbers, piece.vectors(), strict=True))
                embed_ms = piece.embed_ms + (perf_counter() - start) * 1e3 / len(asked)
            with nullcontext() if self._long else self._turn:
                return self._timed(asked, embed_ms)
        except BaseException:
            self.stopped.set()
            raise

    def _timed(self, asked: Sequence[Asked], embed_ms: float) -> Found:
        snapshot = self._free.pop()
        running = self._count - len(self._free)  # Python takes so many times as long
        try:
            start = perf_counter()
            found = list(self._searched(snapshot, asked, embed_ms))
            self._long = perf_counter() - start > _LONG_S * len(found) * running
            return found
        finally:
            self._free.append(snapshot)

    def _searched(
        self, snapshot: Snapshot, asked: Sequence[Asked], embed_ms: float
    ) -> Iterator[tuple[int, Context]]:
        for number, vector in asked:
            if self.stopped.is_set():
                return
            timings = Timings()
            timings.ms["embed"] = timings.ms["total"] = embed_ms
            with timings.stage("total"):
                with timings.stage("recognize"):
                    words = question_words(self._questions[number])
                    question = self._asker.question(words, vector)
                context = self._search(snapshot, question, timings)
            yield number, context
