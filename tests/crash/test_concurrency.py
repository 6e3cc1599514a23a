"""Readers see whole commits only, whatever a writer does; writers wait for one another."""

from pathlib import Path

from crash.concurrency import play
from crash.toy import scratch


def test_given_readers_and_a_writer_then_every_answer_is_of_one_moment():
    with scratch() as folder:
        results = play(Path(folder) / "store", seconds=1.5, readers=3)
    kinds = [kind for kind, _ in results]
    assert (kinds.count("reader"), kinds.count("writer"), kinds.count("adder")) == (3, 1, 2)
