"""Who may ask: tokens, and the name that a server is called by."""

import pytest

from bridgerag.server import create_app

TOKEN = "a-tökén of some length"


@pytest.fixture(scope="module")
def guarded(bridge, running):
    with running(create_app(bridge, token=TOKEN)) as client:
        yield client


def bearing(token: str) -> str:
    return f"Bearer {token}".encode().decode("latin-1")  # http.client wants characters of one byte


@pytest.mark.parametrize("path", ["/v1/status", "/v1/nothing"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": bearing(TOKEN[:-1])},
        {"Authorization": bearing(TOKEN + "x")},
        {"Authorization": bearing(TOKEN).replace("Bearer", "Basic")},
        {"X-Token": bearing(TOKEN)},
    ],
    ids=str,
)
def test_given_no_token_or_a_wrong_one_then_401_and_the_remedy(guarded, path, headers):
    answer = guarded.ask("GET", path, **headers)
    assert (answer.status, answer.form["error"]["type"]) == (401, "Unauthorized")
    assert "Authorization: Bearer TOKEN" in answer.form["error"]["message"]
    assert answer.headers["www-authenticate"] == "Bearer"
    assert TOKEN not in str(answer)


@pytest.mark.parametrize("kind", ["Bearer", "bearer"])
def test_given_the_token_then_answers(guarded, kind):
    headers = {"Authorization": bearing(TOKEN).replace("Bearer", kind)}
    assert guarded.ask("GET", "/v1/status", **headers).status == 200
    assert guarded.post("/v1/search", {"question": "x"}, **headers).status == 200


def test_given_a_token_then_whether_the_server_lives_is_told_to_everyone(guarded):
    assert guarded.get("/healthz").status == 200


def test_given_a_token_then_the_name_of_the_host_does_not_matter(guarded):
    headers = {"Authorization": bearing(TOKEN), "Host": "search.example"}
    assert guarded.ask("GET", "/v1/status", **headers).status == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "["])
def test_given_no_token_then_a_page_that_calls_us_by_another_name_is_refused(client, host):
    answer = client.get("/v1/status", Host=host)
    assert (answer.status, answer.form["error"]["type"]) == (403, "Forbidden")


@pytest.mark.parametrize("host", ["localhost", "localhost:8765", "127.0.0.1", "[::1]:80"])
def test_given_no_token_then_the_names_of_this_machine_are_known(client, host):
    assert client.get("/v1/status", Host=host).status == 200


def test_given_other_names_are_allowed_then_none_is_refused(bridge, running):
    with running(create_app(bridge, own_names_only=False)) as client:
        assert client.get("/v1/status", Host="search.example").status == 200
