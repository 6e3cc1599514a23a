"""What a server answers is what the library gives back."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

import bridgerag
from bridgerag.cli.app import cli
from bridgerag.serialize import answer_json, context_json, dumps, status_json
from bridgerag.server import create_app

QUESTION = "Where was the builder of the Alder Observatory born?"


def without_times(form):
    return {name: value for name, value in form.items() if name != "timings_ms"}


def as_sent(form):
    return json.loads(dumps(form))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"k": 1},
        {"method": "bridge", "depth": 0},
        {"method": "bridge", "depth": "auto"},
        {"method": "bm25", "k": 100},
        {"where": 'title = "Dome"'},
        {"where": None},
    ],
    ids=str,
)
def test_a_search_is_the_json_form_of_the_library_s(client, bridge, options):
    answer = client.post("/v1/search", {"question": QUESTION, **options})
    expected = as_sent(context_json(bridge.search(QUESTION, **options)))
    assert answer.status == 200
    assert without_times(answer.form) == without_times(expected)
    assert answer.form["timings_ms"].keys() == expected["timings_ms"].keys()
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in answer.headers


def test_a_search_is_what_the_command_line_prints(client, store):
    printed = CliRunner().invoke(cli, ["search", QUESTION, "--store", str(store), "--json"])
    answer = client.post("/v1/search", {"question": QUESTION})
    assert without_times(answer.form) == without_times(json.loads(printed.stdout))


def test_many_questions_get_what_each_gets_alone_in_their_order(client, bridge):
    questions = [QUESTION, "brass key", QUESTION, "Ida Holm"]
    answer = client.post("/v1/search_many", {"questions": questions, "k": 2, "method": "bridge"})
    alone = [as_sent(context_json(bridge.search(q, k=2, method="bridge"))) for q in questions]
    assert answer.status == 200
    assert answer.form.keys() == {"contexts"}
    assert list(map(without_times, answer.form["contexts"])) == list(map(without_times, alone))


def test_an_answer_is_the_json_form_of_the_library_s(client, bridge):
    answer = client.post("/v1/ask", {"question": QUESTION, "k": 2})
    assert without_times(answer.form) == without_times(
        as_sent(answer_json(bridge.ask(QUESTION, k=2)))
    )
    assert answer.form["answer"]
    assert answer.form["citations"]


def test_characters_beyond_ascii_come_back_as_they_are(client):
    question = "Wem gehörte das Café «Æther»? 🔭"
    form = client.post("/v1/search", {"question": question, "k": 1}).form
    assert form["question"] == question
    assert "Café «Æther»" in form["hits"][0]["text"]


def test_the_status_is_the_library_s_without_the_path(client, bridge):
    form = as_sent(status_json(bridge.status()))
    del form["store"]
    assert client.get("/v1/status").form == form


def test_whether_it_lives_is_answered(client):
    assert client.get("/healthz")[::2] == (200, {"status": "ok"})


def test_many_at_once_get_each_their_own_answer(client, bridge):
    questions = [f"{QUESTION} {number}" for number in range(60)]
    with ThreadPoolExecutor(12) as threads:
        answers = list(
            threads.map(lambda text: client.post("/v1/search", {"question": text}), questions)
        )
    assert {answer.status for answer in answers} == {200}
    for text, answer in zip(questions, answers, strict=True):
        assert without_times(answer.form) == without_times(
            as_sent(context_json(bridge.search(text)))
        )


def test_one_connection_serves_many_requests(client):
    connection = client.connection()
    for number in range(5):
        body = json.dumps({"question": f"{QUESTION} {number}"})
        connection.request("POST", "/v1/search", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        assert (response.status, response.will_close) == (200, False)
        assert json.loads(response.read())["question"].endswith(str(number))
    connection.close()


def test_what_another_process_commits_is_seen_without_a_restart(tmp_path, running):
    papers, store = tmp_path / "papers", tmp_path / "bridge.store"
    papers.mkdir()
    (papers / "first.txt").write_text("The first paper is about herons.")
    with bridgerag.open(store, settings={"embedding": "none"}) as other:
        other.add(papers)
    with bridgerag.open(store) as bridge, running(create_app(bridge)) as client:
        assert len(client.post("/v1/search", {"question": "herons"}).form["hits"]) == 1
        (papers / "second.txt").write_text("The second paper is about herons, too.")
        added = CliRunner().invoke(cli, ["add", str(papers), "--store", str(store)])
        assert added.exit_code == 0
        assert len(client.post("/v1/search", {"question": "herons"}).form["hits"]) == 2
        assert client.get("/v1/status").form["documents"] == 2


def test_several_stores_are_searched_as_one(tmp_path, store, running):
    (tmp_path / "more.txt").write_text("A brass key hangs in the hall of the mill.")
    with bridgerag.open(tmp_path / "more.store", settings={"embedding": "none"}) as other:
        other.add(tmp_path / "more.txt")
    with (
        bridgerag.open(store, tmp_path / "more.store") as both,
        running(create_app(both)) as client,
    ):
        hits = client.post("/v1/search", {"question": "brass key"}).form["hits"]
    assert {"dome.md", "more.txt"} <= {hit["document"]["source"].split("/")[-1] for hit in hits}
