"""Contexts over small documents, and a server that speaks chat completions on loopback."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bridgerag.types import AbstractNote, Context, DocumentRef, EntityMatch, Hit

PREFACE = "What stands before the hit. "


def context_of(
    question: str,
    texts: Sequence[str],
    entities: Sequence[str] = (),
    summaries: Sequence[str] = (),
    titles: Sequence[str] = (),
) -> Context:
    """Return a context with one hit a text; each is all of its document but `PREFACE`."""
    titles = [*titles, *["A document"] * len(texts)]
    hits = tuple(
        Hit(
            rank=rank,
            score=1.0 / rank,
            text=text,
            document=DocumentRef(f"doc-{rank}", title, "memory"),
            chunk=0,
            start=len(PREFACE),
            end=len(PREFACE) + len(text),
            abstracts=(),
            why=(),
        )
        for rank, (text, title) in enumerate(zip(texts, titles, strict=False), start=1)
    )
    return Context(
        question=question,
        method="naive",
        depth=0,
        entities=tuple(EntityMatch(text, (1,)) for text in entities),
        hits=hits,
        abstracts=tuple(AbstractNote(n, 0, text) for n, text in enumerate(summaries)),
        fallback=False,
        timings_ms={},
    )


class _Listener(ThreadingHTTPServer):
    """A server that keeps quiet about clients that hang up, as some tests want them to."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@pytest.fixture(scope="session")
def make_context() -> Callable[..., Context]:
    return context_of


@pytest.fixture(scope="session")
def cited_text() -> Callable[..., str]:
    """What a citation spans in its document's text."""

    def read(context: Context, citation) -> str:
        document = next(h for h in context.hits if h.document.id == citation.document)
        return (PREFACE + document.text)[citation.start : citation.end]

    return read


@dataclass
class Turn:
    """One answer of the server, given in order; the last one is repeated."""

    text: str = ""
    status: int = 200
    body: bytes | None = None  # sent as it is instead of a completion
    content_type: str = "application/json"
    finish: str | None = "stop"
    usage: bool = True
    wait_s: float = 0.0
    cut_after: int | None = None  # close the connection after so many pieces
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class ChatServer:
    url: str
    turns: list[Turn] = field(default_factory=list)
    requests: list[dict] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def next_turn(self) -> Turn:
        return self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]


USAGE = {"prompt_tokens": 321, "completion_tokens": 12, "total_tokens": 333}


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append(request)
            server.keys.append(self.headers["Authorization"])
            turn = server.next_turn()
            time.sleep(turn.wait_s)
            if request.get("stream") and turn.body is None:
                self._stream(turn)
            else:
                self._whole(turn)

        def _whole(self, turn: Turn) -> None:
            message = {"role": "assistant", "content": turn.text}
            choice = {"index": 0, "message": message, "finish_reason": turn.finish}
            answer = {"id": "1", "object": "chat.completion", "model": "m", "created": 1}
            answer |= {"choices": [choice]} | ({"usage": USAGE} if turn.usage else {})
            self._send(turn, turn.body if turn.body is not None else json.dumps(answer).encode())

        def _send(self, turn: Turn, body: bytes) -> None:
            self.send_response(turn.status)
            self.send_header("Content-Type", turn.content_type)
            self.send_header("Content-Length", str(len(body)))
            for name, value in turn.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, turn: Turn) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            pieces = [turn.text[i : i + 5] for i in range(0, len(turn.text), 5)]
            for piece in pieces[: turn.cut_after]:
                self._event({"choices": [{"index": 0, "delta": {"content": piece}}]})
            if turn.cut_after is None:
                end = {"index": 0, "delta": {}, "finish_reason": turn.finish}
                self._event({"choices": [end]})
                if turn.usage:
                    self._event({"choices": [], "usage": USAGE})
                self.wfile.write(b"data: [DONE]\n\n")

        def _event(self, data: dict) -> None:
            data = {"id": "1", "object": "chat.completion.chunk", "model": "m", "created": 1} | data
            self.wfile.write(f"data: {json.dumps(data)}\n\n".encode())
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    chat = ChatServer(url="")
    listener = _Listener(("127.0.0.1", 0), _handler(chat))
    chat.url = f"http://127.0.0.1:{listener.server_port}/v1"
    thread = threading.Thread(target=listener.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield chat
    listener.shutdown()
    thread.join()
    listener.server_close()


@pytest.fixture(scope="session")
def turn() -> type[Turn]:
    return Turn
