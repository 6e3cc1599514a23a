"""The index of names, against what the spans and words of its documents say."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag._native import DROPPED, NameIndex, word_key
from bridgerag.documents import chunk
from bridgerag.entities import Vocabulary, read_words
from bridgerag.entities.names import names_of, read_title
from bridgerag.types import Document, Section

TITLE_POSITION = 65535
WORDS = st.sampled_from(["Ilse", "Varrow", "Amber", "Gate", "Kell", "1984", "of", "the", "opened"])
TITLES = st.sampled_from(
    ["Amber Gate", "Kell", "Ilse Varrow (painter)", "Notes: Amber Gate", "", "x"]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=9).map(lambda words: f"{' '.join(words)}.")
DOCUMENTS = st.lists(
    st.tuples(TITLES, st.lists(SENTENCES, min_size=1, max_size=6).map(" ".join)), max_size=5
)


def read(number, title, text):
    """Return the title of a document and what it brings to the index."""
    document = Document(f"d{number}", title, "", text, sections=(Section(0, len(text)),))
    chunks = chunk(document, lambda part: len(part.split()), 8)
    return title, names_of(document.id, title, read_words(text, chunks, Vocabulary()))


def read_all(documents, start=0):
    return [read(start + i, *document) for i, document in enumerate(documents)]


def first_chunks(read_documents):
    return np.cumsum([0, *(len(names) for _, names in read_documents)]).astype(np.uint32)


def build(read_documents):
    return NameIndex.build([names for _, names in read_documents])


class Twin:
    """The same from dictionaries."""

    def __init__(self, read_documents):
        self.postings = defaultdict(dict)
        self.definitions = defaultdict(list)
        self.spans, self.stems = [], []
        for number, (title, names) in enumerate(read_documents):
            titled, title_stems = read_title(title)
            for name in titled.tolist():
                self.definitions[name].append(number)
            first = len(self.spans)
            self.spans += ([] for _ in range(len(names)))
            self.stems += ([] for _ in range(len(names)))
            for here, name, *rest in zip(*map(np.ndarray.tolist, names.spans()), strict=True):
                self.spans[first + here].append((name, *rest))
                held = self.postings[name]
                held[first + here] = held.get(first + here, 0) | rest[-1]
            for here, *word in zip(*map(np.ndarray.tolist, names.stem_places()), strict=True):
                self.stems[first + here].append(tuple(word))
            for row in self.stems[first:]:
                row += ((stem, TITLE_POSITION) for stem in title_stems.tolist())


def rows(columns):
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(DOCUMENTS)
def test_an_index_says_what_its_documents_say(documents):
    brought = read_all(documents)
    index, twin = build(brought), Twin(brought)
    index.check()
    assert index.names.tolist() == sorted(twin.postings)
    assert (index.documents, index.chunks) == (len(documents), len(twin.spans))
    for name in [*twin.postings, *twin.definitions, word_key("absent")]:
        assert rows(index.postings(name)) == sorted(twin.postings.get(name, {}).items())
        assert index.definitions(name).tolist() == twin.definitions.get(name, [])
    assert [rows(index.spans(c)) for c in range(index.chunks)] == twin.spans
    assert [rows(index.stems(c)) for c in range(index.chunks)] == twin.stems
    assert index.ids == [f"d{i}" for i in range(len(documents))]


@given(st.lists(DOCUMENTS, max_size=3), st.data())
def test_a_merge_is_byte_for_byte_what_is_built_of_the_documents_that_are_left(parts, data):
    brought = [read_all(part, 10 * i) for i, part in enumerate(parts)]
    firsts = [first_chunks(part) for part in brought]
    everything = [(i, d) for i, part in enumerate(brought) for d in range(len(part))]
    kept = data.draw(st.permutations([one for one in everything if data.draw(st.booleans())]))
    maps = [np.full(first[-1], DROPPED, np.uint32) for first in firsts]
    end = 0
    for i, d in kept:
        start, last = firsts[i][d : d + 2].tolist()
        maps[i][start:last] = np.arange(end, end + last - start)
        end += last - start
    merged = NameIndex.merge([build(part) for part in brought], firsts, maps)
    merged.check()
    assert merged.to_bytes() == build([brought[i][d] for i, d in kept]).to_bytes()


def test_what_does_not_fit_is_refused():
    brought = read_all([("Kell", "Mount Kell is cold. It is high."), ("", "Amber Gate.")])
    index, firsts = build(brought), first_chunks(brought)
    numbers = np.arange(firsts[-1], dtype=np.uint32)
    assert NameIndex.merge([index], [firsts], [numbers]).to_bytes() == index.to_bytes()
    for first, numbered, message in (
        (firsts[:-1], numbers, "documents must share out its chunks"),
        (firsts, numbers[:-1], "a number for each of its chunks"),
        (firsts, np.zeros_like(numbers), "give each from 0 up once"),
    ):
        with pytest.raises(ValueError, match=message):
            NameIndex.merge([index], [first], [numbered])
    with pytest.raises(ValueError, match="1 parts and 0 maps"):
        NameIndex.merge([index], [firsts], [])
    with pytest.raises(TypeError, match="None"):
        NameIndex.build([None])
    with pytest.raises(ValueError, match="not the payload of a name index"):
        NameIndex.from_buffer(np.zeros(96, np.uint8))
    damaged = np.frombuffer(index.to_bytes(), np.uint8).copy()
    damaged[64] ^= 1  # a bit of the first key: the names may still ascend, the titles differ
    damaged[72] ^= 1  # where its postings start
    with pytest.raises(ValueError, match="name index"):
        NameIndex.from_buffer(damaged).check()


def test_accessors_outside_give_nothing():
    index = build(read_all([("Kell", "Mount Kell is cold.")]))
    assert rows(index.spans(index.chunks)) == rows(index.stems(2**32 - 1)) == []
    assert rows(index.postings(word_key("absent"))) == []
