"""What a start does not load, so that it stays quick: modules, not times, which vary."""

import subprocess
import sys

import pytest

LIBRARIES = {
    *("onnxruntime", "tokenizers", "openvino", "torch", "openai", "spacy", "sklearn", "scipy"),
    *("faiss", "pypdfium2", "docx", "selectolax", "charset_normalizer", "pathspec", "filelock"),
    *("asyncio", "ssl", "http.server", "rich"),
}
WRITING = {
    *("bridgerag.ingest", "bridgerag.documents", "bridgerag.abstracts", "bridgerag.generation"),
    *("bridgerag.store.writer", "bridgerag.store.build", "bridgerag.store.check"),
}
OTHER_METHODS = {
    f"bridgerag.retrieval.{name}"
    for name in ("cft", "graph", "hippo", "raptor", "tree", "tree_ann", "entity_graph", "clusters")
}


def loaded_by(code: str) -> set[str]:
    """Return the modules that a new process has loaded when ``code`` has run."""
    listing = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
    run = subprocess.run(
        [sys.executable, "-c", listing + code], capture_output=True, text=True, check=True
    )
    return set(run.stderr.splitlines()[-1].split())


def loaded_by_command(*words: object) -> set[str]:
    argv = ["bridgerag", *map(str, words)]
    return loaded_by(f"sys.argv = {argv!r}\nfrom bridgerag.cli import main\nmain()")


def test_importing_the_package_loads_no_part_of_it():
    loaded = loaded_by("import bridgerag")
    assert {name for name in loaded if name.startswith("bridgerag.")} == set()
    assert not loaded & {"numpy", "click", "sqlite3", *LIBRARIES}


def test_help_loads_neither_numpy_nor_the_engine():
    loaded = loaded_by_command("--help")
    assert not loaded & {"numpy", "sqlite3", "bridgerag.engine", "bridgerag.types", *LIBRARIES}


@pytest.mark.parametrize("words", [("status",), ("search", "How is the dome opened?")])
def test_reading_a_store_without_vectors_loads_no_model_and_nothing_that_writes(store, words):
    loaded = loaded_by_command(*words, "--store", store)
    assert "bridgerag.retrieval.walk" in loaded
    assert not loaded & {*LIBRARIES, *WRITING, *OTHER_METHODS, "bridgerag.evaluation"}


def test_asking_for_another_method_loads_that_one_only(store):
    loaded = loaded_by_command("search", "dome", "--method", "hippo", "--store", store)
    assert "bridgerag.retrieval.hippo" in loaded
    assert not loaded & (OTHER_METHODS - {"bridgerag.retrieval.hippo"})
