"""What an add says of itself, and the time left that comes of it, by a clock of our own."""

from pathlib import Path

import pytest

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


def test_files_that_are_left_alone_are_counted_by_their_number():
    clock = Clock()
    left = TimeLeft(clock)
    clock.now += 5
    left.report("files", 25, 100)
    assert left.seconds() == pytest.approx(15)
