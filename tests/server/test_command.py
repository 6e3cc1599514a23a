"""``bridgerag serve``: starting, refusing to start, stopping."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import uvicorn
from click.testing import CliRunner

from bridgerag.cli.app import cli
from bridgerag.server import serve
from bridgerag.server.run import _most_connections

SERVE = ("-m", "bridgerag", "serve", "--port", "0", "--store")

# A search that says when it has begun and waits for a line before it goes on.
SLOW = """
import sys
import bridgerag
from bridgerag.retrieval import method
from bridgerag.server import serve

def slow(*arguments):
    if arguments[1].text != "ready?":
        print("begun", flush=True)
        sys.stdin.readline()
    return method("walk")(*arguments)

with bridgerag.open(sys.argv[1]) as bridge:
    bridge.use("slow", slow)
    serve(bridge, port=0, methods=["slow"], on_listening=lambda address: print(address, flush=True))
print("closed")
"""

# A server that waits half a second for its last answers.
HASTY = """
import sys
import bridgerag
from bridgerag.server import run

run._LAST_ANSWERS_S = 0.5
with bridgerag.open(sys.argv[1]) as bridge:
    told = lambda address: print(address, flush=True)
    run.serve(bridge, port=0, model=sys.argv[2], on_listening=told)
"""


def run(*words):
    return CliRunner().invoke(cli, ["serve", *map(str, words)])


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_says_its_address_answers_and_ends_well(started, store, stop):
    with started(*SERVE, store) as (process, client):
        assert client.post("/v1/search", {"question": "brass key"}).form["hits"]
        process.send_signal(stop)
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


def test_given_json_then_the_address_is_a_json_document(store):
    command = [sys.executable, *SERVE, str(store), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        lines = [process.stdout.readline() for _ in range(3)]
        process.terminate()
    assert json.loads("".join(lines))["address"].startswith("http://127.0.0.1:")


def test_given_a_token_in_the_environment_then_requests_must_bear_it(started, store):
    environment = {**os.environ, "BRIDGERAG_API_TOKEN": " s3cret\n"}
    with started(*SERVE, store, **environment) as (_, client):
        assert client.get("/v1/status").status == 401
        assert client.get("/v1/status", Authorization="Bearer s3cret").status == 200


def test_given_a_signal_while_a_search_runs_then_it_is_answered_and_nothing_new_begins(
    started, store
):
    with started("-c", SLOW, store) as (process, client), ThreadPoolExecutor(1) as threads:
        asked = threads.submit(client.post, "/v1/search", {"question": "x", "method": "slow"})
        assert process.stdout.readline() == "begun\n"
        process.terminate()
        _wait_until_refused(client)
        process.stdin.write("go on\n")
        process.stdin.flush()
        assert asked.result(60).status == 200
        assert process.wait(60) == 0
        assert process.stdout.read() == "closed\n"


def test_given_a_signal_while_a_language_model_does_not_answer_then_it_ends_without_it(
    started, store
):
    with socket.create_server(("127.0.0.1", 0)) as model, ThreadPoolExecutor(2) as threads:
        name = f"mute@http://127.0.0.1:{model.getsockname()[1]}/v1"
        with started("-c", HASTY, store, name) as (process, client):
            asked = threads.submit(client.post, "/v1/ask", {"question": "brass key"})
            line, _ = model.accept()
            process.terminate()
            answer = asked.result(50)
            assert process.wait(50) == 0  # the model itself would be given up after 60 s
            line.close()
            assert "Traceback" not in process.stderr.read()
    assert (answer.status, answer.form["error"]["type"]) == (503, "Busy")
    assert "the server stops before this is answered" in answer.form["error"]["message"]


def _wait_until_refused(client):
    while True:
        try:
            socket.create_connection((client.host, client.port)).close()
        except ConnectionRefusedError:
            return


def test_given_no_store_then_it_does_not_start(tmp_path):
    result = run("--store", tmp_path / "missing.store", "--port", 0)
    assert result.exit_code == 1
    assert "there is no store at" in result.stderr
    assert result.stdout == ""


def test_given_a_host_that_others_reach_and_no_token_then_it_does_not_start(store, monkeypatch):
    monkeypatch.delenv("BRIDGERAG_API_TOKEN", raising=False)
    result = run("--store", store, "--port", 0, "--host", "0.0.0.0")
    assert result.exit_code == 2
    assert "set BRIDGERAG_API_TOKEN" in result.stderr
    assert "--insecure" in result.stderr


@pytest.mark.parametrize("permitted", [{"insecure": True}, {"token": "s3cret"}], ids=str)
def test_given_a_host_that_others_reach_and_leave_to_then_it_listens(
    bridge, monkeypatch, permitted
):
    listened, told = [], []
    monkeypatch.setattr(uvicorn.Server, "run", lambda _, sockets: listened.extend(sockets))
    before = signal.getsignal(signal.SIGTERM)
    serve(bridge, host="0.0.0.0", port=0, on_listening=told.append, **permitted)
    assert told[0].startswith("http://0.0.0.0:")
    assert [one.fileno() for one in listened] == [-1]  # and closed
    assert signal.getsignal(signal.SIGTERM) is before


def test_given_a_port_in_use_then_it_does_not_start(store):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = run("--store", store, "--port", taken.getsockname()[1])
    assert result.exit_code == 2
    assert "choose another --host or --port" in result.stderr


@pytest.mark.parametrize(
    ("files", "connections"), [(resource.RLIM_INFINITY, 1000), (4096, 1000), (1024, 624), (64, 1)]
)
def test_connections_leave_files_for_the_store(monkeypatch, files, connections):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert _most_connections() == connections


def test_given_a_method_that_is_none_then_it_does_not_start(store):
    result = run("--store", store, "--port", 0, "--method", "magic")
    assert result.exit_code == 2
    assert "method is 'magic'; it must be one of" in result.stderr


@pytest.mark.parametrize(
    ("package", "says", "extra"),
    [
        ("fastapi", "serving over HTTP needs the extra 'server'", "server"),
        ("openai", "writing answers with a language model needs the extra 'openai'", "openai"),
    ],
)
def test_given_an_extra_is_missing_then_the_line_names_it(store, package, says, extra):
    words = ["serve", "--store", str(store), "--port", "0", "--model", "one@http://127.0.0.1:1/v1"]
    code = (
        "import sys\n"
        f"sys.modules[{package!r}] = None\n"
        "from bridgerag.cli import main\n"
        f"sys.argv = ['bridgerag', *{words!r}]\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert says in done.stderr
    assert f"pip install 'bridgerag[{extra}]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_given_a_language_model_without_a_key_then_it_does_not_start(store, monkeypatch):
    for name in ("OPENAI_API_KEY", "BRIDGERAG_API_KEY", "OPENAI_BASE_URL", "BRIDGERAG_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    result = run("--store", store, "--port", 0, "--model", "someone")
    assert result.exit_code == 1
    assert "there is no API key for it" in result.stderr


def test_no_other_command_loads_the_server():
    code = (
        "import sys, bridgerag.cli.app\n"
        "print({'fastapi', 'uvicorn', 'pydantic', 'starlette'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"
