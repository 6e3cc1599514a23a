"""Search for many questions at once: embedded together by blocks, searched meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from threading import Event, Lock
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
Block = tuple[Sequence[str], Sequence[Vector | None], float]
"""Questions, their vectors, and the milliseconds that embedding took for each."""

_MOST_WORKERS = 64  # each has a connection of its own to every store
_EMBEDDED = 256  # questions at once: enough to find others of their length to be embedded with
_SEARCHED = 16  # questions at once, by one thread; fewer where each has few
_PIECES = 4  # for each worker, where there are fewer questions than that makes
_LONG_S = 0.001  # a search of more is mostly native code, which needs no lock


def search_many(
    stores: Stores,
    questions: Sequence[str],
    search: Search,
    where: Where | None,
    workers: int | None,
) -> list[Context]:
    """Return what ``search`` finds for each question, in their order, all at one moment.

    This thread has one block embedded after the other, on as many cores as the embedder takes;
    ``workers`` threads search what is embedded. After an error or an interrupt they end with the
    question they are at.
    """
    if workers is not None and not 1 <= workers <= _MOST_WORKERS:
        raise InputError("workers", workers, f"between 1 and {_MOST_WORKERS}")
    if not questions:
        return []
    size = min(workers or usable_cores(), _MOST_WORKERS, len(questions))
    together = min(_SEARCHED, -(-len(questions) // (size * _PIECES)))
    with stores.asking_many(size, where) as (asker, snapshots):
        searcher = _Searcher(asker, search, snapshots)
        if size == 1:
            blocks = _embedded(asker, questions)
            return [context for block in blocks for context in searcher(block)]
        pool = ThreadPoolExecutor(size, "search")
        try:
            found: list[Future[list[Context]]] = []
            for block in _embedded(asker, questions):
                if searcher.stopped.is_set():
                    break
                found += [pool.submit(searcher, piece) for piece in _pieces(block, together)]
            return [context for piece in found for context in piece.result()]
        finally:
            searcher.stopped.set()
            pool.shutdown(cancel_futures=True)


def _embedded(asker: Asker, questions: Sequence[str]) -> Iterator[Block]:
    for first in range(0, len(questions), _EMBEDDED):
        block = questions[first : first + _EMBEDDED]
        start = perf_counter()
        vectors = asker.vectors(block)
        yield block, vectors, (perf_counter() - start) * 1e3 / len(block)


def _pieces(block: Block, size: int) -> Iterator[Block]:
    questions, vectors, embed_ms = block
    for first in range(0, len(questions), size):
        part = slice(first, first + size)
        yield questions[part], vectors[part], embed_ms


class _Searcher:
    """Searches for questions, called by as many threads as there are snapshots.

    Short searches are mostly Python, which two threads only take from each other, again and again:
    while searches are short, one thread at a time has its turn.
    """

    def __init__(self, asker: Asker, search: Search, snapshots: Sequence[Snapshot]) -> None:
        self._asker, self._search = asker, search
        self._free = list(snapshots)
        self._count = len(snapshots)
        self._turn = Lock()
        self._long = False
        self.stopped = Event()

    def __call__(self, block: Block) -> list[Context]:
        """Return what is found for each question; of fewer once this was told to stop."""
        try:
            with nullcontext() if self._long else self._turn:
                return self._timed(block)
        except BaseException:
            self.stopped.set()
            raise

    def _timed(self, block: Block) -> list[Context]:
        snapshot = self._free.pop()
        running = self._count - len(self._free)  # Python takes so many times as long
        try:
            start = perf_counter()
            found = list(self._searched(snapshot, block))
            self._long = perf_counter() - start > _LONG_S * len(found) * running
            return found
        finally:
            self._free.append(snapshot)

    def _searched(self, snapshot: Snapshot, block: Block) -> Iterator[Context]:
        questions, vectors, embed_ms = block
        for text, vector in zip(questions, vectors, strict=True):
            if self.stopped.is_set():
                return
            timings = Timings()
            timings.ms["embed"] = timings.ms["total"] = embed_ms
            with timings.stage("total"):
                with timings.stage("recognize"):
                    question = self._asker.question(question_words(text), vector)
                context = self._search(snapshot, question, timings)
            yield context
