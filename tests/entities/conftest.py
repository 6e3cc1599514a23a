import pytest

from bridgerag.entities import Vocabulary, read_words
from bridgerag.types import Chunk, Document, Section


def cut(text, sentences_per_chunk=3):
    """Chunks of a text whose sentences end with a line break."""
    spans, start = [], 0
    for line in text.split("\n"):
        if line.strip():
            spans.append((start, start + len(line)))
        start += len(line) + 1
    groups = [spans[i : i + sentences_per_chunk] for i in range(0, len(spans), sentences_per_chunk)]
    return [Chunk(group[0][0], group[-1][1], len(group), tuple(group)) for group in groups]


@pytest.fixture
def read():
    """Return (document, chunks, words) of a text, one sentence a line."""

    def make(text, title="", sentences_per_chunk=3):
        chunks = cut(text, sentences_per_chunk)
        document = Document("d", title, "d.txt", text, (Section(0, len(text)),))
        return document, chunks, read_words(text, chunks, Vocabulary())

    return make
