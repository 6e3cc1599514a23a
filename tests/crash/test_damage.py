"""Damaged files give an error or the right answer, whatever is asked."""

from crash.damage import play
from crash.toy import scratch


def test_given_cut_and_flipped_files_then_no_answer_is_wrong():
    with scratch() as folder:
        faults, counts = play(folder, cuts=1, flips=24, seed=11)
    assert faults == []
    assert counts["cut, noticed"] > 10
    assert counts["flipped, noticed"] > 10
