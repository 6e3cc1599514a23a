"""Search for many questions at once: embedded together by blocks, searched side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event
from time import perf_counter

from bridgerag.embedding.minilm import usable_cores
from bridgerag.engine.stores import Asker, Stores
from bridgerag.entities import question_words
from bridgerag.errors import InputError
from bridgerag.retrieval import Question, Timings
from bridgerag.store import Snapshot, Where
from bridgerag.types import Context

__all__ = ["Search", "search_many"]

Search = Callable[[Snapshot, Question, Timings], Context]

_LARGEST = 256  # questions in a block: enough to find others of their length to be embedded with
_MOST_WORKERS = 64  # each has a connection of its own to every store
_EACH = 4  # blocks for each worker, where there are fewer questions than that makes


def search_many(
    stores: Stores,
    questions: Sequence[str],
    search: Search,
    where: Where | None,
    workers: int | None,
) -> list[Context]:
    """Return what ``search`` finds for each question, in their order, all at one moment.

    While one thread has its block embedded, which goes on without Python's lock, another searches.
    After an error or an interrupt the threads end with the question they are at.
    """
    if workers is not None and not 1 <= workers <= _MOST_WORKERS:
        raise InputError("workers", workers, f"between 1 and {_MOST_WORKERS}")
    size = workers or min(usable_cores(), _MOST_WORKERS)
    blocks = list(_blocks(questions, size))
    size = min(size, len(blocks))
    if not blocks:
        return []
    with stores.asking_many(size, where) as (asker, snapshots):
        stopped = Event()
        free: SimpleQueue[Snapshot] = SimpleQueue()
        for snapshot in snapshots:
            free.put(snapshot)

        def run(block: Sequence[str]) -> list[Context]:
            snapshot = free.get()
            try:
                return list(_searched(asker, snapshot, block, search, stopped))
            except BaseException:
                stopped.set()
                raise
            finally:
                free.put(snapshot)

        if size == 1:
            return [context for block in blocks for context in run(block)]
        pool = ThreadPoolExecutor(size, "search")
        try:
            return [context for found in pool.map(run, blocks) for context in found]
        finally:
            stopped.set()
            pool.shutdown(cancel_futures=True)


def _blocks(questions: Sequence[str], workers: int) -> Iterator[Sequence[str]]:
    size = max(1, min(_LARGEST, -(-len(questions) // (workers * _EACH))))
    for first in range(0, len(questions), size):
        yield questions[first : first + size]


def _searched(
    asker: Asker, snapshot: Snapshot, block: Sequence[str], search: Search, stopped: Event
) -> Iterator[Context]:
    if stopped.is_set():
        return
    start = perf_counter()
    vectors = asker.vectors(block)
    share_ms = (perf_counter() - start) * 1e3 / len(block)
    for text, vector in zip(block, vectors, strict=True):
        if stopped.is_set():
            return
        timings = Timings()
        timings.ms["embed"] = timings.ms["total"] = share_ms
        with timings.stage("total"):
            with timings.stage("recognize"):
                question = asker.question(question_words(text), vector)
            context = search(snapshot, question, timings)
        yield context
