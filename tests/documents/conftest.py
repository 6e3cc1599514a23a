"""Where the shared data lies, and a helper that loads one document."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bridgerag.documents import load
from bridgerag.types import Document

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def data_folder():
    folder = Path(os.environ.get("BRIDGERAG_DATA", PROJECT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"needs the data sets in {folder}; name another folder with BRIDGERAG_DATA")
    return folder


@pytest.fixture
def load_one(tmp_path):
    """Write ``data`` to a file called ``name`` and return the one item that loading it gives."""

    def load_file(name, data):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        (item,) = load(path)
        if isinstance(item, Document):
            check_document(item)
        return item

    return load_file


def check_document(document):
    at = 0
    for section in document.sections:
        assert section.start == at and section.end > at, "sections must tile the text"
        at = section.end
    assert at == len(document.text)
    assert not {c for c in document.text if c < " "} - {"\n", "\t"}
    document.text.encode()
