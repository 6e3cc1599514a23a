"""Read files whose format takes long to read, several at once, each in a process of its own.

Threads cannot share that work: pdfium serves one caller at a time, Python itself reads Word files.
A worker is this interpreter, running `serve`: it is sent paths and sends documents back, a line of
JSON each. (Not `multiprocessing`, whose workers would first run the caller's main program again.)
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from bridgerag.documents.load import load
from bridgerag.documents.names import document_id as id_of
from bridgerag.types import Document, Section, Skipped

__all__ = ["Readers", "reads_slowly", "serve"]

Items = list[Document | Skipped]

_SLOW = frozenset((".pdf", ".docx"))
_PROGRAM = "from bridgerag.documents.apart import serve; serve()"
_SKIPPED_FIELDS = len(fields(Skipped))
_PATIENCE_S = 5  # for a worker to end by itself


def reads_slowly(path: Path) -> bool:
    """Tell whether a file is of a kind that is worth a process."""
    return path.suffix.lower() in _SLOW


class Readers:
    """Reads files in up to ``count`` processes, which start when they are needed."""

    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count, "bridgerag-read")
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._busy: set[_Worker] = set()

    def read(self, path: Path) -> Future[Items]:
        """Begin to read a file; the result is what `load` yields."""
        return self._threads.submit(self._read, path)

    def stop(self) -> None:
        """Begin nothing any more, break off what is under way, and end the processes."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in tuple(self._busy):
            worker.kill()
        self._threads.shutdown()
        while (idle := self._free()) is not None:
            idle.end()

    def _read(self, path: Path) -> Items:
        worker = self._free() or _Worker()
        if not worker.ready:  # no process can be had: read here
            worker.end()
            return list(load(path))
        self._busy.add(worker)
        items = worker.read(path)
        self._busy.discard(worker)
        if items is None:
            worker.end()
            reason = "its reader broke off; the file may be damaged, or memory too small for it"
            return [Skipped(id_of(path), reason)]
        self._idle.put(worker)
        return items

    def _free(self) -> _Worker | None:
        try:
            return self._idle.get_nowait()
        except Empty:
            return None


class _Worker:
    """One process. It ends when its input does, and so with this process."""

    def __init__(self) -> None:
        paths = os.pathsep.join(path for path in sys.path if path)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter, a fixed program
                [sys.executable, "-P", "-c", _PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": paths},
            )
        except OSError:
            self.ready = False
        else:
            self.ready = self._answer() == "ready"

    def read(self, path: Path) -> Items | None:
        """Return what a file holds, or None when the process has ended over it."""
        try:
            _send(self._stdin, str(path))
        except OSError:
            return None
        answer = self._answer()
        return [_item(row) for row in answer] if isinstance(answer, list) else None

    def kill(self) -> None:
        """Break the process off; what reads from it finds that it has ended."""
        self._process.kill()

    def end(self) -> None:
        """End the process, with force if it does not end by itself."""
        process: subprocess.Popen[bytes] | None = getattr(self, "_process", None)
        if process is None:
            return
        try:
            process.communicate(timeout=_PATIENCE_S)
        except (subprocess.TimeoutExpired, OSError):
            process.kill()
            process.communicate()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None  # noqa: S101 - a pipe, see above
        return self._process.stdin

    def _answer(self) -> object:
        """Return what the process says next; None when it says nothing that is an answer."""
        assert self._process.stdout is not None  # noqa: S101
        line = self._process.stdout.readline()
        try:
            return json.loads(line.decode("utf-8", "surrogatepass"))
        except ValueError:  # the process has ended, or is another program
            return None


def serve() -> None:
    """Read the files that standard input names, until it ends; what a worker does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it ends it
    paths, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    _send(answers, "ready")
    for line in paths:
        path = Path(json.loads(line.decode("utf-8", "surrogatepass")))
        _send(answers, [_row(item) for item in load(path)])


def _send(stream: IO[bytes], value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    stream.write(text.encode("utf-8", "surrogatepass") + b"\n")
    stream.flush()


def _row(item: Document | Skipped) -> list[Any]:
    if isinstance(item, Skipped):
        return [item.source, item.reason, item.row]
    sections = [[s.start, s.end, s.headings, s.page, s.row] for s in item.sections]
    return [item.id, item.title, item.source, item.text, sections, dict(item.metadata)]


def _item(row: list[Any]) -> Document | Skipped:
    if len(row) == _SKIPPED_FIELDS:
        return Skipped(*row)
    document_id, title, source, text, sections, metadata = row
    tiles = (Section(start, end, tuple(above), *place) for start, end, above, *place in sections)
    return Document(document_id, title, source, text, tuple(tiles), metadata)
