"""The guard of the native kernels: what it reads, what passes, what has to be explained."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "instructions.py"

CHANGES = """# Changelog

## Unreleased

- Instructions: lookup +25 %: lists take half the memory.
- Instructions: rank +30 %:

## 0.1.0

- Instructions: words +90 %: long ago.
"""


@pytest.fixture(scope="module")
def guard():
    spec = importlib.util.spec_from_file_location("instructions", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclass looks for its annotations
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def dump(kernel: str, total: int) -> str:
    return f"version: 1\ndesc: Trigger: Client Request: {kernel}\nsummary: 0\n\ntotals: {total}\n"


def test_counts_are_read_from_what_callgrind_writes_and_its_last_file_is_none(guard):
    last = "version: 1\ndesc: Trigger: Program termination\nsummary: 0\ntotals: 0\n"
    found = guard.read_dumps([dump("lookup", 1200), dump("rank", 7), last])
    assert found == {"lookup": 1200, "rank": 7}
    assert list(found) == ["lookup", "rank"]


@pytest.mark.parametrize(
    ("now", "fails", "says"),
    [
        (100, False, "+0.0%"),
        (110, False, "+10.0%"),
        (111, True, "Instructions: words +11%"),
        (90, False, "-10.0%"),
        (50, False, "record it"),
    ],
)
def test_a_kernel_may_grow_by_a_tenth_and_fall_as_it_likes(guard, now, fails, says):
    (change,) = guard.compare({"words": 100}, {"words": now}, CHANGES)
    assert change.fails is fails
    assert says in change.line()


def test_the_change_log_excuses_a_kernel_up_to_what_it_names_in_its_first_section(guard):
    def fails(kernel: str, now: int) -> bool:
        (change,) = guard.compare({kernel: 100}, {kernel: now}, CHANGES)
        return change.fails

    assert not fails("lookup", 125)
    assert fails("lookup", 127)
    assert fails("rank", 120)  # without a reason
    assert fails("words", 120)  # said of an earlier release


def test_what_the_guard_asks_to_write_is_what_it_reads(guard):
    (change,) = guard.compare({"words": 1000}, {"words": 1234}, "")
    asked = change.line().rpartition("CHANGELOG.md: ")[2].replace("...", "a reason")
    assert not guard.compare({"words": 1000}, {"words": 1234}, f"## Next\n\n- {asked}\n")[0].fails


def test_a_kernel_that_is_gone_fails_and_a_new_one_passes(guard):
    gone, new = guard.compare({"old": 5}, {"fresh": 5}, "")
    assert (gone.kernel, new.kernel) == ("old", "fresh")
    assert gone.fails
    assert not new.fails
    assert "no longer" in gone.line()
    assert "new" in new.line()
