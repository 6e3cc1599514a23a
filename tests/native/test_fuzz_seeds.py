"""The fuzz seeds are payloads that this release reads: a fuzzer that starts at them gets inside."""

from pathlib import Path

import numpy as np
import pytest

from bridgerag._native import EntityIndex, Forest, LexicalIndex, NameIndex

SEEDS = Path(__file__).parents[2] / "native" / "fuzz" / "seeds"


def seeds(target):
    paths = sorted((SEEDS / target).iterdir())
    return pytest.mark.parametrize("path", paths, ids=lambda path: path.name)


@seeds("entity_index")
def test_every_entity_index_is_sound(path):
    index = EntityIndex.from_buffer(path.read_bytes())
    keys, offsets, ids = index.entries()
    assert (len(keys), offsets[-1]) == (len(index), len(ids))
    if not path.name.startswith("layout-1-"):  # written as layout 2
        assert index.to_bytes() == path.read_bytes()


@seeds("forest")
def test_every_forest_is_sound(path):
    assert Forest.from_buffer(path.read_bytes()).check() == ""


@seeds("lexical")
def test_every_lexical_index_is_sound(path):
    index = LexicalIndex.from_buffer(np.fromfile(path, np.uint8))
    _, offsets, chunks, _ = index.entries()
    assert offsets[-1] == len(chunks) == index.postings


@seeds("name_index")
def test_every_index_of_names_is_sound(path):
    index = NameIndex.from_buffer(np.fromfile(path, np.uint8))
    index.check()
    assert index.to_bytes() == path.read_bytes()
