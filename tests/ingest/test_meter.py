"""What an add says of itself, and the time left that comes of it, by a clock of our own."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import bridgerag
import bridgerag.ingest.reading
from bridgerag.cli.progress import TimeLeft
from bridgerag.ingest.meter import Meter

CHUNK = 500  # characters


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def run(folder, sizes, embedded_a_second, read_a_second, batch=400, suffix=".txt", ratio=1.0):
    """Play an add: files are read ahead of the chunks that are embedded, batch by batch.

    Yields:
        The time passed, and the time left as it is shown then.
    """
    clock = Clock()
    left = TimeLeft(clock)
    paths = []
    for number, size in enumerate(sizes):
        paths.append(folder / f"{number}{suffix}")
        paths[-1].write_bytes(bytes(size))
    meter = Meter(left.report)
    meter.expect(paths)
    waiting = 0

    def embed():
        nonlocal waiting
        while waiting:
            now = min(50, waiting)
            clock.now += now / embedded_a_second
            waiting -= now
            meter.embedded(now)
            yield clock.now - 100.0, left.seconds()

    for path, size in zip(paths, sizes, strict=True):
        meter.file_begun(path, size)
        for _ in range(int(size * ratio) // (10 * CHUNK)):
            clock.now += 10 / read_a_second
            meter.chunked(10, 10 * CHUNK)
            waiting += 10
            if waiting >= batch:
                yield from embed()
        meter.file_done()
    yield from embed()


def at_half(moments):
    moments = list(moments)
    end = moments[-1][0]
    return min(moments, key=lambda moment: abs(moment[0] - end / 2)), end


@pytest.mark.parametrize("read_a_second", [200, 5_000])
@pytest.mark.parametrize(
    "sizes", [[10_000] * 200, [2_000_000], [5_000] * 100 + [1_000_000] + [50_000] * 20]
)
def test_given_half_the_time_gone_then_the_time_left_is_about_the_other_half(
    tmp_path, sizes, read_a_second
):
    moments = run(tmp_path, sizes, 100, read_a_second)
    (passed, left), end = at_half(moments)
    assert (end - passed) / 1.5 < left < (end - passed) * 1.5


def test_given_one_large_packed_file_then_the_time_left_is_of_its_text(tmp_path):
    moments = run(tmp_path, [1_000_000], 100, 1_000, suffix=".gz", ratio=3.4)
    (passed, left), end = at_half(moments)
    assert (end - passed) / 2 < left < (end - passed) * 2


def test_at_the_end_nothing_is_left(tmp_path):
    assert list(run(tmp_path, [100_000, 5_000], 100, 100))[-1][1] == 0


def test_before_anything_is_embedded_nothing_is_said(tmp_path):
    left = TimeLeft(Clock())
    assert left.seconds() is None
    meter = Meter(left.report)
    meter.expect([Path(tmp_path)])
    meter.chunked(10, 100)
    assert left.seconds() is None


class Told(dict):
    """The last numbers of every stage."""

    def __call__(self, stage, done, total):
        self[stage] = done, total


def test_given_900_unchanged_files_then_those_to_come_are_guessed_from_the_new_ones(tmp_path):
    told = Told()
    meter = Meter(told)
    files = [tmp_path / f"{number}.txt" for number in range(1_000)]
    for path in files:
        path.write_bytes(bytes(1_000))
    meter.expect(files)
    for number, path in enumerate(files):
        meter.file_begun(path, 1_000)
        if number < 900:
            meter.unchanged()
        else:
            meter.chunked(10, 1_000)
            meter.embedded(10)
        meter.file_done()
        if number in (901, 950, 998):
            assert told["chunks"][1] == pytest.approx(1_000, rel=0.05)
    meter.embedded(0)
    assert told == {"files": (1_000, 1_000), "chunks": (1_000, 1_000)}


def test_given_a_file_that_is_unchanged_but_for_its_end_then_its_end_is_what_counts(tmp_path):
    told = Told()
    meter = Meter(told)
    path = tmp_path / "rows.jsonl"
    path.write_bytes(bytes(100_000))
    meter.expect([path])
    meter.file_begun(path, 100_000)
    for _ in range(90):
        meter.unchanged(1_000)
    for _ in range(5):
        meter.chunked(2, 1_000)
    assert told["chunks"] == (0, 20)


def test_given_documents_whose_number_is_known_then_they_are_the_measure():
    told = Told()
    meter = Meter(told)
    meter.expect([], 100)
    for number in range(100):
        meter.document_begun()
        if number < 50:
            meter.unchanged(700)
        else:
            meter.chunked(3, 700)
        meter.document_done()
        if number == 75:
            meter.embedded(10)
            assert told["chunks"] == (10, 150)
    meter.embedded(140)
    assert told["chunks"] == (150, 150)


@pytest.mark.parametrize(("files", "documents"), [(0, None), (1, None), (1, 10)])
def test_given_documents_of_no_known_number_or_files_too_then_no_time_left_is_said(
    tmp_path, files, documents
):
    left = TimeLeft(Clock())
    meter = Meter(left.report)
    meter.expect([tmp_path] * files, documents)
    meter.document_begun()
    meter.chunked(10, 100)
    meter.document_done()
    meter.embedded(5)
    assert left.seconds() is None


def test_chunks_never_go_back_whoever_tells_of_them():
    told = []
    meter = Meter(lambda stage, done, total: told.append(done) if stage == "chunks" else None)
    meter.expect([], 1)
    with ThreadPoolExecutor(2) as threads:
        threads.submit(lambda: [meter.chunked(1, 10) for _ in range(20_000)])
        threads.submit(lambda: [meter.embedded(1) for _ in range(20_000)])
    assert told == sorted(told)
    assert told[-1] == 20_000


def test_given_an_add_that_goes_on_then_what_is_in_the_store_already_is_no_work(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()

    def document(number):
        text = f"A short note, number {number}."
        return bridgerag.Document(f"d{number}", "", "", text, (), {})

    def totals(*paths, documents=()):
        told = []
        bridge.add(*paths, documents=documents, progress=lambda *each: told.append(each))
        return [total for stage, _, total in told if stage == "chunks"]

    settings = bridgerag.Settings(embedding="none")
    with bridgerag.open(tmp_path / "store", settings=settings) as bridge:
        for number in range(100):
            (folder / f"{number:03}.txt").write_text(f"The mill has {1000 + number} sacks.")
            if number in (89, 99):
                guesses = totals(folder)
        assert len(guesses) > 9
        assert {9, 10, 11} >= set(guesses)
        totals(documents=[document(number) for number in range(90)])
        guesses = totals(documents=[document(number) for number in range(100)])
        assert len(guesses) > 9
        assert {9, 10, 11} >= set(guesses)
        assert set(totals(documents=map(document, range(110)))) == {None}


def test_given_a_file_that_cannot_be_read_then_it_is_counted_too(tmp_path, monkeypatch):
    told = Told()
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(f"The mill of {name}.")

    def look(path, *rest, whole=bridgerag.ingest.reading.look):
        if path.name == "b.txt":
            raise PermissionError
        return whole(path, *rest)

    monkeypatch.setattr("bridgerag.ingest.reading.look", look)
    settings = bridgerag.Settings(embedding="none")
    with bridgerag.open(tmp_path / "store", settings=settings) as bridge:
        bridge.add(tmp_path / "a.txt", tmp_path / "b.txt", progress=told)
    assert told == {"files": (2, 2), "chunks": (1, 1)}


def test_files_that_are_left_alone_are_counted_by_their_number():
    clock = Clock()
    left = TimeLeft(clock)
    clock.now += 5
    left.report("files", 25, 100)
    assert left.seconds() == pytest.approx(15)
