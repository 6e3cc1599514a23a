"""Make the golden stores of a format and what must be found in them: `python tests/golden/make.py`.

Run it once when a format is new, and never again for that format: what it made is opened by the
tests for ever. A later format gets a folder of its own beside it.
"""

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np

import bridgerag
from bridgerag.store.catalog import FORMAT

FOLDER = Path(__file__).parent / f"format-{FORMAT}"
HOW = bridgerag.Settings(embedding="none", chunk_tokens=24, window=2, branching=2)
QUESTIONS = (
    "Who repaired the Amber Gate?",
    "Where does the River Ostrava rise?",
    "Что сказала Ирина Соколова?",
)
TEXTS = {
    "gate": "The Amber Gate stood open for a year. Ilse Varrow repaired the Amber Gate in May. "
    "Tavish Ureno paid for the hinges. Nobody has closed it since.",
    "river": "# Rivers\n\nThe River Ostrava rises near Mount Kell. Its water is cold.\n\n"
    "It meets the sea at Port Lumen, where Ilse Varrow was born. Ships wait there for the tide.",
    "speech": "Ирина Соколова открыла мост. «Мост стоит», сказала Ирина Соколова. Потом был дождь.",
    "gone": "This document was removed before the store was put away.",
    "late": "Added last: the Amber Gate was painted green. Mount Kell can be seen from it.",
}


class ToyVectors:
    """A bag of words, each a direction that depends on its spelling alone."""

    name, fingerprint, dim = "toy", "toy-1", 16

    def embed(self, texts, on_done=None):
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.casefold().split():
                digest = hashlib.sha256(word.strip(".,?!:«»#").encode()).digest()
                row += [byte / 128 - 1 for byte in digest[: self.dim]]
            row /= max(float(np.linalg.norm(row)), 1e-9)
        if on_done:
            on_done(len(texts))
        return rows

    def count_tokens(self, text):
        return len(text.split())


def found(bridge):
    """Return what a golden store must give for ever."""
    return {
        "documents": {ref.id: [ref.title, bridge.text(ref.id)] for ref in bridge.documents()},
        "hits": {
            question: [
                [hit.document.id, hit.chunk, hit.start, hit.end, list(hit.headings)]
                for hit in bridge.search(question, method="naive", k=3).hits
            ]
            for question in QUESTIONS
        },
        "first": {
            question: [hit.document.id for hit in bridge.search(question, method="bridge").hits[:1]]
            for question in QUESTIONS
        },
        "filtered": [
            hit.document.id
            for hit in bridge.search("Amber Gate", method="bridge", where="year >= 2020", k=9).hits
        ],
        "root": bridge.tree("river").summary,
        "content_hash": bridge.status().content_hash,
    }


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    for name, embedder in (("none", None), ("toy", ToyVectors())):
        made = [
            bridgerag.Document(key, key.title(), "", text, metadata={"year": 2019 + number})
            for number, (key, text) in enumerate(TEXTS.items())
        ]
        with bridgerag.open(FOLDER / name, settings=HOW, embedder=embedder) as bridge:
            bridge.add(documents=made[:-1])
            bridge.add(documents=made[-1:])
            bridge.remove("gone")
            expected = found(bridge)
        for side in ("writer.lock", "catalog.sqlite-wal", "catalog.sqlite-shm"):
            (FOLDER / name / side).unlink(missing_ok=True)
        text = json.dumps(expected, ensure_ascii=False, indent=1)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
