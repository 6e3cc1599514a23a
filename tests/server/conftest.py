"""Shared parts of the server's tests: a store, a client, a server in a thread or a process."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
import uvicorn

import bridgerag
from bridgerag.server import create_app
from bridgerag.server.connection import Connection

TEXTS = {
    "dome.md": "# Dome\n\nThe Alder Observatory has a dome. Turn the brass key twice to open it.\n",
    "alder.md": "# Alder Observatory\n\nIt was built by Ida Holm on the hill above Birch Lake.\n",
    "holm.md": "# Ida Holm\n\nIda Holm was born in Aarhus. Café «Æther» was hers, too.\n",
}


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    form: object


class Client:
    """Asks one server, over a new connection each time."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname, parts.port

    def connection(self) -> HTTPConnection:
        return HTTPConnection(self.host, self.port, timeout=60)

    def ask(self, way: str, path: str, body: object = None, **headers: str) -> Answer:
        """Send ``body``, as JSON unless it is bytes; underscores in names of headers are dashes."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        named = {"Content-Type": "application/json"} if body is not None else {}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = self.connection()
        try:
            connection.request(way, path, body, named)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, json.loads(response.read()))
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: object, **headers: str) -> Answer:
        return self.ask("POST", path, body, **headers)


@pytest.fixture(scope="session")
def store(tmp_path_factory) -> Path:
    """A store without vectors; tests only read it."""
    folder = tmp_path_factory.mktemp("texts")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    store = tmp_path_factory.mktemp("served") / "bridge.store"
    with bridgerag.open(store, settings={"embedding": "none"}) as bridge:
        bridge.add(folder)
    return store


@pytest.fixture(scope="session")
def bridge(store) -> Iterator[bridgerag.Bridge]:
    with bridgerag.open(store) as bridge:
        yield bridge


@contextmanager
def _running(app, **options) -> Iterator[Client]:
    listener = socket.create_server(("127.0.0.1", 0))
    options = {"log_level": "critical", "timeout_keep_alive": 60, **options}
    server = uvicorn.Server(uvicorn.Config(app, http=Connection, ws="none", **options))
    thread = Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield Client(f"http://127.0.0.1:{listener.getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def running() -> Callable:
    """Serve an ASGI application from a thread; gives a client."""
    return _running


@pytest.fixture(scope="session")
def client(bridge) -> Iterator[Client]:
    """A client of a server over `bridge` as it comes."""
    with _running(create_app(bridge)) as client:
        yield client


@contextmanager
def _started(*words: object, **environment: str) -> Iterator[tuple[subprocess.Popen, Client]]:
    command = [sys.executable, *map(str, words)]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment or None,
    )
    with process:
        try:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            yield process, Client(line.split()[-1])
        finally:
            process.kill()


@pytest.fixture(scope="session")
def started() -> Callable:
    """Start Python with some words and wait for the line that ends with the address."""
    return _started
