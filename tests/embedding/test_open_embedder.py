import pytest

from bridgerag.embedding import open_embedder
from bridgerag.errors import InputError


@pytest.mark.parametrize(
    ("name", "full_name"),
    [
        ("minilm", "minilm-l6-v2-int8"),
        ("none", "none"),
        ("bge-m3@http://localhost:8000/v1", "bge-m3@http://localhost:8000/v1"),
    ],
)
def test_every_kind_of_name_opens_its_embedder(name, full_name):
    embedder = open_embedder(name)
    assert embedder.name == full_name
    assert embedder.fingerprint
    assert embedder.count_tokens("a wrought-iron tower") == 5


@pytest.mark.parametrize(
    "name", ["", "MiniLM", "minilm-slow", "gpt", "bge@localhost:8000", "@http://x/v1", "a@b"]
)
def test_an_unknown_name_is_refused_with_the_choices(name):
    with pytest.raises(InputError, match="MODEL@URL"):
        open_embedder(name)


def test_a_password_in_the_url_is_refused_and_not_repeated():
    with pytest.raises(InputError, match="BRIDGERAG_API_KEY") as refused:
        open_embedder("bge-m3@https://me:secret@example.org/v1")
    assert "secret" not in str(refused.value)


def test_the_embedder_without_vectors_gives_rows_without_numbers():
    done = []
    none = open_embedder("none")
    assert none.dim == 0
    assert none.embed(["one", "two"], done.append).shape == (2, 0)
    assert none.embed([]).shape == (0, 0)
    assert done == [2]
