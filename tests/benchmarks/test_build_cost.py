"""What a language model is asked for is counted call by call."""

import json
import urllib.request

import numpy as np
import pytest

TEXT = (
    "Ida Holm met Joren Maddick in Quarrick. The harbour froze. Later Joren Maddick sold "
    "the mill to Ilse Varrow."
)


@pytest.fixture(scope="module")
def stub(benchmark):
    return benchmark("_stub_model")


@pytest.fixture(scope="module")
def procedures(benchmark):
    return benchmark("_llm_procedures")


def test_the_stub_finds_names_and_the_pairs_that_share_a_sentence(stub):
    found = stub.facts(TEXT)
    assert list(found.names)[:3] == ["Ida Holm", "Joren Maddick", "Quarrick"]
    assert ("Joren Maddick", "Quarrick") in found.pairs
    assert ("Quarrick", "Ilse Varrow") not in found.pairs
    assert len(found.rows()) == len(found.names) + len(found.pairs)


def test_the_server_answers_as_lightrag_expects_and_counts(stub):
    def ask(*contents):
        messages = [{"role": "user", "content": content} for content in contents]
        body = json.dumps({"model": "stub", "messages": messages}).encode()
        request = urllib.request.Request(f"{url}/chat/completions", body)
        with urllib.request.urlopen(request, timeout=10) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]

    given = f"Extract.\n---Input Text---\n```\n{TEXT}\n```\n"
    with stub.serve_stub() as (url, bill):
        rows = ask("system", given).splitlines()
        assert rows[0].startswith("entity<|#|>Ida Holm<|#|>Other<|#|>")
        assert rows[-1] == "<|COMPLETE|>"
        assert ask(given, "rows", "more?") == "<|COMPLETE|>"
        assert ask("Summarise. A b c") == "Summarise. A b c"
        assert bill.calls == 3
        assert bill.prompt_tokens > 2 * len(given) / 4
        assert bill.completion_tokens > len("\n".join(rows)) / 4


def test_hipporag_asks_twice_a_passage(procedures):
    bill = procedures.hipporag([TEXT, TEXT, "nothing here"])
    assert bill.calls == 6
    assert bill.prompt_tokens > 2 * 2 * len(TEXT) / 4


def test_graphrag_asks_twice_a_chunk_once_an_entity_of_several_once_a_community(stub, procedures):
    pytest.importorskip("networkx")
    alone = procedures.graphrag([TEXT])
    again = procedures.graphrag([TEXT, TEXT])
    assert alone.calls > 2  # extraction, gleaning, a report or more
    assert again.calls == alone.calls + 2 + len(stub.facts(TEXT).names)


def test_raptor_asks_once_a_cluster(procedures):
    pytest.importorskip("sklearn")
    rows = np.random.default_rng(0).normal(size=(60, 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    bill = procedures.raptor([TEXT] * 60, rows)
    assert 0 < bill.calls < 60
    assert bill.prompt_tokens >= 60 * len(TEXT) // 4  # every passage is in a cluster


def test_plain_indexing_embeds_the_chunks_that_a_store_has(benchmark, hashed, tmp_path):
    import bridgerag

    cost = benchmark("build_cost")
    text = tmp_path / "text.jsonl"
    rows = [{"id": f"d{n}", "title": f"Title {n}", "text": f"{TEXT} " * 9} for n in range(3)]
    text.write_text("".join(json.dumps(row) + "\n" for row in rows))
    vectors = cost.index_plainly(text, hashed, tmp_path / "plain.npy")
    with bridgerag.open(tmp_path / "store", embedder=hashed) as bridge:
        assert bridge.add(text).chunks == len(vectors)
    assert np.load(tmp_path / "plain.npy").dtype == np.float16


def test_without_an_interpreter_lightrag_is_left_out_and_said_to_be(benchmark, tmp_path, capsys):
    cost = benchmark("build_cost")
    assert cost.measured(tmp_path / "none.jsonl", tmp_path, None) == []
    assert "left out: LightRAG" in capsys.readouterr().out
