"""What cannot be answered gets a status and one line that says why; nothing of the inside shows."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bridgerag
from bridgerag.retrieval import method
from bridgerag.server import create_app, gate

SEARCH = "/v1/search"
PLACES = 17  # with one thread: one request runs and 16 wait


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "the body is None; it must be a JSON object, sent as application/json"),
        (b"{", "the body is '{'; it must be a JSON object"),
        (b"\xff\xfe\x00", "the body cannot be read; it must be a JSON object"),
        (b"[" * 100_000, "the body cannot be read; it must be a JSON object"),
        (b"9" * 100_000, "the body cannot be read; it must be a JSON object"),
        ([1, 2], "it must be a JSON object"),
        ({}, "question is None; it must be a text of at most 10,000 characters"),
        ({"question": ["x"]}, "it must be a text"),
        ({"question": "x" * 10_001}, "it must be a text of at most 10,000 characters"),
        ({"question": " "}, "it must be something to search for"),
        ({"question": "\ud800"}, "question is '\\ud800'; it must be a text"),
        ({"question": "x", "k": 0}, "k is 0; it must be a whole number between 1 and 100"),
        ({"question": "x", "k": 101}, "k is 101; it must be a whole number between 1 and 100"),
        ({"question": "x", "k": "3"}, "k is '3'; it must be a whole number"),
        ({"question": "x", "k": True}, "k is True; it must be a whole number"),
        ({"question": "x", "depth": -1}, "depth is -1; it must be a whole number between 0 and 1"),
        ({"question": "x", "depth": 1001}, "depth is 1001; it must be a whole number between"),
        ({"question": "x", "depth": "deep"}, "depth is 'deep'; it must be"),
        ({"question": "x", "method": "magic"}, "method is 'magic'; it must be one of bridge, walk"),
        ({"question": "x", "method": "raptor"}, "method is 'raptor'; it must be one of"),
        ({"question": "x", "where": "year >"}, "the filter, at character"),
        ({"question": "x", "where": 3}, "where is 3; it must be a filter"),
        ({"questions": ["x"]}, "question is None; it must be a text"),
        ({"question": "x", "\ud800": 1}, "a key of the body is '\\ud800'; it must be one of"),
        ({"question": "x", "model": "y"}, "a key of the body is 'model'; it must be one of"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_given_a_wrong_body_then_400_and_the_remedy(client, body, says):
    answer = client.post(SEARCH, body)
    assert answer.status == 400
    assert says in answer.form["error"]["message"]
    assert len(answer.form["error"]["message"]) < 300


@pytest.mark.parametrize(
    ("questions", "says"),
    [
        ([], "questions is '[]'; it must be a list of 1 to 100 texts"),
        (["x"] * 101, "it must be a list of 1 to 100 texts of at most 10,000 characters each"),
        (["x", 3], "questions is 3; it must be a list"),
        ("x", "questions is 'x'; it must be a list"),
        (["x" * 10_000] * 10 + ["x"], "10,000 characters each and 100,000 together"),
        (["x", ""], "it must be something to search for"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_given_wrong_questions_then_400_and_the_remedy(client, questions, says):
    answer = client.post("/v1/search_many", {"questions": questions})
    assert answer.status == 400
    assert says in answer.form["error"]["message"]


def test_given_another_content_type_then_the_body_is_not_read(client):
    answer = client.post(SEARCH, {"question": "x"}, Content_Type="text/plain")
    assert answer.status == 400
    assert "sent as application/json" in answer.form["error"]["message"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(max_size=5), inside),
    max_leaves=10,
)
FIELDS = st.sampled_from(["question", "k", "depth", "method", "where", "x"])


@settings(max_examples=60, deadline=None)
@given(body=st.dictionaries(FIELDS, JSON) | JSON)
def test_given_any_json_then_the_server_never_fails(client, body):
    answer = client.post(SEARCH, body)
    assert answer.status in (200, 400)
    assert answer.status == 200 or answer.form["error"]["message"]


@settings(max_examples=60, deadline=None)
@given(body=st.binary(max_size=200))
def test_given_any_bytes_then_they_are_refused(client, body):
    assert client.post(SEARCH, body).status == 400


@pytest.mark.parametrize(
    ("way", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/docs", 404),
        ("GET", "/openapi.json", 404),
        ("GET", "/v1/status/", 404),
        ("GET", SEARCH, 405),
        ("POST", "/v1/add", 404),
        ("DELETE", "/v1/status", 405),
    ],
)
def test_given_what_is_not_offered_then_what_is(client, way, path, status):
    answer = client.ask(way, path)
    assert answer.status == status
    assert (
        f"the request is {way} {path}; it must be one of GET /healthz,"
        in (answer.form["error"]["message"])
    )
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_given_a_huge_body_then_413(client):
    answer = client.post(SEARCH, b'{"question": "' + b"x" * 2_000_000 + b'"}')
    assert (answer.status, answer.form["error"]["type"]) == (413, "BodyTooLong")


def test_given_a_huge_body_of_unknown_length_then_413(client):
    connection = client.connection()
    pieces = (b"x" * 100_000 for _ in range(20))
    connection.request("POST", SEARCH, pieces, {"Content-Type": "application/json"})
    assert connection.getresponse().status == 413
    connection.close()


def test_given_a_body_that_does_not_come_then_408(client, monkeypatch):
    monkeypatch.setattr(gate, "_LONGEST_S", 0.1)
    with socket.create_connection((client.host, client.port)) as line:
        line.sendall(
            b"POST /v1/search HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        )
        assert line.recv(4096).startswith(b"HTTP/1.1 408 ")


def test_given_no_store_then_503_and_its_place_is_not_told(tmp_path, running):
    with (
        bridgerag.open(tmp_path / "none.store") as bridge,
        running(create_app(bridge)) as client,
    ):
        answer = client.post(SEARCH, {"question": "x"})
        assert client.get("/healthz").status == 200
    assert (answer.status, answer.form["error"]["type"]) == (503, "StoreMissing")
    assert "there is no store at none.store" in answer.form["error"]["message"]
    assert str(tmp_path) not in answer.form["error"]["message"]


def test_given_a_mistake_of_ours_then_500_without_a_trace(bridge, running):
    def broken(*_args):
        raise ZeroDivisionError("a secret")

    bridge.use("broken", broken)
    with running(create_app(bridge, methods=("broken",))) as client:
        answer = client.post(SEARCH, {"question": "x", "method": "broken"})
        assert client.get("/healthz").status == 200
    assert answer.status == 500
    assert answer.form == {
        "error": {
            "type": "ServerError",
            "message": "the server made a mistake; its own log says which",
        }
    }
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_given_a_language_model_that_is_not_there_then_502(bridge, running, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("BRIDGERAG_API_KEY", "")
    with running(create_app(bridge, model="someone")) as client:
        answer = client.post("/v1/ask", {"question": "brass key"})
    assert (answer.status, answer.form["error"]["type"]) == (502, "ModelError")


def test_given_more_requests_than_places_then_503_at_once_and_the_others_are_answered(
    bridge, running
):
    goes_on = threading.Event()

    def slow(*arguments):
        goes_on.wait(60)
        return method("walk")(*arguments)

    bridge.use("slow", slow)
    body = {"question": "x", "method": "slow"}
    with (
        running(create_app(bridge, threads=1, methods=("slow", "walk"))) as client,
        ThreadPoolExecutor(24) as threads,
    ):
        asked = [threads.submit(client.post, SEARCH, body) for _ in range(24)]
        refused = [future.result() for future in islice(as_completed(asked), 24 - PLACES)]
        asked_meanwhile = client.post("/v1/ask", {"question": "brass key"})
        goes_on.set()
        answers = [future.result() for future in asked]
        afterwards = client.post(SEARCH, {"question": "x"})
    assert {answer.status for answer in refused} == {503}
    assert {answer.headers["retry-after"] for answer in refused} == {"1"}
    assert {answer.form["error"]["type"] for answer in refused} == {"Busy"}
    assert [answer.status for answer in answers].count(200) == PLACES
    assert (asked_meanwhile.status, afterwards.status) == (200, 200)
