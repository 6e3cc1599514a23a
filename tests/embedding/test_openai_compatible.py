import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from bridgerag.embedding import open_embedder, openai_compatible
from bridgerag.errors import MissingExtra, ModelError


def vector(text):
    return [float(len(text)), 1.0, float(sum(map(ord, text)) % 97)]


def listing(*embeddings):
    rows = [{"index": index, "embedding": row} for index, row in enumerate(embeddings)]
    return {"object": "list", "data": rows[::-1]}  # any order is legal


def good_answer(request):
    return listing(*map(vector, request["input"]))


@contextmanager
def server(*answers):
    """Serve ``answers`` in turn, the last one for ever: a status, or a function of the request."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append((self.path, self.headers["Authorization"], request))
            answer = answers[min(len(requests), len(answers)) - 1]
            status, body = (answer, {"error": "no"}) if isinstance(answer, int) else (200, None)
            content = json.dumps(body if body is not None else answer(request)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("retry-after-ms", "1")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield open_embedder(f"tiny@http://127.0.0.1:{running.server_port}/v1"), requests
        finally:
            running.shutdown()
            thread.join()


def unit(texts):
    rows = np.array([vector(text) for text in texts], np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_rows_come_back_normalised_in_order_batch_by_batch():
    texts = [f"text {'x' * (n % 13)} {n}" for n in range(150)]
    done = []
    with server(good_answer) as (embedder, requests):
        np.testing.assert_allclose(embedder.embed(texts, done.append), unit(texts), atol=1e-6)
        assert embedder.dim == 3
    assert [len(request["input"]) for _, _, request in requests] == [64, 64, 22]
    assert {path for path, _, _ in requests} == {"/v1/embeddings"}
    assert {request["model"] for _, _, request in requests} == {"tiny"}
    assert done == [64, 64, 22]


def test_the_width_is_asked_for_when_nothing_was_embedded_yet():
    with server(good_answer) as (embedder, requests):
        assert embedder.embed([]).shape == (0, 3)
        assert embedder.dim == 3
    assert len(requests) == 1


def test_an_empty_text_is_sent_as_a_space():
    with server(good_answer) as (embedder, requests):
        embedder.embed(["", "tower"])
    assert requests[0][2]["input"] == [" ", "tower"]


@pytest.mark.parametrize(
    ("environment", "sent"),
    [
        ({"BRIDGERAG_API_KEY": "ours", "OPENAI_API_KEY": "theirs"}, "Bearer ours"),
        ({"OPENAI_API_KEY": "theirs"}, "Bearer theirs"),
        ({}, "Bearer none"),
    ],
)
def test_the_key_comes_from_the_environment(monkeypatch, environment, sent):
    for name in ("BRIDGERAG_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with server(good_answer) as (embedder, requests):
        embedder.embed(["tower"])
    assert requests[0][1] == sent


def test_a_busy_server_is_asked_again():
    with server(429, 503, good_answer) as (embedder, requests):
        np.testing.assert_allclose(embedder.embed(["tower"]), unit(["tower"]), atol=1e-6)
    assert len(requests) == 3


@pytest.mark.parametrize(
    ("status", "tries", "remedy"),
    [
        (401, 1, "BRIDGERAG_API_KEY"),
        (404, 1, "URL ends in /v1"),
        (400, 1, "its limits"),
        (429, 5, "try again later"),
        (500, 5, "try again later"),
    ],
)
def test_a_refusal_is_one_line_with_the_remedy(status, tries, remedy):
    with (
        server(status) as (embedder, requests),
        pytest.raises(ModelError, match=f"HTTP status {status}.*{remedy}"),
    ):
        embedder.embed(["tower"])
    assert len(requests) == tries


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"data": [{"index": 0, "embedding": [1.0]}]}, "1 embeddings came back for 2 texts"),
        ({"data": []}, "embedding"),
        ({"hello": "there"}, "no list of embeddings"),
        (["what"], "no list of embeddings"),
        (listing([1.0], [1.0, 2.0]), "no list of embeddings"),
        (listing("AAA", "AAA"), "no list of embeddings"),
        (listing(None, None), "no list of embeddings"),
        (listing([0.0], [1.0]), "a vector is zero or not finite"),
        (listing([1.0], [1e999]), "a vector is zero or not finite"),
    ],
)
def test_an_answer_that_is_no_list_of_embeddings_is_refused(content, problem):
    with server(lambda request: content) as (embedder, _), pytest.raises(ModelError, match=problem):
        embedder.embed(["one", "two"])


def test_a_width_that_changes_is_refused():
    def wider(request):
        return listing([1.0] * 4)

    with (
        server(good_answer, wider) as (embedder, _),
        pytest.raises(ModelError, match="a vector has 4 numbers, earlier ones 3"),
    ):
        embedder.embed(["tower"] * 65)


def test_a_server_that_is_down_is_named(monkeypatch):
    monkeypatch.setattr(openai_compatible, "_RETRIES", 0)
    with server(good_answer) as (embedder, _):
        pass
    embedder = open_embedder(embedder.name)
    with pytest.raises(ModelError, match=r"tiny@http://127.*no answer.*is the server up\?"):
        embedder.embed(["tower"])


def test_without_the_client_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingExtra, match=r"bridgerag\[openai\]"):
        open_embedder("tiny@http://127.0.0.1:9/v1").embed(["tower"])
