"""What a document brings to the index of names, against slow twins and on real sentences."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bridgerag._native import read_names, word_key
from bridgerag.entities import Vocabulary, WordFlag, Words, names_of, read_words
from bridgerag.entities.names import read_title
from bridgerag.entities.plain import stem
from bridgerag.types import Chunk
from entities import name_twins, twins

# Flags as words have them, and any others.
STOP, BREAK, CAPITAL, ACRONYM, NUMBER, _, _, CONNECTOR = map(int, WordFlag)
KINDS = [0, STOP, STOP, STOP | CONNECTOR, BREAK, NUMBER, CAPITAL, CAPITAL, CAPITAL | ACRONYM]
KINDS += [CAPITAL | STOP, CAPITAL | STOP | CONNECTOR, CAPITAL | STOP | ACRONYM]
TOKENS = st.tuples(
    st.integers(1, 2**64 - 1),
    st.sampled_from([0, 1, 1, 2, 3, 200, 255]),
    st.sampled_from(KINDS) | st.integers(0, 255),
)
NAMES = st.sampled_from([NUMBER, CAPITAL, CAPITAL, STOP])
LONG_RUNS = st.lists(st.tuples(st.integers(1, 9), st.just(1), NAMES), min_size=8, max_size=30)
SENTENCES = st.lists(TOKENS, max_size=14) | LONG_RUNS
DOCUMENTS = st.lists(st.lists(SENTENCES, max_size=3), max_size=4)

SPELLINGS = ["Aimée", "aimee", "Müller", "the", "of", "The", "OF", "WHO", "U.S.", "AT&T", "3M"]
SPELLINGS += ["1984", "7", "2nd", ",", ", ", "—", " - ", "(", ":", "Springfield", "Illinois"]
SPELLINGS += ["Москва", "ёлка", "北京", "です", "の", "İ", "ß", "É", "A", "of the", "directors"]
TEXTS = st.lists(st.sampled_from(SPELLINGS) | st.text(max_size=3), max_size=25).map(" ".join)


def words_of(chunks):
    """Words from chunks, lists of sentences, which are lists of (key, letters, flags)."""
    sentences = [sentence for chunk in chunks for sentence in chunk]
    tokens = [token for sentence in sentences for token in sentence]
    keys = np.array([key for key, _, _ in tokens], np.uint64)
    return Words(
        keys=keys,
        flags=np.array([flags for _, _, flags in tokens], np.uint8),
        sentences=np.cumsum([0, *map(len, sentences)]).astype(np.uint32),
        chunks=np.cumsum([0, *map(len, chunks)]).astype(np.uint32),
        plain=keys,
        stems=(keys >> np.uint64(7)).astype(np.uint32),
        letters=np.array([letters for _, letters, _ in tokens], np.uint8),
    )


def read(text, sentences=None):
    """Words of a text of one chunk; by default it is one sentence."""
    spans = sentences or ((0, len(text)),)
    return read_words(text, [Chunk(0, len(text), 1, tuple(spans))], Vocabulary())


def rows(columns):
    return list(zip(*(column.tolist() for column in columns), strict=True))


def agree(words):
    found = names_of("d", "", words)
    spans, stems = name_twins.names(words)
    assert rows(found.spans()) == spans
    assert rows(found.stem_places()) == stems
    assert len(found) == len(words.chunks) - 1


@settings(max_examples=300, deadline=None)
@given(DOCUMENTS)
@example([])
@example([[]])
@example([[[], []], [[]], [[(5, 9, CAPITAL)]]])
def test_the_spans_and_stems_of_any_words_are_those_of_the_twin(chunks):
    agree(words_of(chunks))


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(0, 40))
def test_the_spans_and_stems_of_any_text_are_those_of_the_twin(text, cut):
    cut = min(cut, len(text))
    agree(read(text, ((0, cut), (cut, len(text)))))


def test_what_stands_far_behind_in_a_chunk_is_left_out():
    name = [(1, 3, CAPITAL), (2, 3, STOP), (3, 3, 0), (4, 3, CAPITAL), (5, 3, CAPITAL)]
    words = words_of([[*[[]] * 8120, name * 12, name], [name]])
    agree(words)
    found = names_of("d", "", words)
    chunk, _, first, _, _ = found.spans()
    assert first.max() == 65_000
    assert chunk[-1] == 1
    assert found.stem_places()[2].max() == 65_000


# ---- real sentences


def spelled(text, sentences=None):
    """The spans of a text that may be names, as {spelling: run}, each word spelled plainly."""
    words = read(text, sentences)
    known = {key(part): part for part in parts_of(text)}
    _, names, _, _, runs = names_of("d", "", words).spans()
    return {known[name]: run for name, run in zip(names.tolist(), runs.tolist(), strict=True)}


def parts_of(text):
    """All rows of up to eight words of a text, spelled plainly, with a space between words."""
    plain = [name_twins.plain(token) for token in name_twins.tokens_of(text)]
    for i in range(len(plain)):
        for j in range(i + 1, min(len(plain), i + 8) + 1):
            yield " ".join(plain[i:j])


def key(text):
    return twins.entity_key([twins.word_key(word) for word in text.split()])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nothing here is one , not 1984 either", {}),
        ("she met Ida Holm there", {"ida holm": 1, "ida": 0, "holm": 0}),
        ("Aimée Müller sang", {"aimee muller": 1, "aimee": 0, "muller": 0}),
        (
            "the University of Oxford",
            {"university": 1, "university of oxford": 0, "oxford": 1},
        ),
        (
            "in Springfield, Illinois, once",
            {"springfield": 1, "springfield illinois": 0, "illinois": 1},
        ),
        ("the 1984 Summer Olympics", {"1984 summer olympics": 0, "1984 summer": 0}
         | {"summer olympics": 1, "summer": 0, "olympics": 0}),
        ("Apollo 11 landed", {"apollo 11": 0, "apollo": 0}),
        ("asked the WHO about it", {"who": 1}),
        ("The man and The Man", {"man": 1}),
        ("Jo is Bo", {"jo is bo": 0}),
        ("Ann of the and Bob", {"ann": 1, "bob": 1}),
        ("Ann of the Bob", {"ann": 1, "ann of the bob": 0, "bob": 1}),
        ("Ann said Bob", {"ann": 1, "bob": 1}),
        ("Лев Толстой писал", {"лев толстои": 1, "лев": 0, "толстои": 0}),
        ("北京 and 東京", {}),
    ],
)  # fmt: skip
def test_spans_of_a_sentence_that_may_be_names(text, names):
    assert spelled(text) == names


def test_a_name_does_not_reach_into_the_next_sentence():
    text = "Ann Bob"
    assert spelled(text, ((0, 3), (3, 7))) == {"ann": 1, "bob": 1}
    _, _, first, _, _ = names_of("d", "", read(text, ((0, 3), (3, 7)))).spans()
    assert first.tolist() == [0, 9]


def test_stems_stand_where_their_words_do():
    _, stems, positions = names_of("d", "", read("The directors, of films")).stem_places()
    assert positions.tolist() == [1, 3]
    assert stems.tolist() == [word_key(word) & 0xFFFFFFFF for word in ("direct", "film")]


# ---- titles


@settings(max_examples=300, deadline=None)
@given(TEXTS | st.text())
@example("The Album (2nd one)")
@example("À la carte: the 747 - 1984")
@example("x" * 398 + " Ann")
def test_a_title_names_what_the_twin_says(title):
    names, stems = read_title(title)
    assert names.tolist() == name_twins.title(title)
    terms = name_twins.title_terms(title)
    assert stems.tolist() == [word_key(stem(term)) & 0xFFFFFFFF for term in terms]


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("", []),
        ("The", []),
        ("747", []),
        ("1984", ["1984"]),
        ("WHO", ["who"]),
        ("The Beatles", ["beatles"]),
        ("Aimée (film)", ["aimee", "aimee film"]),
        ("Dune: Part Two", ["dune part two", "dune", "part two"]),
        ("one two three four five six seven eight nine", []),
    ],
)
def test_names_of_a_title(title, names):
    assert read_title(title)[0].tolist() == sorted(map(key, names))


def test_the_terms_of_a_title_come_in_order_and_once():
    _, stems = read_title("The Directors and the Films of a Director")
    assert stems.tolist() == [word_key(word) & 0xFFFFFFFF for word in ("direct", "film")]


# ---- what is refused

SOUND = {
    "plain": np.array([1, 2], np.uint64),
    "stems": np.array([1, 2], np.uint32),
    "letters": np.array([4, 4], np.uint8),
    "flags": np.array([4, 4], np.uint8),
    "sentences": np.array([0, 2], np.uint32),
    "chunks": np.array([0, 1], np.uint32),
    "id": "a",
    "title_names": np.array([1, 2], np.uint64),
    "title_stems": np.array([2, 1], np.uint32),
}


def test_what_is_sound_is_read():
    assert len(read_names(**SOUND)) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"flags": np.zeros(1, np.uint8)},
        {"letters": np.zeros(3, np.uint8)},
        {"stems": np.zeros(1, np.uint32)},
        {"sentences": np.array([0, 9], np.uint32)},
        {"chunks": np.array([], np.uint32)},
        {"title_names": np.array([2, 1], np.uint64)},
        {"title_names": np.array([1, 1], np.uint64)},
    ],
)
def test_what_does_not_fit_is_refused(change):
    with pytest.raises(ValueError, match="must"):
        read_names(**(SOUND | change))
