"""Shared parts of the command-line tests: a runner, records to print, a real store to ask."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bridgerag.cli.app import cli
from bridgerag.types import Context, DocumentRef, EntityMatch, Hit, Reason

HANDBOOK = """# Handbook of the Alder Observatory

## Opening the dome

Turn the brass key twice before opening the dome. The shutters need forty seconds.

## Closing the dome

Park the telescope first. Then close the shutters and take out the brass key.
"""
READINGS = "station,mirror,degrees\nAlder,Borealis,4\nBirch,Australis,9\n"


@pytest.fixture
def run() -> Callable[..., Result]:
    """Run a command as a shell would, without the start-up time of a process."""
    return lambda *words, **options: CliRunner().invoke(
        cli, [str(word) for word in words], **options
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """A folder with a Markdown file, a table and a file that cannot be read."""
    folder = tmp_path_factory.mktemp("papers")
    (folder / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    (folder / "readings.csv").write_text(READINGS, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 and nothing more")
    return folder


@pytest.fixture(scope="session")
def store(tmp_path_factory, folder) -> Path:
    """A store without vectors that holds `folder`; tests only read it."""
    store = tmp_path_factory.mktemp("store") / "bridge.store"
    result = CliRunner().invoke(
        cli, ["add", str(folder), "--store", str(store), "--embedding", "none"]
    )
    assert result.exit_code == 0, result.output
    return store


@pytest.fixture
def hit() -> Callable[..., Hit]:
    """Make a hit; every field can be given."""

    def make(**fields: object) -> Hit:
        text = str(fields.get("text", "Turn the brass key twice."))
        given = {
            "rank": 1,
            "score": 0.5,
            "text": text,
            "document": DocumentRef("/a/handbook.md", "Handbook", "/a/handbook.md"),
            "chunk": 0,
            "start": 10,
            "end": 10 + len(text),
            "abstracts": (7,),
            "why": (Reason("entity", "names brass key", 0.5, "brass key", 7, 7, 0),),
        }
        return Hit(**{**given, **fields})

    return make


@pytest.fixture
def context(hit) -> Context:
    """A context with one hit."""
    return Context(
        question="How is the dome opened?",
        method="bridge",
        depth=2,
        entities=(EntityMatch("dome", (7,)),),
        hits=(hit(),),
        abstracts=(),
        fallback=False,
        timings_ms={"total": 1.0},
    )


@pytest.fixture
def in_folder(tmp_path, monkeypatch) -> Iterator[Path]:
    """Work in an empty folder, with no store named by the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BRIDGERAG_STORE", raising=False)
    yield tmp_path
