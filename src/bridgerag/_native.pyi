"""Types of the C++ core; what each function promises stands in native/include/bridge."""

from collections.abc import Callable, Sequence
from mmap import mmap
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bridgerag.store.files import Sink

Keys = NDArray[np.uint64]
Ids = NDArray[np.uint32]
Offsets = NDArray[np.uint64]
Buffer = bytes | bytearray | memoryview | mmap | NDArray[np.uint8]

# ---- hash

EMPTY_ENTITY: int

def word_key(word: str) -> int: ...
def entity_key(words: Keys) -> int: ...

# ---- entity_index

DROPPED: int

class EntityIndex:
    """Entity key -> abstract ids, in a cuckoo table; see entity_index.h.

    ``EntityIndex()`` is growing; `build`, `merge` and `from_buffer` make a packed one, which
    refuses ``add``, ``discard`` and ``remove`` (RuntimeError) until `thaw`. Safe from many threads.
    `merge` maps the abstracts of each part to new numbers, `DROPPED` for those that are left out.
    """

    def __init__(self, verify: bool = True) -> None: ...
    @staticmethod
    def build(keys: Keys, abstracts: Ids, verify: bool = True) -> EntityIndex: ...
    @staticmethod
    def merge(
        parts: Sequence[EntityIndex], maps: Sequence[Ids], verify: bool = True
    ) -> EntityIndex: ...
    @staticmethod
    def merge_into(
        sink: Sink, parts: Sequence[EntityIndex], maps: Sequence[Ids], verify: bool = True
    ) -> int: ...
    @staticmethod
    def from_buffer(buffer: Buffer) -> EntityIndex: ...
    def to_bytes(self) -> bytes: ...
    def thaw(self) -> EntityIndex: ...
    def add(self, key: int, abstract: int) -> bool: ...
    def discard(self, key: int, abstract: int) -> bool: ...
    def remove(self, key: int) -> int: ...
    def lookup(self, key: int) -> Ids: ...
    def lookup_many(self, keys: Keys) -> tuple[Offsets, Ids]: ...
    def count_many(self, keys: Keys) -> Ids: ...
    def touch(self, key: int) -> bool: ...
    def touch_many(self, keys: Keys) -> int: ...
    def temperature(self, key: int) -> int: ...
    def reorder(self) -> None: ...
    def entries(self) -> tuple[Keys, Offsets, Ids]: ...
    def __len__(self) -> int: ...
    @property
    def pairs(self) -> int: ...
    @property
    def load(self) -> float: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def verify(self) -> bool: ...
    @property
    def packed(self) -> bool: ...

# ---- floor: what memory can do at best, for benchmarks

def chase_lines(lines: NDArray[np.uint64], steps: int) -> int: ...
def sum_lines(lines: NDArray[np.uint64], order: Ids, ahead: int) -> int: ...

# ---- forest

NO_PARENT: int

class Forest:
    """Trees of abstracts as parallel arrays, immutable; see forest.h and expand.h."""

    def __new__(
        cls,
        parent: Ids,
        first_child: Ids,
        child_count: Ids,
        level: NDArray[np.uint8],
        first_chunk: Ids,
        chunk_count: Ids,
    ) -> Forest: ...
    @staticmethod
    def from_buffer(buffer: Buffer) -> Forest: ...
    def to_bytes(self) -> bytes: ...
    def check(self) -> str: ...
    def ancestors(self, abstract: int, depth: int) -> Ids: ...
    def descendants(self, abstract: int, depth: int) -> Ids: ...
    def expand(self, seeds: Ids, depth: int) -> Ids: ...
    def pool(self, abstracts: Ids) -> Ids: ...
    def __len__(self) -> int: ...
    @property
    def chunks(self) -> int: ...
    @property
    def parent(self) -> Ids: ...
    @property
    def first_child(self) -> Ids: ...
    @property
    def child_count(self) -> Ids: ...
    @property
    def level(self) -> NDArray[np.uint8]: ...
    @property
    def first_chunk(self) -> Ids: ...
    @property
    def chunk_count(self) -> Ids: ...

# ---- rank

Rows = NDArray[np.float32] | NDArray[np.float16] | NDArray[np.int8]

def rank(
    query: NDArray[np.float32], rows: Rows, pool: Ids | None, k: int
) -> tuple[Ids, NDArray[np.float32]]: ...
def dot_rows(query: NDArray[np.float32], rows: Rows, pool: Ids | None) -> NDArray[np.float32]: ...
def dot_kernel() -> str: ...

# ---- recognize

MAX_WORDS: int

