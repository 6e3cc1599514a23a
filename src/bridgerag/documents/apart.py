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
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Timer
from typing import IO, Any

from bridgerag.documents.load import load
from bridgerag.documents.names import document_id as id_of
from bridgerag.types import Document, Section, Skipped

__all__ = ["Readers", "reads_slowly", "serve"]

Items = list[Document | Skipped]

_SLOW = frozenset((".pdf", ".docx"))
_READY = b'"ready"\n'
_PROGRAM = "from bridgerag.documents.apart import serve; serve()"
_SKIPPED_FIELDS = len(fields(Skipped))
_START_S = 60  # for a worker to say that it is ready
_PATIENCE_S = 5  # for a worker to end by itself


def reads_slowly(path: Path) -> bool:
    """Tell whether a file is of a kind that is worth a process."""
    return path.suffix.lower() in _SLOW


class Readers:
    """Reads files in up to ``count`` processes, which start when they are needed.

    Where none can be had, files are read in threads of this process.
    """

    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count, "bridgerag-read")
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._busy: set[_Worker] = set()
        self._served = True  # until a process did not start
        self._stopping = False
        self._lock = Lock()  # a process is known before it is waited for, or not started

    def read(self, path: Path) -> Future[Items]:
        """Begin to read a file; the result is what `load` yields."""
        return self._threads.submit(self._read, path)

    def stop(self) -> None:
        """Begin nothing any more, break off what processes are at, and end them."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._stopping = True
            for worker in self._busy:
                worker.kill()
        self._threads.shutdown()
        while (idle := self._free()) is not None:
            idle.end()

    def _read(self, path: Path) -> Items:
        worker = self._take()
        if worker is None:
            return self._read_here(path)
        try:
            if not worker.ready():
                self._served = False
                return self._read_here(path)
            items = worker.read(path)
        finally:
            self._release(worker)
        return _broken_off(path) if items is None else items

    def _read_here(self, path: Path) -> Items:
        return _broken_off(path) if self._stopping else list(load(path))

    def _take(self) -> _Worker | None:
        """Return a process to read with, or None where there is none."""
        with self._lock:
            if self._stopping:
                return None
            worker = self._free()
            if worker is None and self._served:
                worker = _started()
                self._served = worker is not None
            if worker is not None:
                self._busy.add(worker)
            return worker

    def _release(self, worker: _Worker) -> None:
        with self._lock:
            self._busy.discard(worker)
        if worker.sound:
            self._idle.put(worker)
        else:
            worker.end()

    def _free(self) -> _Worker | None:
        try:
            return self._idle.get_nowait()
        except Empty:
            return None


def _broken_off(path: Path) -> Items:
    reason = "its reader broke off; the file may be damaged, or memory too small for it"
    return [Skipped(id_of(path), reason)]


def _started() -> _Worker | None:
    """Return a new process, or None where this interpreter cannot be started once more."""
    if not sys.executable or getattr(sys, "frozen", False):
        return None
    try:
        return _Worker()
    except (OSError, ValueError):
        return None


class _Worker:
    """One process. It ends when its input does, and so with this process.

    Attributes:
        sound: it can read another file.

    Raises:
        OSError, ValueError: it cannot be started.
    """

    def __init__(self) -> None:
        paths = os.pathsep.join(path for path in sys.path if path and isinstance(path, str))
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, a fixed program
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
            process_group=0,  # what is typed at a terminal reaches this process only
        )
        self.sound = False

    def ready(self) -> bool:
        """Wait until the process has started; return False when it does not become a reader."""
        if not self.sound:
            timer = Timer(_START_S, self.kill)
            timer.start()
            self.sound = any(line == _READY for line in self._stdout)  # others are of imports
            timer.cancel()
        return self.sound

    def read(self, path: Path) -> Items | None:
        """Return what a file holds, or None when the process has ended over it."""
        self.sound = False
        try:
            _send(self._stdin, str(path))
            answer = json.loads(self._stdout.readline().decode("utf-8", "surrogatepass"))
        except (OSError, ValueError):
            return None
        self.sound = isinstance(answer, list)
        return [_item(row) for row in answer] if self.sound else None

    def kill(self) -> None:
        """Break the process off; what reads from it finds that it has ended."""
        self._process.kill()

    def end(self) -> None:
        """End the process, with force if it does not end by itself."""
        with suppress(OSError):
            self._stdin.close()
        try:
            self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None  # noqa: S101 - a pipe, see above
        return self._process.stdin

    @property
    def _stdout(self) -> IO[bytes]:
        assert self._process.stdout is not None  # noqa: S101 - a pipe, see above
        return self._process.stdout


def serve() -> None:
    """Read the files that standard input names, until it ends; what a worker does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it ends it
    if hasattr(signal, "SIGTTOU"):  # it may write to a terminal from the background
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    paths, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    try:
        answers.write(b"\n" + _READY)  # what was printed before may have ended within a line
        answers.flush()
        for line in paths:
            path = Path(json.loads(line.decode("utf-8", "surrogatepass")))
            _send(answers, [_row(item) for item in load(path)])
    except OSError:  # nobody is there any more
        os._exit(0)


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
