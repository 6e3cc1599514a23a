"""Several stores opened together are searched as one."""

import pytest

import bridgerag
from bridgerag.errors import InputError, ModelMismatch

TEXTS = {
    "amber": "The Amber Gate opens at dawn. Ilse Varrow keeps the key.",
    "birch": "Ilse Varrow was born in Birch Hollow.",
    "cedar": "Cedar Point has no gate. Tavish Ureno lives there.",
    "dune": "Tavish Ureno met Ilse Varrow at the Amber Gate.",
}


def fill(path, embedder, names):
    with bridgerag.open(path, settings={"embedding": "none"}, embedder=embedder) as bridge:
        bridge.add(documents=[bridgerag.Document(n, n.title(), "", TEXTS[n]) for n in names])


def shown(context):
    return (
        [(h.document.id, h.chunk, h.score, h.text, len(h.why)) for h in context.hits],
        [(e.text, len(e.abstracts), e.ignored) for e in context.entities],
        [(note.level, note.summary) for note in context.abstracts],
        context.fallback,
    )


@pytest.mark.parametrize("method", ["bridge", "naive"])
def test_two_stores_answer_as_one_that_holds_everything(tmp_path, hashed, method):
    fill(tmp_path / "one", hashed, ["dune", "amber"])
    fill(tmp_path / "two", hashed, ["cedar", "birch"])
    fill(tmp_path / "all", hashed, list(TEXTS))
    with (
        bridgerag.open(tmp_path / "one", tmp_path / "two", embedder=hashed) as both,
        bridgerag.open(tmp_path / "all", embedder=hashed) as single,
    ):
        for question in ("Who keeps the key of the Amber Gate?", "Ilse Varrow", "gate at dawn?"):
            found, expected = (b.search(question, method=method) for b in (both, single))
            assert shown(found)[:2] == shown(expected)[:2]
            assert sorted(shown(found)[2]) == sorted(shown(expected)[2])
            assert found.fallback == expected.fallback
        assert both.documents() == single.documents()
        assert both.text("birch") == TEXTS["birch"]


def test_several_stores_cannot_be_written_to_as_one(tmp_path, hashed):
    fill(tmp_path / "one", hashed, ["dune"])
    fill(tmp_path / "two", hashed, ["cedar"])
    both = bridgerag.open(tmp_path / "one", tmp_path / "two", embedder=hashed)
    for write in (lambda: both.add(tmp_path), lambda: both.remove("dune"), both.compact):
        with pytest.raises(InputError, match="number of stores is 2; it must be 1"):
            write()
    both.close()


def test_stores_of_two_models_are_refused_together(tmp_path, hashed):
    fill(tmp_path / "one", hashed, ["dune"])
    fill(tmp_path / "two", None, ["cedar"])
    with pytest.raises(ModelMismatch):
        bridgerag.open(tmp_path / "one", tmp_path / "two", embedder=hashed)