class QuestionWords:
    """The words of a question, breaks left out; made by `WordReader.question`. Immutable.

    Attributes:
        text: the question.
        keys: shape (n,).
        flags: shape (n,), `WordFlag` bits.
        plain: shape (n,), the key of each word without accents.
        stems: shape (n,), the low half of the key of each word's stem.
        letters: shape (n,), how many signs each word has without accents, 255 for more.
        spans: shape (n, 2), where each word starts and ends in the question.

    Arrays are read-only views, made when they are asked for. ``quote`` gives the text of the words
    [first, end); ``mentions`` and ``mentions_in`` give rows (text, start, end, entity).
    """

    @property
    def text(self) -> str: ...
    @property
    def keys(self) -> Keys: ...
    @property
    def flags(self) -> NDArray[np.uint8]: ...
    @property
    def plain(self) -> Keys: ...
    @property
    def stems(self) -> Ids: ...
    @property
    def letters(self) -> NDArray[np.uint8]: ...
    @property
    def spans(self) -> Ids: ...
    def __len__(self) -> int: ...
    def quote(self, first: int, end: int) -> str: ...
    def probes(self) -> Keys: ...
    def mentions(
        self, stored: NDArray[np.bool_], nested: bool
    ) -> list[tuple[str, int, int, int]]: ...
    def mentions_in(
        self, indexes: Sequence[EntityIndex], nested: bool
    ) -> list[tuple[str, int, int, int]]: ...

# ---- reach

MOST_CHUNKS: int

class ReachSegment:
    """A segment as a search by entities sees it; see reach.h. ``alive``: a byte a document."""

    def __init__(
        self,
        entities: EntityIndex,
        forest: Forest,
        first_abstract: Ids,
        first_chunk: Ids,
        alive: NDArray[np.uint8] | None,
        vectors: Rows,
        checked: NDArray[np.uint8],
        block_bytes: int,
    ) -> None: ...

class Reach:
    """What the entities of a question reach in all segments; see reach.h.

    ``Reach`` takes the number of live documents. `unchecked` names the blocks of vectors, by
    segment, that must be compared with their checksums before `best` reads them.
    """

    def __init__(
        self,
        segments: Sequence[ReachSegment],
        keys: Keys,
        documents: int,
        depth: int,
        *,
        few_documents: int = 20,
        most_chunks: int = ...,
    ) -> None: ...
    @property
    def chunks(self) -> int: ...
    @property
    def depth(self) -> int: ...
    def verdicts(self) -> list[tuple[str, int]]: ...
    def seeds(self, segment: int, entity: int) -> Ids: ...
    def expanded(self, segment: int) -> Ids: ...
    def pool(self, segment: int) -> Ids: ...
    def touch(self, keys: Keys) -> None: ...
    def unchecked(self) -> list[tuple[int, list[int]]]: ...
    def best(self, query: NDArray[np.float32], k: int) -> list[tuple[int, int, float]]: ...
    def trace(
        self, places: Sequence[tuple[int, int]]
    ) -> list[tuple[tuple[int, ...], list[tuple[int, int, int, int]]]]: ...

def known(segments: Sequence[ReachSegment], keys: Keys) -> NDArray[np.uint8]: ...

# ---- checksum

def trim_heap() -> None: ...
def row_checksum(*values: str | int | bytes | None) -> int: ...
def row_is_sound(row: tuple[str | int | bytes | None, ...]) -> bool: ...
def chunk_rows(
    text: str,
    before: int,
    address: int,
    sentences: Ids,
    first: Ids,
    tokens: Ids,
    homes: Ids,
    places: list[tuple[str | None, int | None, int | None]],
) -> list[str | int | bytes | None]: ...
def summary_rows(address: int, summaries: list[str]) -> list[str | int | bytes | None]: ...

# ---- phrases

def phrases(
    keys: Keys,
    flags: NDArray[np.uint8],
    sentences: Ids,
    chunks: Ids,
    known: Keys,
    known_chunks: Ids,
    aliases: Keys,
) -> tuple[Keys, Ids]: ...
def ngram_keys(words: Keys, max_words: int) -> Keys: ...

# ---- name_reader

class DocumentNames:
    """What a document brings to the index of names; its length is the number of chunks."""

    def spans(self) -> tuple[Ids, Keys, NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8]]:
        """Return chunk, name, first, words and run of each span."""

    def stem_places(self) -> tuple[Ids, Ids, NDArray[np.uint16]]:
        """Return chunk, stem and position of each word that is no function word."""

    def __len__(self) -> int: ...

def read_names(
    plain: Keys,
    stems: Ids,
    letters: NDArray[np.uint8],
    flags: NDArray[np.uint8],
    sentences: Ids,
    chunks: Ids,
    id: str,
    title_names: Keys,
    title_stems: Ids,
) -> DocumentNames: ...

# ---- name_index

