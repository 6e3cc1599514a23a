"""A writer killed at any moment loses nothing that it had reported as done."""

import sys
from pathlib import Path

import pytest

from crash.kill import kill_often
from crash.toy import scratch


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_given_writers_killed_at_random_then_every_finished_change_is_there():
    with scratch() as folder:
        report = kill_often(Path(folder) / "store", times=8, seed=7)
    assert report.kills == 8
    assert sum(report.done.values()) > 0
