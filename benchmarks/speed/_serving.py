"""Asks a server over connections that stay open; `serve-load` starts it in a process of its own.

    python -m benchmarks.speed._serving HOST PORT CONNECTIONS REQUESTS < bodies.json

Reads a JSON list of request bodies, and prints the seconds that each request took, how many were
not answered with 200, and the seconds that all took together.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import BinaryIO

Spent = tuple[list[float], int]


def main(host: str, port: int, connections: int, requests: int) -> None:
    sent = [_request(host, body) for body in json.load(sys.stdin)]

    def ask(first: int) -> Spent:
        with socket.create_connection((host, port)) as line, line.makefile("rwb") as stream:
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return _ask(stream, [sent[i % len(sent)] for i in range(first, requests, connections)])

    start = time.perf_counter()
    with ThreadPoolExecutor(connections) as threads:
        found = list(threads.map(ask, range(connections)))
    together = time.perf_counter() - start
    seconds = [one for spent, _ in found for one in spent]
    print(json.dumps({"s": seconds, "errors": sum(bad for _, bad in found), "all_s": together}))


def _request(host: str, body: object) -> bytes:
    text = json.dumps(body).encode()
    head = (
        f"POST /v1/search HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(text)}\r\n\r\n"
    )
    return head.encode() + text


def _ask(stream: BinaryIO, requests: list[bytes]) -> Spent:
    spent, errors = [], 0
    for request in requests:
        start = time.perf_counter()
        stream.write(request)
        stream.flush()
        errors += _status(stream) != 200
        spent.append(time.perf_counter() - start)
    return spent, errors


def _status(stream: BinaryIO) -> int:
    """Read one answer whole, and return its status."""
    status, length = int(stream.readline().split()[1]), 0
    while (header := stream.readline().strip().lower()) != b"":
        if header.startswith(b"content-length:"):
            length = int(header.partition(b":")[2])
    stream.read(length)
    return status


if __name__ == "__main__":
    place, *numbers = sys.argv[1:]
    main(place, *map(int, numbers))
