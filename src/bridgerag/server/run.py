"""Listen, say so, answer until told to stop, and let running requests finish."""

from __future__ import annotations

import resource
import signal
import socket
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import uvicorn

from bridgerag.embedding.minilm import usable_cores
from bridgerag.engine import Bridge
from bridgerag.errors import InputError, MissingExtra
from bridgerag.generation import OpenAIWriter, writer_from_environment
from bridgerag.server.app import create_app
from bridgerag.server.connection import Connection
from bridgerag.server.gate import is_loopback

__all__ = ["serve"]

_MOST_CONNECTIONS = 1000
_OTHER_FILES = 400  # than connections that are answered: the store, and those just accepted
_AT_A_TIME = 64  # connections that are accepted in one turn of the event loop
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

    Those have a minute. Before listening, the indexes of ``methods`` are built, a first search is
    made and the writer of answers is made, so that what cannot work is said at the start and no
    client waits for a model to load. A language model is not asked.

    Args:
        host: a name or address to listen at; one that others can reach needs a token.
        port: 0 takes one that is free.
        threads: as for `create_app`; None for one a core.
        insecure: listen at any host without a token.
        methods, model: as for `create_app`.
        on_listening: told the address, such as ``"http://127.0.0.1:8765"``.

    Raises:
        InputError: the host cannot be listened at, or needs a token.
        MissingExtra: a language model is named, and the package ``openai`` is not installed.
        ModelError: it is one of OpenAI itself, and there is no key.
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
        _prepare_writer(model)
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


def _prepare_writer(model: str | None) -> None:
    if not isinstance(writer_from_environment(model), OpenAIWriter):
        return
    try:
        import openai  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("writing answers with a language model", "openai") from error


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
            "the address",
            f"{host}:{port}",
            f"free to listen at ({reason}); choose another --host or --port",
        ) from error
    return listener


def _config(app: object) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]  # an ASGI application, in uvicorn's types
        http=Connection,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_AT_A_TIME,
        limit_concurrency=_most_connections(),
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_LAST_ANSWERS_S,
    )


def _most_connections() -> int:
    """Return how many connections leave enough of the files that the process may open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return _MOST_CONNECTIONS
    return max(1, min(_MOST_CONNECTIONS, files - _OTHER_FILES))
