"""A corpus whose entity trees are known, and how the tests of tree methods search it.

Norway
├── Oslo ── Frogner
└── Bergen
France ── Paris
"""

from contextlib import contextmanager

import bridgerag
from bridgerag.entities import question_words
from bridgerag.retrieval import Question, Timings
from bridgerag.types import Document

TEXTS = {
    "frogner": "Frogner is part of Oslo, and people stroll there.",
    "oslo": "Oslo is the capital of Norway. Ships call there in summer.",
    "bergen": "Bergen belongs to Norway, where rain falls most days.",
    "norway": "Fish from Norway is sold all over the world.",
    "paris": "Paris is the capital of France. Painters like its light.",
    "weather": "Sundays in summer are quiet, and rain falls on ships.",
}


def documents(texts=TEXTS):
    return [Document(name, "", "", text) for name, text in texts.items()]


@contextmanager
def snapshot_of(folder, embedder, *batches):
    """Give a snapshot of a store with a segment for each batch of documents."""
    settings = bridgerag.Settings(embedding="none")
    with bridgerag.open(folder / "store", settings=settings, embedder=embedder) as bridge:
        for batch in batches or (documents(),):
            bridge.add(documents=batch)
        with bridge._stores.open().reading() as snapshot:
            yield snapshot


def ask(method, snapshot, embedder, text, k=8, depth=2):
    """Return what a method finds, and the documents of the chunks with the reason for each."""
    vector = embedder.embed([text])[0] if embedder else None
    question = Question(text, question_words(text), vector)
    found = method(snapshot, question, k, depth, Timings())
    reasons = {}
    for chosen in found.selected:
        document = chosen.live.document(chosen.live.document_of_chunk(chosen.chunk))[1].id
        reasons[document] = chosen.origins[0].path or chosen.origins[0].kind
    return found, reasons
