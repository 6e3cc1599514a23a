"""Listen, say so, answer until told to stop, and let running requests finish."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import uvicorn

from bridgerag.embedding.minilm import usable_cores
from bridgerag.engine import Bridge
from bridgerag.errors import InputError
from bridgerag.server.app import create_app
from bridgerag.server.gate import is_loopback

__all__ = ["serve"]

_MOST_CONNECTIONS = 1000
_IDLE_S = 65  # before an unused connection is closed; longer than the minute of common proxies
_LAST_ANSWERS_S = 60  # for running requests, after the signal to stop


def serve(
    bridge: Bridge,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    threads: int | None = None,
    token: str | None = None,
    insecure: bool = False,
    methods: Collection[str] = (),
    model: str | None = None,
    on_listening: Callable[[str], None] = lambda address: None,
) -> None:
    """Answer requests until SIGINT or SIGTERM, and return when the running ones are done.

    Those have a minute. Before listening, the indexes of ``methods`` are built and a first search
    is made, so that what cannot work is said at the start and no client waits for a model to load.

    Args:
        host: a name or address to listen at; one that others can reach needs a token.
        port: 0 takes one that is free.
        threads: as for `create_app`; None for one a core.
        insecure: listen at any host without a token.
        methods, model: as for `create_app`.
        on_listening: told the address, such as ``"http://127.0.0.1:8765"``.

    Raises:
        InputError: the host cannot be listened at, or needs a token.
        BridgeError: the first search failed.
    """
    with _bound(host, port) as listener:
        address, number = listener.getsockname()[:2]
        local = is_loopback(address)
        if not (local or token or insecure):
            raise InputError(
                "the host",
                host,
                "127.0.0.1 as long as anybody may ask; set BRIDGERAG_API_TOKEN to a secret of "
                "your own, or let everyone in with --insecure",
            )
        for name in methods:
            bridge.prepare(name)
        bridge.search("ready?", k=1)
        app = create_app(
            bridge,
            threads=threads or usable_cores(),
            token=token,
            own_names_only=local,
            methods=methods,
            model=model,
        )
        server = uvicorn.Server(_config(app))
        with _stopped_by_signals(server):
            listener.listen()
            shown = f"[{address}]" if ":" in address else address
            on_listening(f"http://{shown}:{number}")
            server.run([listener])


@contextmanager
def _stopped_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Have SIGINT and SIGTERM stop ``server`` and do no more.

    It raises them again once it has stopped; by then it has done what they are for.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {
        number: signal.signal(number, server.handle_exit)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _bound(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(place)
        except BaseException:
            listener.close()
            raise
    except (OSError, OverflowError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            "the address", f"{host}:{port}", f"free to listen at ({reason}); choose another --port"
        ) from error
    return listener


def _config(app: object) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]  # an ASGI application, in uvicorn's types
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_LAST_ANSWERS_S,
    )
