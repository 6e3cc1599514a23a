"""The load on a server: answers are counted and checked before any figure is given."""

import argparse
import io
import json

import pytest

import bridgerag


@pytest.fixture(scope="module")
def load(benchmark):
    return benchmark("speed.serve_load")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("load")
    (folder / "a.txt").write_text("The brass key opens the dome of the Alder Observatory.")
    with bridgerag.open(folder / "bridge.store", settings={"embedding": "none"}) as bridge:
        bridge.add(folder / "a.txt")
    return folder / "bridge.store"


def test_quick_rows_are_rates_of_both_ways_without_errors(load):
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--stores")
    load.add_options(parser)
    rows = list(load.measure(parser.parse_args(["--quick", "--methods", "bridge"])))
    assert [one.way for one in rows] == ["in process", "over HTTP"] * 2
    for one in rows:
        assert one.unit == "requests/s"
        assert one.median > 0
        assert one.facts["errors"] == 0
        assert one.facts["p50 ms"] <= one.facts["p99 ms"]
    assert rows[1].than == "in process"


def test_given_another_answer_than_the_library_s_then_no_figures(load, store, tmp_path):
    other = tmp_path / "other.store"
    (tmp_path / "b.txt").write_text("Another text about the brass key.")
    with bridgerag.open(other, settings={"embedding": "none"}) as bridge:
        bridge.add(tmp_path / "b.txt")
        with load._serving(store) as server, pytest.raises(SystemExit, match="something else"):
            load._check(bridge, server, ["Where is the brass key?"], "walk")


def test_answers_that_are_refused_count_as_errors(load, store):
    with load._serving(store) as server:
        found = load._over_http(server, ["Where is the brass key?"], "magic", 2, 10)
    assert (len(found.each), found.errors) == (10, 10)


def test_an_answer_is_read_whole(benchmark):
    answer = b"HTTP/1.1 503 Busy\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\n\r\n"
    stream = io.BytesIO(answer)
    status = benchmark("speed._serving")._status
    assert [status(stream), status(stream)] == [503, 200]


def test_a_request_says_how_long_its_body_is(benchmark):
    head, _, body = (
        benchmark("speed._serving")._request("localhost", {"k": 1}).partition(b"\r\n\r\n")
    )
    assert json.loads(body) == {"k": 1}
    assert f"Content-Length: {len(body)}".encode() in head
