"""Another embedding model: all or nothing, without the source files, while others search."""

import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

import bridgerag
from bridgerag.errors import BridgeError, InputError, ModelMismatch

HOW = bridgerag.Settings(embedding="none", chunk_tokens=16, window=2, branching=2)
CONTENT = replace(HOW, windows="content")
LONG = "".join(f"The {thing} stood open. " * 6 for thing in ("gate", "lock", "mill"))


def document(number, text="The Amber Gate stood open. Ilse Varrow closed it."):
    return bridgerag.Document(f"d{number}", f"Note {number}", "", f"{text} It was day {number}.")


@pytest.fixture
def opened(tmp_path, hashed):
    with bridgerag.open(tmp_path / "store", settings=HOW, embedder=hashed) as bridge:
        for first in (0, 4):
            bridge.add(documents=[document(n) for n in range(first, first + 4)])
        bridge.remove("d2")
        yield bridge


@pytest.fixture
def wider(hashed):
    other = type(hashed)()
    other.name, other.fingerprint, other.dim = "wider", "wider-1", 48
    return other


def files(bridge):
    return {path.name: path.read_bytes() for path in bridge.path.glob("segments/*/*")}


def test_given_another_model_then_the_store_is_as_if_built_with_it(opened, wider, tmp_path):
    told = []
    chunks = opened.reembed(embedder=wider, progress=lambda *word: told.append(word))
    assert told[-1] == ("chunks", chunks, chunks)
    assert (opened.status().embedding, opened.status().dim) == ("wider", 48)
    assert opened.check().problems == ()
    opened.compact()
    with bridgerag.open(tmp_path / "fresh", settings=HOW, embedder=wider) as fresh:
        fresh.add(documents=[document(n) for n in range(8) if n != 2])
        assert files(opened) == files(fresh)
        assert fresh.status().content_hash == opened.status().content_hash


def test_given_windows_that_follow_content_then_vectors_are_aggregated_over_them(
    tmp_path, hashed, wider
):
    made = [document(n, LONG * (n + 1)) for n in range(4)]
    with (
        bridgerag.open(tmp_path / "store", settings=CONTENT, embedder=hashed) as opened,
        bridgerag.open(tmp_path / "fresh", settings=CONTENT, embedder=wider) as fresh,
    ):
        opened.add(documents=made)
        fresh.add(documents=made)
        opened.reembed(embedder=wider)
        assert opened.check().problems == ()
        assert files(opened) == files(fresh)


def test_given_the_bundled_none_then_vectors_go_and_the_name_is_recorded(opened):
    opened.reembed("none")
    assert opened.status().settings["embedding"] == "none"
    assert opened.status().dim == 0
    assert opened.search("Amber Gate").hits
    with bridgerag.open(opened.path) as again:
        assert again.search("Amber Gate").hits


def test_given_an_own_embedder_elsewhere_then_it_is_refused_after_the_change(opened, hashed, wider):
    with bridgerag.open(opened.path, embedder=hashed) as other:
        assert other.search("Amber Gate").hits
        opened.reembed(embedder=wider)
        with pytest.raises(ModelMismatch, match="wider"):
            other.search("Amber Gate")
        with pytest.raises(ModelMismatch, match="wider"):
            other.add(documents=[document(9)])


def test_given_a_named_model_elsewhere_then_its_next_search_takes_the_new_one(tmp_path, hashed):
    with bridgerag.open(tmp_path / "store", settings=HOW) as other:
        other.add(documents=[document(n) for n in range(3)])
        before = other.search("Amber Gate")
        with bridgerag.open(tmp_path / "store") as bridge:
            bridge.reembed("minilm")
            after = other.search("Amber Gate")
            assert [hit.document.id for hit in after.hits]
            assert other.status().dim == 384
            assert any("cosine" in why.text for why in after.hits[0].why)
            assert not any("cosine" in why.text for why in before.hits[0].why)
            other.add(documents=[document(7)])
            assert bridge.check().problems == ()


def test_given_an_unknown_model_then_nothing_changes(opened):
    before = files(opened)
    with pytest.raises(InputError):
        opened.reembed("gpt")
    assert files(opened) == before


def test_given_a_failing_model_then_the_store_is_as_it_was_and_no_file_stays(opened, wider):
    before = files(opened)
    wider.embed = lambda texts, on_done=None: (_ for _ in ()).throw(BridgeError("no answer"))
    with pytest.raises(BridgeError, match="no answer"):
        opened.reembed(embedder=wider)
    assert files(opened) == before
    assert opened.search("Amber Gate").hits
    assert len(list((opened.path / "segments").iterdir())) == 2


KILLED = """
    import os, pathlib, signal, sys
    sys.path.insert(0, sys.argv[2])
    import bridgerag
    from conftest import HashedVectors
    class Dying(HashedVectors):
        fingerprint, calls = "dying", 0
        def embed(self, texts, on_done=None):
            self.calls += 1
            if self.calls == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().embed(texts, on_done)
    bridgerag.Bridge(pathlib.Path(sys.argv[1])).reembed(embedder=Dying())
"""


def test_given_a_kill_between_two_segments_then_the_old_store_is_whole(opened, hashed, wider):
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(opened.path), tests]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert len(list((opened.path / "segments").iterdir())) == 4
    with bridgerag.open(opened.path, embedder=hashed) as bridge:
        assert bridge.check().problems == ()
        assert bridge.search("Amber Gate").hits
        bridge.reembed(embedder=wider)
        assert len(list((opened.path / "segments").iterdir())) == 2
        assert bridge.check().problems == ()
