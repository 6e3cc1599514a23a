"""FORMAT.md is enough to read a segment: a reader that shares no code with the native one."""

import itertools
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

import bridgerag
from bridgerag._native import EntityIndex, Forest, LexicalIndex, NameIndex, entity_key, word_key

M64 = 2**64 - 1
TEXTS = (
    "Ilse Varrow leads the Redis Cluster team. The team meets on Mondays in Oslo.",
    "The Varnish Layer was dropped in May. Nobody misses the Varnish Layer. Redis Cluster keeps "
    "the sessions. Sessions expire after 30 minutes. Tavish Ureno wrote the report on caching.",
    "机器学习很重要。机器学习改变了搜索。",
)


def pad(size):
    return -(-size // 8) * 8


class Payload:
    """The payload of a file, once header and checksums are what FORMAT.md says."""

    def __init__(self, path, kind):
        file = path.read_bytes()
        magic, version, found, length, crc, header_crc = struct.unpack_from("<8sI4sQII", file)
        assert (magic, version, found) == (b"BRIDGERA", 1, kind)
        assert header_crc == zlib.crc32(file[:28] + bytes(4) + file[32:64])
        self.data, sums = file[64 : 64 + length], file[64 + length :]
        blocks = [self.data[at : at + 16384] for at in range(0, length, 16384)]
        assert sums == b"".join(struct.pack("<I", zlib.crc32(block)) for block in blocks)
        assert crc == zlib.crc32(sums)

    def unpack(self, layout):
        return struct.unpack_from(layout, self.data)

    def array(self, dtype, count, at):
        return np.frombuffer(self.data, dtype, count, at)

    def expect_gap(self, at):
        """Expect zeros from ``at`` to the next multiple of 8."""
        assert not any(self.data[at : pad(at)])


class ForestReader:
    NAMES = ("parent", "first_child", "child_count", "first_chunk", "chunk_count", "level")

    def __init__(self, payload):
        magic, layout, zero, size, self.chunks = payload.unpack("<8sIIQQ")
        assert (magic, layout, zero) == (b"BGFOREST", 1, 0)
        width = pad(4 * size)
        assert len(payload.data) == 32 + 5 * width + pad(size)
        for i, name in enumerate(self.NAMES):
            at, dtype = 32 + i * width, "<u4" if i < 5 else "u1"
            setattr(self, name, payload.array(dtype, size, at))
            payload.expect_gap(at + size * np.dtype(dtype).itemsize)
        self.size = size

    def check(self):
        next_chunk, next_child, start = 0, 0, 0
        for a in range(self.size):
            first, children = int(self.first_child[a]), int(self.child_count[a])
            if self.level[a] == 0:
                assert (first, children) == (0, 0)
                assert self.first_chunk[a] == next_chunk
                assert self.chunk_count[a] > 0
                next_chunk += int(self.chunk_count[a])
            else:
                assert first == next_child
                assert 0 < children <= a - first
                mine = slice(first, first + children)
                assert (self.parent[mine] == a).all()
                assert (self.level[mine] == self.level[a] - 1).all()
                assert self.first_chunk[a] == self.first_chunk[first]
                assert self.chunk_count[a] == self.chunk_count[mine].sum()
                next_child += children
            if self.parent[a] == 0xFFFFFFFF:
                assert next_child == a
                assert (np.diff(self.level[start : a + 1].astype(int)) >= 0).all()
                next_child = start = a + 1
        assert next_child == self.size
        assert next_chunk == self.chunks


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
    return x ^ x >> 31


class EntityReader:
    def __init__(self, payload):
        magic, self.layout, self.verify, self.entities, self.pairs, *counts, zero = payload.unpack(
            "<8sIIQQQQQQ"
        )
        buckets, stashed, numbers = counts
        assert (magic, zero) == (b"ENTINDEX", 0)
        assert buckets > 0 == (buckets & (buckets - 1) if self.layout == 1 else buckets % 2)
        stash, runs = 64 + 64 * buckets, 64 + 64 * buckets + 16 * stashed
        assert len(payload.data) == runs + pad(4 * numbers)
        bucket = np.dtype([("keys", "<u8", 4), ("marks", "<u4", 4), ("lists", "<u4", 4)])
        slot = np.dtype([("key", "<u8"), ("mark", "<u4"), ("list", "<u4")])
        self.buckets = payload.array(bucket, buckets, 64)
        self.stash = payload.array(slot, stashed, stash)
        self.runs = payload.array("<u4", numbers, runs).tolist()
        payload.expect_gap(runs + 4 * numbers)

    def lookup(self, key):
        fingerprint, *both = self.address(key)
        found = [
            (int(mark), int(place))
            for at in both
            for stored, mark, place in zip(*self.buckets[at], strict=True)
            if stored == key and place != 0xFFFFFFFF
        ]
        found += [(int(m), int(place)) for stored, m, place in self.stash if stored == key]
        if not found:
            return []
        ((mark, place),) = found
        assert mark == fingerprint
        return self.abstracts(place)

    def address(self, key):
        """Return fingerprint, first and second bucket."""
        mixed, size = mix(key), len(self.buckets)
        fingerprint = mixed >> 52
        spread = (fingerprint + 1) * 0x9E3779B97F4A7C15 & M64
        if self.layout == 1:
            first = mixed % size
            return fingerprint, first, first ^ (spread >> 24 | 1) % size
        first = (mixed >> 20) % 2**32 * size >> 32
        total = 2 * ((spread >> 32) * (size // 2) >> 32) + 1
        return fingerprint, first, (total - first) % size

    def expect_full_first(self):
        """An entity is outside its first bucket only where that is full; free slots are last."""
        free = self.buckets["lists"] == 0xFFFFFFFF
        assert (free[:, :-1] <= free[:, 1:]).all()
        for key in self.everything():
            first = self.address(key)[1]
            assert key in self.buckets["keys"][first] or not free[first].any()

    def abstracts(self, place):
        if place >> 31:
            return [place & 0x7FFFFFFF]
        count = self.runs[place]
        assert count >= 2
        return self.runs[place + 1 : place + 1 + count]

    def everything(self):
        """Return {key: abstracts} of all slots; expects empty ones to be zero."""
        slots = [slot for bucket in self.buckets for slot in zip(*bucket, strict=True)]
        slots += [tuple(slot) for slot in self.stash]
        empty = [slot for slot in slots if slot[2] == 0xFFFFFFFF]
        assert all(slot[:2] == (0, 0) for slot in empty)
        full = sorted((int(k), int(place)) for k, _, place in slots if place != 0xFFFFFFFF)
        runs = [place for _, place in full if not place >> 31]
        assert runs == list(np.cumsum([0, *(1 + self.runs[place] for place in runs)])[:-1])
        return {key: self.abstracts(place) for key, place in full}


class LexicalReader:
    def __init__(self, payload):
        magic, layout, chunks, terms, postings, self.total = payload.unpack("<8sIIQQQ")
        assert (magic, layout) == (b"!BRGLEX1", 1)
        lengths = 48 + 16 * terms
        where = lengths + pad(4 * chunks)
        counts = where + pad(4 * postings)
        assert len(payload.data) == counts + pad(2 * postings)
        self.terms = payload.array("<u8", terms, 40)
        self.offsets = payload.array("<u8", terms + 1, 40 + 8 * terms)
        self.lengths = payload.array("<u4", chunks, lengths)
        self.where = payload.array("<u4", postings, where)
        self.counts = payload.array("<u2", postings, counts)
        for end in (lengths + 4 * chunks, where + 4 * postings, counts + 2 * postings):
            payload.expect_gap(end)

    def postings(self, term):
        at = int(np.searchsorted(self.terms, np.uint64(term)))
        if at == len(self.terms) or self.terms[at] != term:
            return {}
        mine = slice(int(self.offsets[at]), int(self.offsets[at + 1]))
        return dict(zip(self.where[mine].tolist(), self.counts[mine].tolist(), strict=True))


class NameReader:
    def __init__(self, payload):
        magic, layout, self.chunks, documents, letters, names, postings, titles, spans, words = (
            payload.unpack("<8sIIIIQQQQQ")
        )
        assert (magic, layout) == (b"BGNAMES1", 1)
        entry = np.dtype([("key", "<u8"), ("posting", "<u4"), ("facts", "<u4")])
        title = np.dtype([("key", "<u8"), ("document", "<u4"), ("zero", "<u4")])
        span = np.dtype([("name", "<u4"), ("first", "<u2"), ("words", "u1"), ("run", "u1")])
        at = 64
        for section, dtype, count in (
            ("names", entry, names + 1), ("postings", "<u4", postings),
            ("definitions", title, titles),
            ("id_borders", "<u4", documents + 1), ("letters", "u1", letters),
            ("span_borders", "<u4", self.chunks + 1), ("word_borders", "<u4", self.chunks + 1),
            ("spans", span, spans), ("stems", "<u4", words), ("positions", "<u2", words),
        ):  # fmt: skip
            setattr(self, section, payload.array(dtype, count, at))
            at += count * np.dtype(dtype).itemsize
            payload.expect_gap(at)
            at = pad(at)
        assert len(payload.data) == at

    @property
    def ids(self):
        borders = itertools.pairwise(self.id_borders.tolist())
        return [self.letters[first:end].tobytes().decode() for first, end in borders]

    def check(self):
        assert (np.diff(self.names["key"][:-1].astype(object)) > 0).all()
        assert self.names[-1].tolist() == (0, len(self.postings), 0x3FFFFFFF)
        found = {}
        for chunk in range(self.chunks):
            rows = self.spans[self.span_borders[chunk] : self.span_borders[chunk + 1]].tolist()
            assert rows == sorted(rows, key=lambda row: (row[1], -row[2]))
            for name, _, words, run in rows:
                assert 1 <= words <= 8
                assert run in (0, 1)
                held = found.setdefault(name, {})
                held[chunk] = held.get(chunk, 0) | run
        assert sorted(found) == list(range(len(self.names) - 1))
        flat = [chunk | run << 31 for name in sorted(found) for chunk, run in found[name].items()]
        assert self.postings.tolist() == flat
        starts = np.cumsum([0, *(len(found[name]) for name in sorted(found))])
        assert self.names["posting"].tolist() == starts.tolist()
        titles = self.definitions[["key", "document", "zero"]].tolist()
        assert titles == sorted(set(titles))
        first = {key: at for at, (key, _, _) in reversed(list(enumerate(titles)))}
        for name, (key, _, facts) in enumerate(self.names[:-1].tolist()):
            assert facts & 0x3FFFFFFF == first.get(key, 0x3FFFFFFF)
            assert facts >> 30 == min(2, sum(found[name].values()))

    def spans_of(self, chunk):
        mine = self.spans[self.span_borders[chunk] : self.span_borders[chunk + 1]]
        return [(int(self.names["key"][name]), *rest) for name, *rest in mine.tolist()]

    def words_of(self, chunk):
        mine = slice(self.word_borders[chunk], self.word_borders[chunk + 1])
        return [*zip(self.positions[mine].tolist(), self.stems[mine].tolist(), strict=True)]


@pytest.fixture(scope="module")
def segment(tmp_path_factory):
    """The folder of a segment written by `add`."""
    how = bridgerag.Settings(embedding="none", chunk_tokens=12, window=2, branching=2)
    path = tmp_path_factory.mktemp("format") / "store"
    with bridgerag.open(path, settings=how) as bridge:
        bridge.add(
            documents=[bridgerag.Document(f"{i}", f"Note {i}", "", t) for i, t in enumerate(TEXTS)]
        )
    (folder,) = (path / "segments").iterdir()
    return folder


def words_key(text):
    return entity_key(np.array([word_key(word) for word in text.split()], np.uint64))


def test_the_forest_reads_as_described(segment):
    payload = Payload(segment / "forest.bin", b"FRST")
    reader, native = ForestReader(payload), Forest.from_buffer(payload.data)
    reader.check()
    for name in reader.NAMES:
        assert getattr(reader, name).tolist() == getattr(native, name).tolist()
    assert (reader.size, reader.chunks) == (len(native), native.chunks)
    assert reader.level.max() >= 2
    documents = Payload(segment / "documents.bin", b"DOCS")
    borders = documents.array("<u4", 2 * (len(TEXTS) + 1), 0).reshape(2, -1)
    assert borders[:, -1].tolist() == [reader.size, reader.chunks]
    assert (reader.parent[borders[0, 1:] - 1] == 0xFFFFFFFF).all()


def test_the_entity_index_reads_as_described(segment):
    payload = Payload(segment / "entities.bin", b"ENTS")
    reader, native = EntityReader(payload), EntityIndex.from_buffer(payload.data)
    keys, offsets, ids = native.entries()
    everything = reader.everything()
    assert list(everything) == keys.tolist()
    assert [a for abstracts in everything.values() for a in abstracts] == ids.tolist()
    assert np.cumsum([0, *map(len, everything.values())]).tolist() == offsets.tolist()
    assert (reader.verify, reader.entities, reader.pairs) == (1, len(native), native.pairs)
    for key, abstracts in everything.items():
        assert reader.lookup(key) == abstracts
    assert (
        reader.lookup(words_key("redis cluster"))
        == native.lookup(words_key("redis cluster")).tolist()
        != []
    )
    assert reader.lookup(12345) == []
    reader.expect_full_first()


@pytest.mark.parametrize("layout", [1, 2])
def test_an_entity_index_of_each_layout_reads_as_described(layout):
    golden = Path(__file__).parents[1] / "golden" / "entity_index" / f"layout-{layout}.bin"
    payload = Payload.__new__(Payload)
    payload.data = golden.read_bytes()
    reader = EntityReader(payload)
    assert (reader.layout, reader.entities, len(reader.stash)) == (layout, 312, 4)
    for key, abstracts in reader.everything().items():
        assert reader.lookup(key) == abstracts
    reader.expect_full_first()


def test_a_stash_reads_as_described():
    data = EntityIndex.build(colliding_keys(9), np.arange(9, dtype=np.uint32)).to_bytes()
    payload = Payload.__new__(Payload)
    payload.data = data
    reader = EntityReader(payload)
    assert len(reader.stash) == 1
    for number, key in enumerate(colliding_keys(9).tolist()):
        assert reader.lookup(key) == [number]


def colliding_keys(count):
    """Return keys with one fingerprint and one pair of buckets: those that `mix` takes there."""
    keys = []
    for i in range(count):
        x = 0xABC << 52 | i << 32 | 5
        for multiplier, shift in ((0x94D049BB133111EB, 31), (0xBF58476D1CE4E5B9, 27), (1, 30)):
            x = (x ^ x >> shift ^ x >> 2 * shift) * pow(multiplier, -1, 2**64) & M64
        keys.append(x)
    return np.array(keys, np.uint64)


@pytest.mark.parametrize("entities", [0, 1, 7, 8, 15, 16, 100, 1000])
def test_the_table_has_the_size_described(entities):
    keys = np.random.default_rng(entities).integers(0, 2**64, entities, np.uint64)
    (buckets,) = struct.unpack_from(
        "<Q", EntityIndex.build(keys, keys.astype("u4") >> 1).to_bytes(), 32
    )
    assert buckets == 2 * (int(entities / 0.8) // 8 + 1)


def test_the_postings_read_as_described(segment):
    payload = Payload(segment / "lexical.bin", b"LEXI")
    reader = LexicalReader(payload)
    native = LexicalIndex.from_buffer(np.frombuffer(payload.data, np.uint8))
    assert reader.lengths.tolist() == native.lengths.tolist()
    assert reader.total == reader.lengths.sum() == reader.counts.sum() == native.total_length
    assert (np.diff(reader.offsets.astype(int)) > 0).all()
    assert (reader.offsets[0], reader.offsets[-1]) == (0, len(reader.where))
    assert native.df(reader.terms).tolist() == [len(reader.postings(t)) for t in reader.terms]
    for word in ("redis", "team", "varnish", "absent"):
        term = np.array([word_key(word)], np.uint64)
        found, _ = native.score(term, np.ones(1, np.float32), 10.0, 0.0, 0.0)
        assert sorted(reader.postings(term[0])) == found.tolist()
    assert reader.postings(word_key("redis"))


def test_the_names_read_as_described(segment):
    payload = Payload(segment / "names.bin", b"NAME")
    reader = NameReader(payload)
    native = NameIndex.from_buffer(np.frombuffer(payload.data, np.uint8))
    reader.check()
    native.check()
    assert (reader.chunks, len(reader.ids)) == (native.chunks, native.documents)
    assert reader.ids == native.ids == [f"{i}" for i in range(len(TEXTS))]
    for chunk in range(reader.chunks):
        spans = [column.tolist() for column in native.spans(chunk)]
        assert reader.spans_of(chunk) == list(zip(*spans, strict=True))
        stems, positions = native.stems(chunk)
        assert reader.words_of(chunk) == [*zip(positions.tolist(), stems.tolist(), strict=True)]
    # "Ilse Varrow leads the Redis Cluster team.", of the document with the title "Note 0"
    varrow, cluster = words_key("ilse varrow"), words_key("redis cluster")
    assert (varrow, 0, 2, 1) in reader.spans_of(0)
    assert (words_key("varrow"), 1, 1, 0) in reader.spans_of(0)
    assert (cluster, 4, 2, 1) in reader.spans_of(0)
    words = reader.words_of(0)
    assert [position for position, _ in words[:5]] == [0, 1, 2, 4, 5]  # "the" is left out
    assert words[1] == (1, word_key("varrow") & 0xFFFFFFFF)
    assert words[-1] == (65535, word_key("0") & 0xFFFFFFFF)
    assert native.definitions(words_key("note 0")).tolist() == [0]
    assert (words_key("note 0"), 0, 0) in reader.definitions.tolist()


def test_keys_are_made_as_described(segment):
    def word(text):
        h = 0xCBF29CE484222325
        for byte in text.encode():
            h = (h ^ byte) * 0x100000001B3 & M64
        return mix(h)

    entity = 0x9E3779B97F4A7C15
    for part in ("redis", "cluster"):
        assert word(part) == word_key(part)
        entity = mix((entity * 0xD1342543DE82EF95 + word(part)) & M64)
    assert entity == words_key("redis cluster")
    reader = LexicalReader(Payload(segment / "lexical.bin", b"LEXI"))
    pair = ((word("机") ^ 0x9E3779B97F4A7C15) * 0xD1342543DE82EF95 + word("器")) & M64
    assert sum(reader.postings(pair).values()) == 2
