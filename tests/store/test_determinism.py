"""The same documents give the same bytes, whatever the number of workers and the order."""

import random
import sqlite3

import pytest

import bridgerag
from bridgerag.embedding.minilm import MiniLM

WORDS = ["gate", "river", "stone", "bridge", "winter", "letter", "council", "harbour", "engine"]


def documents():
    chance = random.Random(5)
    for number in range(40):
        sentences = (
            " ".join(chance.choices(WORDS, k=chance.randrange(3, 12))).capitalize() + "."
            for _ in range(chance.randrange(2, 6))
        )
        yield bridgerag.Document(f"d{number:02}", f"Ilse Varrow {number}", "", " ".join(sentences))


def built(path, workers, made, windows):
    how = bridgerag.Settings(chunk_tokens=24, window=2, branching=2, windows=windows)
    with bridgerag.open(path, settings=how, embedder=MiniLM(workers)) as bridge:
        bridge.add(documents=made)
        files = {p.relative_to(path): p.read_bytes() for p in path.glob("segments/*/*")}
        return files, bridge.status()


@pytest.mark.parametrize("windows", ["fixed", "content"])
def test_given_one_or_two_workers_and_another_order_then_segments_are_equal(tmp_path, windows):
    one, status = built(tmp_path / "one", 1, list(documents()), windows)
    two, _ = built(tmp_path / "two", 2, list(documents())[::-1], windows)
    assert status.chunks >= 40
    assert len(one) == 7
    assert one == two


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_given_any_number_of_analysing_threads_then_store_and_report_are_equal(
    tmp_path, monkeypatch, threads
):
    """Files with many documents, with none, and with one that another file has already."""
    folder = tmp_path / "files"
    folder.mkdir()
    for number, document in enumerate(documents()):
        rows = [f'{{"id": "{number}-{i}", "text": "{document.text} {i}"}}\n' for i in range(60)]
        rows.insert(30, '{"id": "shared", "text": "One and the same."}\n')
        rows.insert(40, f'{{"id": "{number}-none", "text": " "}}\n')
        (folder / f"{number:02}.jsonl").write_text("".join(rows))
    (folder / "empty.txt").write_text("")

    def built_by(threads):
        monkeypatch.setattr("bridgerag.ingest.add.usable_cores", lambda: threads)
        path = tmp_path / f"store-{threads}"
        how = bridgerag.Settings(embedding="none", chunk_tokens=24)
        with bridgerag.open(path, settings=how) as bridge:
            report = bridge.add(folder)
        files = {p.relative_to(path): p.read_bytes() for p in path.glob("segments/*/*")}
        with sqlite3.connect(path / "catalog.sqlite") as catalog:
            rows = [
                catalog.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
                for table in ("documents", "chunks", "abstracts")
            ]
        return files, rows, report.skipped, (report.added, report.chunks)

    assert built_by(threads) == built_by(3)


def test_the_content_hash_tells_documents_and_settings_and_nothing_else(tmp_path, hashed):
    def store(name, **settings):
        how = bridgerag.Settings(**{"embedding": "none", "chunk_tokens": 16, **settings})
        return bridgerag.open(tmp_path / name, settings=how, embedder=hashed)

    made = list(documents())
    with (
        store("a") as a,
        store("b") as b,
        store("c", window=3) as c,
        store("d", windows="content") as d,
    ):
        a.add(documents=made)
        for document in made[::-1]:
            b.add(documents=[document])
        c.add(documents=made)
        assert a.status().content_hash == b.status().content_hash
        d.add(documents=made)
        assert len({bridge.status().content_hash for bridge in (a, c, d)}) == 3
        b.compact()
        assert a.status().content_hash == b.status().content_hash
        b.remove("d03")
        changed = b.status().content_hash
        assert a.status().content_hash != changed
        a.remove("d03")
        assert a.status().content_hash == changed