class NameIndex:
    """What the walk reads of a segment: names, titles, and each chunk's words; see name_index.h.

    `merge` takes where the documents of each part start, one more than those, and maps the chunks
    of each part to new numbers, `DROPPED` for those that are left out with their documents.
    """

    @staticmethod
    def build(documents: Sequence[DocumentNames]) -> NameIndex: ...
    @staticmethod
    def merge(
        parts: Sequence[NameIndex], first_chunks: Sequence[Ids], maps: Sequence[Ids]
    ) -> NameIndex: ...
    @staticmethod
    def merge_into(
        sink: Sink,
        parts: Sequence[NameIndex],
        first_chunks: Sequence[Ids],
        maps: Sequence[Ids],
    ) -> None: ...
    @staticmethod
    def from_buffer(buffer: Buffer) -> NameIndex: ...
    def to_bytes(self) -> bytes: ...
    @property
    def payload(self) -> NDArray[np.uint8]: ...
    def check(self) -> None: ...
    most_numbered: ClassVar[int]
    @property
    def numbered(self) -> int: ...
    def __len__(self) -> int: ...
    @property
    def chunks(self) -> int: ...
    @property
    def documents(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def ids(self) -> list[str]: ...
    @property
    def names(self) -> Keys: ...
    def postings(self, name: int) -> tuple[Ids, NDArray[np.uint8]]: ...
    def definitions(self, name: int) -> Ids: ...
    def spans(
        self, chunk: int
    ) -> tuple[Keys, NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8]]: ...
    def stems(self, chunk: int) -> tuple[Ids, NDArray[np.uint16]]: ...

# ---- walk

Place = tuple[int, int, int]  # chunk, first word, words

class WalkGraph:
    """Names and chunks of segments as a graph; see walk.h.

    ``segments`` are (names, first chunk of each document and the end, alive bytes or None); chunks
    are numbered through them.
    """

    def __init__(
        self,
        segments: Sequence[tuple[NameIndex, Ids, Alive | None]],
        *,
        restart: float = ...,
        rounds: int = ...,
        frontier: int = ...,
        width: int = ...,
        near_weight: float = ...,
        near_words: float = ...,
        definition_weight: float = ...,
        degree_power: float = ...,
    ) -> None: ...
    @property
    def chunks(self) -> int: ...
    def facts(self, names: Keys) -> tuple[NDArray[np.uint8], Ids, Ids, NDArray[np.float64]]:
        """Return whether each is known, documents it titles, chunks it may stand in, rarity."""

    def chunks_of(self, name: int) -> Ids: ...
    def push(
        self,
        stems: Ids,
        asks: NDArray[np.float64],
        chunks: Ids,
        chunk_weights: NDArray[np.float64],
        names: Keys,
        name_weights: NDArray[np.float64],
    ) -> Push: ...
    def copies_last(self, earlier: Ids, chunks: Ids, most: float, reach: int) -> Ids:
        """Return places of chunks: those that hold something new, then the copies."""

    def held(self, chunks: Ids, stems: Ids) -> NDArray[np.uint8]:
        """Return whether each chunk holds each stem, a chunk after the other."""

class Push:
    """Where the weight of a question came to rest; for one thread at a time."""

    def heaviest(self, count: int) -> tuple[Ids, NDArray[np.float64]]: ...
    def leads(self, count: int, most: int) -> list[tuple[int, float, Place, float, list[int]]]:
        """Return names that the heaviest chunks lead to.

        Each with what comes to it of their weight, a place, its rarity, and the stems there.
        """

    def choose(
        self,
        pool: Ids,
        values: NDArray[np.float64],
        stems: Ids,
        worth: NDArray[np.float64],
        link_weight: float,
        count: int,
    ) -> tuple[Ids, NDArray[np.float64]]:
        """Return places in the pool, chosen one by one, and what each gained."""

    def way(self, chunk: int) -> list[tuple[int | None, Place | None]]:
        """Return how most weight came, from the start: names, and chunks with None for a name.

        A name of the start has no place.
        """

# ---- terms

def terms(keys: Keys, flags: NDArray[np.uint8]) -> Keys: ...
def chunk_terms(
    keys: Keys, flags: NDArray[np.uint8], sentences: Ids, chunks: Ids, title: Keys
) -> tuple[Keys, Ids]: ...

# ---- lexical

Alive = NDArray[np.uint8]  # a byte a chunk, 0 for one that is left out

