from __future__ import annotations

import pytest

from bridgerag.errors import InputError, ModelError
from bridgerag.generation import ExtractiveWriter, OpenAIWriter, writer_from_environment


def test_without_a_model_answers_are_extractive():
    assert isinstance(writer_from_environment(None, environment={}), ExtractiveWriter)
    assert isinstance(
        writer_from_environment("extractive", environment={"BRIDGERAG_MODEL": "m"}),
        ExtractiveWriter,
    )
    only_a_key = {"OPENAI_API_KEY": "k"}
    assert isinstance(writer_from_environment(None, environment=only_a_key), ExtractiveWriter)


def ask(server, turn, make_context, model, **environment):
    server.turns = [turn("Blue [1].")]
    writer = writer_from_environment(model, environment=environment)
    assert isinstance(writer, OpenAIWriter)
    assert writer.write(make_context("Why?", ["The sky is blue."])).model == writer.model
    return server.requests[-1]["model"], server.keys[-1]


def test_the_environment_names_model_server_and_key(server, turn, make_context):
    found = ask(
        server, turn, make_context, None,
        BRIDGERAG_MODEL="m1", BRIDGERAG_BASE_URL=server.url, BRIDGERAG_API_KEY="k1",
    )  # fmt: skip
    assert found == ("m1", "Bearer k1")


def test_an_argument_overrules_the_environment_and_may_hold_the_server(server, turn, make_context):
    found = ask(
        server, turn, make_context, f"org/m2@v1@{server.url}",
        BRIDGERAG_MODEL="m1", BRIDGERAG_BASE_URL="http://127.0.0.1:9/v1",
    )  # fmt: skip
    assert found == ("org/m2@v1", "Bearer none")


def test_openais_key_goes_to_openais_address_only(server, turn, make_context):
    ours = {"BRIDGERAG_BASE_URL": server.url, "OPENAI_API_KEY": "secret"}
    assert ask(server, turn, make_context, "m", **ours)[1] == "Bearer none"
    theirs = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "secret"}
    assert ask(server, turn, make_context, "m", **theirs)[1] == "Bearer secret"


def test_openai_without_a_key_is_refused_before_anything_is_sent():
    with pytest.raises(ModelError, match=r"no API key.*BRIDGERAG_API_KEY"):
        writer_from_environment("gpt", environment={})


def test_an_address_that_is_no_url_is_refused():
    with pytest.raises(InputError, match="base_url"):
        writer_from_environment("m", environment={"BRIDGERAG_BASE_URL": "localhost"})
