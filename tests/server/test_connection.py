"""How long a connection may stay without asking anything."""

import json
import socket
import time
from contextlib import contextmanager

import pytest

from bridgerag.retrieval import method
from bridgerag.server import connection, create_app

HEAD = (
    b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/json\r\nContent-Length: 17\r\n\r\n"
)
BODY = b'{"question": "x"}'


@contextmanager
def connected(client):
    with socket.create_connection((client.host, client.port), timeout=30) as line:
        yield line


@pytest.fixture
def hasty(monkeypatch):
    monkeypatch.setattr(connection, "_LONGEST_S", 0.2)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("sent", [b"", HEAD[:40], HEAD[:-1]], ids=str)
def test_without_a_whole_request_it_is_closed(client, sent):
    with connected(client) as line:
        line.sendall(sent)
        assert line.recv(1) == b""


@pytest.mark.usefixtures("hasty")
def test_after_an_answer_a_part_of_a_request_does_not_keep_it(client):
    with connected(client) as line:
        line.sendall(HEAD + BODY)
        assert line.recv(4096).startswith(b"HTTP/1.1 200 ")
        line.sendall(HEAD[:40])
        while line.recv(4096):
            pass


@pytest.mark.usefixtures("hasty")
def test_a_body_may_come_later(client):
    with connected(client) as line:
        line.sendall(HEAD)
        time.sleep(0.5)
        line.sendall(BODY)
        assert line.recv(4096).startswith(b"HTTP/1.1 200 ")


@pytest.mark.usefixtures("hasty")
def test_an_answer_may_take_longer_and_the_connection_is_kept(bridge, running):
    def slow(*arguments):
        time.sleep(0.5)
        return method("walk")(*arguments)

    bridge.use("slow", slow)
    with running(create_app(bridge, methods=("slow",))) as client:
        line = client.connection()
        for _ in range(2):
            body = json.dumps({"question": "x", "method": "slow"})
            line.request("POST", "/v1/search", body, {"Content-Type": "application/json"})
            own = line.sock
            response = line.getresponse()
            assert (response.status, response.will_close) == (200, False)
            response.read()
            assert line.sock is own
            time.sleep(0.5)
        line.close()


def test_far_too_many_are_closed_unheard(bridge, running, monkeypatch):
    monkeypatch.setattr(connection, "_REFUSED", 0)
    with (
        running(create_app(bridge), limit_concurrency=2) as client,
        connected(client),
        connected(client),
        connected(client) as third,
    ):
        assert _is_closed(third)


def _is_closed(line):
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True