class LexicalIndex:
    """Search term -> chunks and counts, in a payload that is used in place; see lexical.h.

    `merge` maps the chunks of each part to new numbers, `DROPPED` for those that are left out.
    """

    @staticmethod
    def build(terms: Keys, chunks: Ids, n_chunks: int) -> LexicalIndex: ...
    @staticmethod
    def merge(parts: Sequence[LexicalIndex], maps: Sequence[Ids]) -> LexicalIndex: ...
    @staticmethod
    def merge_into(sink: Sink, parts: Sequence[LexicalIndex], maps: Sequence[Ids]) -> None: ...
    @staticmethod
    def from_buffer(buffer: Buffer) -> LexicalIndex: ...
    def to_bytes(self) -> bytes: ...
    @property
    def payload(self) -> NDArray[np.uint8]: ...
    def __len__(self) -> int: ...
    @property
    def chunks(self) -> int: ...
    @property
    def postings(self) -> int: ...
    @property
    def total_length(self) -> int: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def lengths(self) -> Ids: ...
    def entries(self) -> tuple[Keys, Offsets, Ids, Ids]: ...
    def df(self, terms: Keys, alive: Alive | None = None) -> Ids: ...
    def score(
        self,
        terms: Keys,
        idf: NDArray[np.float32],
        average_length: float,
        k1: float,
        b: float,
        alive: Alive | None = None,
    ) -> tuple[Ids, NDArray[np.float32]]: ...
    def top(
        self,
        terms: Keys,
        idf: NDArray[np.float32],
        average_length: float,
        k: int,
        k1: float,
        b: float,
        alive: Alive | None = None,
    ) -> tuple[Ids, NDArray[np.float32]]: ...
    def score_of(
        self,
        terms: Keys,
        idf: NDArray[np.float32],
        average_length: float,
        chunks: Ids,
        k1: float,
        b: float,
    ) -> NDArray[np.float32]: ...

# ---- text

Spans = NDArray[np.uint32]  # shape (n, 2): start and end of a span, or shape (n, 3): see `odd`

class SentenceCutter:
    """Cuts texts into sentences by rules and these words; see sentences.h."""

    def __init__(
        self,
        never_last: Keys,
        before_number: Keys,
        rarely_last: Keys,
        openers: Keys,
        function_words: Keys,
    ) -> None: ...
    def cut(self, text: str, start: int, end: int) -> Spans: ...

class WordPieces:
    """Counts tokens; ``odd`` has rows (span, start, end) of what is to be added."""

    def __init__(self, vocabulary: bytes, plain: bytes) -> None: ...
    def count(self, text: str, spans: Spans) -> tuple[Ids, Spans]: ...

class WordReader:
    """Reads words: keys, flags, stems, letters, borders, odd.

    ``odd`` has rows (word, start, end) of words to be described.
    """

    def __init__(self, stop_words: Keys, connectors: Keys) -> None: ...
    def read(
        self, text: str, spans: Spans
    ) -> tuple[Keys, NDArray[np.uint8], Ids, NDArray[np.uint8], Ids, Spans]: ...
    def question(
        self, text: str, describe: Callable[[str], tuple[int, int, int, int, int]]
    ) -> QuestionWords: ...

# ---- pack

def pack(
    text: str,
    units: Ids,
    tokens: Ids,
    sizes: Ids,
    borders: Ids,
    sections: Ids,
    groups: Ids,
    target: int,
) -> tuple[Ids, Ids, Ids]: ...
def unit_sizes(spans: Ids, tokens: Ids, chars_per_token: int, target: int) -> tuple[Ids, Ids]: ...

# ---- cut

def atoms(text: str, spans: Ids, most: int) -> Ids: ...
def clauses(text: str, places: Ids, atoms: Ids, sizes: Ids, target: int) -> Ids: ...

# ---- clean_text

def clean_text(text: str) -> str: ...
def has_surrogates(text: str) -> bool: ...

# ---- lift

def lift(
    keys: Keys,
    abstracts: Ids,
    parent: Ids,
    child_count: Ids,
    level: NDArray[np.uint8],
    share: float,
) -> tuple[Keys, Ids]: ...

# ---- sentence_scores

def score_sentences(
    text: str,
    spans: Ids,
    keys: Keys,
    flags: NDArray[np.uint8],
    sentences: Ids,
    chunks: Ids,
    headings: Keys,
) -> tuple[NDArray[np.float64], Ids, Ids, Ids]: ...

# ---- summary

def summary_shape(
    child_count: Ids,
    first_child: Ids,
    first_chunk: Ids,
    chunk_count: Ids,
    level: NDArray[np.uint8],
    chunks: Ids,
    rooms: Ids,
) -> tuple[NDArray[np.uint8], Ids, Ids, Ids]: ...
def summary_texts(text: str, spans: Ids, picked: Ids, borders: Ids, longest: Ids) -> list[str]: ...
def pick(
    scores: NDArray[np.float64],
    sizes: Ids,
    offsets: Ids,
    words: Ids,
    is_leaf: NDArray[np.uint8],
    first: Ids,
    count: Ids,
    room: Ids,
) -> tuple[Ids, Ids]: ...
