"""An add that dies in the middle: what it committed stays, and the next one goes on from there."""

import json
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import bridgerag
from bridgerag.ingest import add as ingest

ROWS, BATCH = 40, 8
HOW = bridgerag.Settings(embedding="none", chunk_tokens=16)

# Dies, by a kill or an interrupt, while the texts of the fourth batch are embedded.
DYING = """
    import os, runpy, signal, sys
    import bridgerag
    from bridgerag.ingest import add as ingest
    conftest, store, source, batch, how = sys.argv[1:]
    ingest._BATCH_CHUNKS = int(batch)
    hashed = runpy.run_path(conftest)["HashedVectors"]()
    embed, calls = hashed.embed, []
    def dying(texts, on_done=None):
        calls.append(1)
        if len(calls) == 4:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.kill(os.getpid(), getattr(signal, how))
        return embed(texts, on_done)
    hashed.embed = dying
    settings = bridgerag.Settings(embedding="none", chunk_tokens=16)
    bridgerag.open(store, settings=settings, embedder=hashed).add(source)
"""


@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_given_an_add_that_died_then_the_next_embeds_only_what_is_missing(
    tmp_path, hashed, monkeypatch, how
):
    source = tmp_path / "rows.jsonl"
    rows = [{"id": f"r{n:02}", "text": f"Row {n} names the Amber Gate."} for n in range(ROWS)]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    conftest = Path(__file__).parents[1] / "conftest.py"
    words = (conftest, tmp_path / "store", source, BATCH, how)
    died = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(DYING), *map(str, words)],
        check=False,
        stderr=subprocess.DEVNULL,
    )
    assert died.returncode in (-signal.SIGKILL, -signal.SIGINT, 1)
    texts = []
    embed = hashed.embed

    def noting(asked, on_done=None):
        texts.extend(asked)
        return embed(asked, on_done)

    hashed.embed = noting
    monkeypatch.setattr(ingest, "_BATCH_CHUNKS", BATCH)
    with bridgerag.open(tmp_path / "store", settings=HOW, embedder=hashed) as bridge:
        kept = len(bridge.documents())
        assert kept >= 3 * BATCH
        report = bridge.add(source)
        assert (report.added, report.unchanged) == (ROWS - kept, kept)
        assert len(texts) == ROWS - kept
        assert bridge.check().problems == ()
        texts.clear()
        assert bridge.add(source).unchanged == ROWS
        assert texts == []
