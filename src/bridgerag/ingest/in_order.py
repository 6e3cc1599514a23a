"""Do work in several threads, and what follows from it in the order in which it was given.

Small pieces of work go to a thread together, and all of them to one thread: they hold the
interpreter's lock most of the time, and threads that wait for it slow each other down (7,721 short
passages took two threads 1.4 times as long as one). What is begun and not yet followed up is
bounded, so memory is too; and what follows runs in the caller's thread at moments that depend on
nothing but the order and the sizes of the work, so the outcome does not depend on the threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Generic, TypeVar

__all__ = ["InOrder"]

Item = TypeVar("Item")
Result = TypeVar("Result")

_TOGETHER = 1 << 16  # the size from which on a group of items is begun
_LARGE = 1 << 14  # the size of an item on average, for a group that may be worked on beside others
_MANY = 1 << 12  # steps from which on a group is begun, however small its items are
_BEHIND = 1 << 10  # steps that may wait behind the last item given
_AHEAD = 2  # groups that may be begun, for each thread


class _Group(Generic[Item, Result]):
    """Items that one thread works on, and what follows each of them or stands between them."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.size = 0
        self.steps: list[tuple[int, Callable[[Result], None]] | Callable[[], None]] = []
        self.behind = 0  # steps after the last item
        self.results: Future[tuple[list[Result], BaseException | None]] | None = None


class InOrder(Generic[Item, Result]):
    """Applies one function to many items.

    Args:
        work: runs in several threads at once.
        threads: 1 or more.
    """

    def __init__(self, work: Callable[[Item], Result], threads: int) -> None:
        self._work = work
        self._pool = ThreadPoolExecutor(threads, "bridgerag-analyse")
        self._alone = ThreadPoolExecutor(1, "bridgerag-analyse-small")
        self._begun: deque[_Group[Item, Result]] = deque()
        self._most = threads * _AHEAD
        self._group: _Group[Item, Result] = _Group()

    def give(self, item: Item, size: int, then: Callable[[Result], None]) -> None:
        """Have ``item`` worked on; later, and in order, call ``then`` with the result.

        What failed is raised where its result would have been handed on.
        """
        group = self._group
        group.behind = 0
        group.steps.append((len(group.items), then))
        group.items.append(item)
        group.size += size
        if group.size >= _TOGETHER or len(group.steps) >= _MANY:
            self._begin()

    def then(self, step: Callable[[], None]) -> None:
        """Call ``step`` once all that was given before is done with.

        Where steps come and no items, the work is waited for, and each is called at once.
        """
        if not self._begun and not self._group.items:
            step()
            return
        self._group.steps.append(step)
        self._group.behind += 1
        if self._group.behind >= _BEHIND:
            self.drain()

    def drain(self) -> None:
        """Finish all that was given."""
        self._begin()
        while self._begun:
            self._follow(self._begun.popleft())

    def stop(self) -> None:
        """Begin nothing any more, and wait for what is under way."""
        self._pool.shutdown(cancel_futures=True)
        self._alone.shutdown(cancel_futures=True)

    def _begin(self) -> None:
        group, self._group = self._group, _Group()
        large = group.size >= _LARGE * len(group.items)
        pool = self._pool if large else self._alone
        group.results = pool.submit(partial(_all, self._work, group.items))
        self._begun.append(group)
        while len(self._begun) > self._most:
            self._follow(self._begun.popleft())

    @staticmethod
    def _follow(group: _Group[Item, Result]) -> None:
        assert group.results is not None  # noqa: S101 - it was begun
        results, failure = group.results.result()
        for step in group.steps:
            if not isinstance(step, tuple):
                step()
                continue
            place, then = step
            if place == len(results) and failure:
                raise failure
            then(results[place])


def _all(
    work: Callable[[Item], Result], items: list[Item]
) -> tuple[list[Result], BaseException | None]:
    """Return the results, up to the first failure, and that."""
    results: list[Result] = []
    try:
        for item in items:
            results.append(work(item))  # noqa: PERF401 - those before a failure are kept
    except BaseException as failure:  # raised where its result is due
        return results, failure
    return results, None
