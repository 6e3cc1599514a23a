"""A bounded number of threads, with a bounded queue before them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import BoundedSemaphore
from typing import TypeVar

from starlette.exceptions import HTTPException

__all__ = ["Pool"]

_Result = TypeVar("_Result")


class Pool:
    """Runs calls in ``threads`` threads while at most ``waiting`` more wait their turn."""

    def __init__(self, threads: int, waiting: int) -> None:
        self._threads = ThreadPoolExecutor(threads, "bridgerag")
        self._places = BoundedSemaphore(threads + waiting)

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Return what ``call`` returns.

        Raises:
            HTTPException: 503, to be tried again in a second, when all places are taken.
        """
        if not self._places.acquire(blocking=False):
            message = "more requests are waiting than can be answered soon; try again in a second"
            raise HTTPException(503, message, {"Retry-After": "1"})
        try:
            future = self._threads.submit(call)
        except BaseException:
            self._places.release()
            raise
        future.add_done_callback(self._leave)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Begin nothing more; what runs ends by itself."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _leave(self, _: Future[_Result]) -> None:
        self._places.release()
