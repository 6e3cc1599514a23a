"""How a text spells the names that `walk` read in it."""

from __future__ import annotations

from collections.abc import Sequence

from bridgerag.entities.tokens import TOKEN, is_word
from bridgerag.store import ChunkRow, Snapshot, address
from bridgerag.store.snapshot import LiveSegment
from bridgerag.types import DocumentRef

__all__ = ["Place", "Spelling"]

_APART = 8  # words that stand for the border between two sentences; as in name_reader.h

Place = tuple[int, int, int]  # chunk, first word, words


class Spelling:
    """Reads names and titles by the numbers of a graph over ``snapshot``; each text once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._names: dict[Place, str] = {}
        self._rows: dict[int, ChunkRow] = {}
        self._documents: dict[tuple[int, int], tuple[int, DocumentRef]] = {}

    def title(self, chunk: int) -> str:
        """Return the title of a chunk's document; its id where it has none."""
        live, here = self._snapshot.placed(chunk)
        _, ref = self._document(live, live.document_of_chunk(here))
        return ref.title or ref.id

    def name(self, place: Place) -> str:
        """Return the words at a place of a chunk."""
        if place not in self._names:
            self._names[place] = self._read(*place)
        return self._names[place]

    def _read(self, chunk: int, first: int, count: int) -> str:
        live, here = self._snapshot.placed(chunk)
        document = live.document_of_chunk(here)
        number, _ = self._document(live, document)
        where = address(number, here - int(live.segment.first_chunk[document]))
        if chunk not in self._rows:
            self._rows[chunk] = live.records.chunk_rows([where])[where]
        row = self._rows[chunk]
        return _words_at(row.text, row.sentences, first, count)

    def _document(self, live: LiveSegment, place: int) -> tuple[int, DocumentRef]:
        key = id(live), place
        if key not in self._documents:
            self._documents[key] = live.document(place)
        return self._documents[key]


def _words_at(text: str, sentences: Sequence[tuple[int, int]], first: int, count: int) -> str:
    position = 0
    for start, end in sentences:
        words = sum(map(is_word, TOKEN.findall(text, start, end)))
        if first < position + words:
            spans = [m.span() for m in TOKEN.finditer(text, start, end) if is_word(m.group())]
            inside = spans[first - position : first - position + count]
            return text[inside[0][0] : inside[-1][1]]
        position += words + _APART
    return ""
