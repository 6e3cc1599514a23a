"""What a search costs over HTTP: `bridgerag serve` under load, beside `search` in a process.

The store is that of a synthetic corpus, without vectors. Server, clients and this program are
three processes on one machine and share its cores; each client sends its next question when the
last is answered, over one connection. "In process" means as many threads as clients that call
`Bridge.search`. Both ways must give the same answers, apart from times, before a clock starts.
"processor ms" is what the answering process spent on a request (Linux).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import numpy as np

import bridgerag
from benchmarks._synthetic import Synthetic
from benchmarks._synthetic_questions import questions
from benchmarks._synthetic_store import kept
from benchmarks.speed._rows import Row, against, row
from bridgerag.serialize import context_json, dumps

__all__ = ["add_options", "measure"]

_BASE, _SERVED = "in process", "over HTTP"
_QUESTIONS, _ROUNDS = 200, 5

Form = dict[str, Any]


class Server(NamedTuple):
    host: str
    port: int
    process: int


class Load(NamedTuple):
    """What requests took: the seconds of each, of all together, and of the processor."""

    each: list[float]
    together: float
    processor: float
    errors: int = 0


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    parser.add_argument("--methods", nargs="+", default=["bridge", "walk"])
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--requests", type=int, default=2_000, help="a way and number of clients")


def measure(options: argparse.Namespace) -> Iterator[Row]:
    if not (find_spec("fastapi") and find_spec("uvicorn")):
        print("skipped: pip install 'bridgerag[server]'")
        return
    if options.quick:
        options.sizes, options.clients, options.requests = [1_000], [1, 2], 100
    with tempfile.TemporaryDirectory() as folder:
        for chunks in options.sizes:
            path = kept(options.stores or Path(folder), chunks, 0)
            asked = [one.text for one in questions(Synthetic(chunks), _QUESTIONS)]
            with bridgerag.open(path) as bridge, _serving(path) as server:
                for method in options.methods:
                    _check(bridge, server, asked, method)
                    for clients in options.clients:
                        size = f"{chunks:,} chunks, {method}, clients: {clients}"
                        requests = options.requests // _ROUNDS
                        yield from _rows(size, bridge, server, asked, method, clients, requests)


@contextmanager
def _serving(path: Path) -> Iterator[Server]:
    command = [sys.executable, "-m", "bridgerag", "serve", "--port", "0", "--store", str(path)]
    unguarded = {key: value for key, value in os.environ.items() if key != "BRIDGERAG_API_TOKEN"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=unguarded) as process:
        try:
            assert process.stdout
            address = urlsplit(process.stdout.readline().split()[-1])
            yield Server(str(address.hostname), int(address.port or 0), process.pid)
        finally:
            process.terminate()


def _check(bridge: bridgerag.Bridge, server: Server, asked: Sequence[str], method: str) -> None:
    """Leave the program unless the server answers as the library does."""
    for question in asked:
        expected = json.loads(dumps(context_json(bridge.search(question, method=method))))
        body = json.dumps({"question": question, "method": method}).encode()
        request = Request(
            f"http://{server.host}:{server.port}/v1/search",
            body,
            {"Content-Type": "application/json"},
        )
        with urlopen(request) as answer:
            if _timeless(json.load(answer)) != _timeless(expected):
                raise SystemExit(f"{question!r} by {method}: the server answers something else")


def _timeless(form: Form) -> Form:
    return {name: value for name, value in form.items() if name != "timings_ms"}


def _rows(
    size: str,
    bridge: bridgerag.Bridge,
    server: Server,
    asked: Sequence[str],
    method: str,
    clients: int,
    requests: int,
) -> list[Row]:
    """Return the row of each way, from rounds in turn."""
    ways: dict[str, Callable[[], Load]] = {
        _BASE: lambda: _in_process(bridge, asked, method, clients, requests),
        _SERVED: lambda: _over_http(server, asked, method, clients, requests),
    }
    loads: dict[str, list[Load]] = {way: [] for way in ways}
    for _ in range(_ROUNDS):
        for way, load in ways.items():
            loads[way].append(load())
    return against([_row(size, way, found) for way, found in loads.items()], _BASE)


def _row(size: str, way: str, loads: Sequence[Load]) -> Row:
    each = [1e3 * one for load in loads for one in load.each]
    middle, late = np.quantile(each, (0.5, 0.99)).tolist()
    facts: dict[str, float | str] = {
        "p50 ms": middle,
        "p99 ms": late,
        "processor ms": float(np.median([1e3 * load.processor / len(load.each) for load in loads])),
        "errors": sum(load.errors for load in loads),
    }
    rates = [len(load.each) / load.together for load in loads]
    return row(size, way, "requests/s", rates, **facts)


def _in_process(
    bridge: bridgerag.Bridge, asked: Sequence[str], method: str, clients: int, requests: int
) -> Load:
    def ask(first: int) -> list[float]:
        spent = []
        for number in range(first, requests, clients):
            start = time.perf_counter()
            bridge.search(asked[number % len(asked)], method=method)
            spent.append(time.perf_counter() - start)
        return spent

    start, processor = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(clients) as threads:
        each = [one for spent in threads.map(ask, range(clients)) for one in spent]
    return Load(each, time.perf_counter() - start, time.process_time() - processor)


def _over_http(
    server: Server, asked: Sequence[str], method: str, clients: int, requests: int
) -> Load:
    bodies = json.dumps([{"question": question, "method": method} for question in asked])
    numbers = map(str, (server.port, clients, requests))
    command = [sys.executable, "-m", "benchmarks.speed._serving", server.host, *numbers]
    before = _processor_s(server.process)
    found = json.loads(subprocess.check_output(command, input=bodies, text=True))
    spent = _processor_s(server.process) - before
    return Load(found["s"], found["all_s"], spent, found["errors"])


def _processor_s(process: int) -> float:
    """Return the processor time that a process has had; NaN where there is no /proc."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # user, system
