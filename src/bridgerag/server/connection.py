"""Connections that ask nothing do not stay.

uvicorn closes a connection that is silent after an answer, but neither one that has never sent a
whole request nor one that goes on after an answer with a part of a request.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["Connection"]

_LONGEST_S = 10.0  # for the head of a request to come
_REFUSED = 20  # connections beyond the limit that are told so; further ones are closed unheard


class Connection(H11Protocol):
    """uvicorn's connection, with a time within which the head of a request must come."""

    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; or close at once where there are far too many, so that files can be opened."""
        super().connection_made(transport)
        if self.limit_concurrency and len(self.connections) > self.limit_concurrency + _REFUSED:
            transport.abort()
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what has come."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Let the clock run while no request is answered and uvicorn's own does not run."""
        answers = self.cycle is not None and not self.cycle.response_complete
        if answers or self.timeout_keep_alive_task is not None:
            self._stop()
        elif self._clock is None:
            self._clock = self.loop.call_later(_LONGEST_S, self.transport.close)

    def _stop(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
