"""Giving memory that was let go of back to the system."""

import platform
import subprocess
import sys

import pytest

_PROGRAM = """
from mmap import PAGESIZE
from pathlib import Path
from bridgerag._native import trim_heap

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGESIZE

blocks = [bytes(50_000) for _ in range(1000)]
last = bytes(50_000)  # stands behind them, so that the C library keeps what is freed before it
blocks.clear()
before = resident()
trim_heap()
print(before - resident())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is asked")
def test_what_was_freed_before_a_block_in_use_is_given_back():
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], check=True, capture_output=True, text=True
    )
    assert int(done.stdout) > 25_000_000
