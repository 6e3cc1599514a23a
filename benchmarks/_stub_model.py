"""Stands in for a language model when only its bill matters: names by their capitals, no sense.

`facts` is what it "extracts" from a text, and `StubServer` serves the same over the protocol of
OpenAI on loopback, in the rows that LightRAG expects. Both count calls and tokens, a token for four
bytes. A real model writes more or less than this; what it reads is what the package sends.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice, pairwise

from bridgerag.retrieval.summaries import tokens_in
from bridgerag.text import STOP_WORDS, sentence_spans

__all__ = ["Bill", "Facts", "facts", "serve_stub"]

_NAME = re.compile(r"[A-Z][\w'’-]{2,}(?: [A-Z][\w'’-]+){0,4}")
_MOST = 20  # names, and pairs of names, from one text
_WORDS = 75  # of a summary
_DESCRIPTION = 200  # characters
_INPUT = re.compile(r"---Input Text---\s*```\n(.*)\n```", re.DOTALL)
_END = "<|COMPLETE|>"


@dataclass
class Bill:
    """What was asked of the model. Safe from many threads."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    _guard: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, prompt: int, completion: int) -> None:
        """Count one call."""
        with self._guard:
            self.calls += 1
            self.prompt_tokens += prompt
            self.completion_tokens += completion


@dataclass(frozen=True, slots=True)
class Facts:
    """What a text says.

    Attributes:
        names: each with the sentence that it stands in first.
        pairs: neighbours in one sentence, with that sentence.
    """

    names: dict[str, str]
    pairs: dict[tuple[str, str], str]

    def rows(self) -> list[str]:
        """Return one row a name and a pair, as LightRAG writes them."""
        names = [f"entity<|#|>{name}<|#|>Other<|#|>{said}" for name, said in self.names.items()]
        pairs = [
            f"relation<|#|>{one}<|#|>{other}<|#|>mention<|#|>{said}"
            for (one, other), said in self.pairs.items()
        ]
        return names + pairs


def facts(text: str) -> Facts:
    """Return at most twenty names of a text, and twenty pairs of them."""
    names: dict[str, str] = {}
    pairs: dict[tuple[str, str], str] = {}
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        said = " ".join(sentence.split())[:_DESCRIPTION]
        found = [n for n in _NAME.findall(sentence) if n.casefold() not in STOP_WORDS]
        for name in found:
            names.setdefault(name, said)
        for one, other in pairwise(found):
            if one != other:
                pairs.setdefault((one, other), said)
    kept = dict(islice(names.items(), _MOST))
    joined = ((pair, said) for pair, said in pairs.items() if kept.keys() >= set(pair))
    return Facts(kept, dict(islice(joined, _MOST)))


@contextmanager
def serve_stub() -> Iterator[tuple[str, Bill]]:
    """Serve on a free port of loopback; give the address of the API and the bill so far."""
    bill = Bill()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            messages = body["messages"]
            written = _answer([str(message["content"]) for message in messages])
            read = sum(tokens_in(str(message["content"])) for message in messages)
            bill.add(read, tokens_in(written))
            reply = {"choices": [{"message": {"role": "assistant", "content": written}}]}
            sent = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", bill
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answer(messages: Sequence[str]) -> str:
    """Extract from a text that is given, add nothing when asked for more, else summarise."""
    given = _INPUT.search(messages[-1])
    if given:
        return "\n".join([*facts(given[1]).rows(), _END])
    if any(_INPUT.search(message) for message in messages):
        return _END
    return " ".join(messages[-1].split()[-_WORDS:])
