"""The benchmarks of building run, and their corpora are what they say."""

import argparse

import pytest


def quick(module, **options):
    parser = argparse.ArgumentParser()
    module.add_options(parser)
    return argparse.Namespace(**vars(parser.parse_args([])) | {"quick": True} | options)


@pytest.fixture(autouse=True)
def no_data(monkeypatch, tmp_path):
    """Texts are generated."""
    monkeypatch.setenv("BRIDGERAG_DATA", str(tmp_path / "none"))


def test_a_corpus_has_the_size_asked_for_and_copies_differ(benchmark, tmp_path, monkeypatch):
    corpus = benchmark("speed._corpus")
    monkeypatch.setattr(corpus, "_CHARS", 2_000)
    monkeypatch.setattr(corpus, "_DOCUMENTS", 5)
    megabytes = corpus.write(tmp_path / "c.jsonl", 0.03)
    texts = dict(corpus.read(tmp_path / "c.jsonl"))
    assert megabytes == pytest.approx(0.03, rel=0.2)
    assert len(set(texts.values())) == len(texts) > 10
    assert texts["0-0"].split()[:3] != texts["1-0"].split() != texts["0-0"].split()


@pytest.mark.parametrize("word", ["build", "memory"])
def test_the_quick_form_gives_rows_against_a_plain_index(benchmark, word):
    module = benchmark(f"speed.{word}")
    rows = list(module.measure(quick(module, rounds=1)))
    ours = [row for row in rows if row.way == "bridgerag, no embedding"]
    assert ours
    assert all(row.median > 0 and row.ratio and "FTS5" in row.than for row in ours)
