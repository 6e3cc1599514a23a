"""A bounded number of threads, with a bounded queue before them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import Any, NamedTuple, TypeVar

from starlette.exceptions import HTTPException

__all__ = ["Pool"]

_Result = TypeVar("_Result")


class _Task(NamedTuple):
    call: Callable[[], Any]
    future: Future[Any]


class Pool:
    """Runs calls in ``threads`` threads while at most ``waiting`` more wait their turn.

    The threads are daemons: the process ends without those that still wait for a language model,
    which a `ThreadPoolExecutor` would have it wait for.
    """

    def __init__(self, threads: int, waiting: int) -> None:
        self._threads, self._begun, self._closed = threads, 0, False
        self._places = BoundedSemaphore(threads + waiting)
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Return what ``call`` returns. All calls come from one event loop.

        Raises:
            HTTPException: 503, to be tried again in a second, when all places are taken, and when
                the server stops before the call has ended.
        """
        if self._closed:
            raise _stopping()
        if not self._places.acquire(blocking=False):
            message = "more requests are waiting than can be answered soon; try again in a second"
            raise HTTPException(503, message, {"Retry-After": "1"})
        future: Future[_Result] = Future()
        future.add_done_callback(lambda _: self._places.release())
        self._tasks.put(_Task(call, future))
        if self._begun < self._threads:
            self._begun += 1
            Thread(target=_work, args=(self._tasks,), name="bridgerag", daemon=True).start()
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            raise _stopping() from None

    def close(self) -> None:
        """Begin nothing more; what runs ends by itself."""
        self._closed = True
        with suppress(Empty):
            while task := self._tasks.get_nowait():
                task.future.cancel()
        for _ in range(self._begun):
            self._tasks.put(None)


def _work(tasks: SimpleQueue[_Task | None]) -> None:
    while task := tasks.get():
        if task.future.set_running_or_notify_cancel():
            try:
                task.future.set_result(task.call())
            except BaseException as error:  # it is the caller's
                task.future.set_exception(error)
        del task  # and what it holds, while waiting for the next


def _stopping() -> HTTPException:
    message = "the server stops before this is answered; ask again once it runs"
    return HTTPException(503, message, {"Retry-After": "1"})
