"""A recogniser of one's own finds the entities of a question."""

import numpy as np

import bridgerag
from bridgerag.entities import entity_key
from bridgerag.types import Mention


class LastWord:
    """Takes the last word of a question for its only entity."""

    def recognize(self, question, contains):
        start = question.rindex(" ") + 1
        key = entity_key(question[start:])
        known = contains(np.array([key], np.uint64))[0]
        return [Mention(question[start:], start, len(question), key)] if known else []


def test_given_a_recognizer_then_only_what_it_finds_is_followed(tmp_path, hashed):
    how = {"settings": {"embedding": "none"}, "embedder": hashed}
    with bridgerag.open(tmp_path / "store", **how) as plain:
        texts = {"a": "Mirthe Okonda lives in Birch Hollow.", "b": "Tavish Ureno left for Ostwick."}
        plain.add(documents=[bridgerag.Document(n, "", "", text) for n, text in texts.items()])
        found = plain.search("Did Mirthe Okonda go to Ostwick", method="bridge")
        assert {entity.text for entity in found.entities} >= {"Mirthe Okonda", "Ostwick"}
    with bridgerag.open(tmp_path / "store", recognizer=LastWord(), **how) as own:
        for method in ("walk", "bridge"):
            found = own.search("Did Mirthe Okonda go to Ostwick", k=1, method=method)
            assert [entity.text for entity in found.entities] == ["Ostwick"]
            assert method == "walk" or [hit.document.id for hit in found.hits] == ["b"]
            assert own.search("Did Mirthe Okonda go to Nowhere", method=method).fallback
