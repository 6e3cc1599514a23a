"""A device that fails and a disk that is full: a clear error, nothing lost, and on it goes."""

import os
import shutil
import subprocess
import sys

import pytest

from bridgerag.errors import BridgeError
from crash.faults import preloaded
from crash.toy import contents, document, open_toy


def test_given_a_system_call_that_fails_then_nothing_is_lost():
    done = preloaded(["--stride", "31"])
    if done is None:
        pytest.skip("needs Linux and a C compiler")
    assert done.returncode == 0, done.stderr
    assert "nothing lost" in done.stdout


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own, of one megabyte, in memory."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("mounting a small file system needs Linux and root")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


CHANGES = {
    "add": lambda bridge: bridge.add(documents=[document(n, "late") for n in range(6)]),
    "remove": lambda bridge: bridge.remove("d004"),
    "compact": lambda bridge: bridge.compact(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_given_a_full_disk_then_it_is_said_and_the_store_goes_on_with_room(small_disk, change):
    store, filler = small_disk / "store", small_disk / "filler"
    with open_toy(store) as bridge:
        for number in range(6):
            bridge.add(documents=[document(number)])
        before = contents(bridge)
    spare = shutil.copytree(store, small_disk.parent / "spare")
    with open_toy(spare) as bridge:
        CHANGES[change](bridge)
        after = contents(bridge)
    refused = 0
    for free in range(0, 400_000, 20_000):
        error = fill_and_try(store, filler, free, change)
        refused += error is not None
        with open_toy(store) as bridge:
            assert bridge.check().problems == ()
            held = contents(bridge)
            assert held in (before, after)
        if error is None:
            break
    assert refused
    assert held == after


def fill_and_try(store, filler, free, change):
    """Change a store on a disk with ``free`` bytes left, then make room; return the error."""
    room = shutil.disk_usage(store).free - free
    filler.write_bytes(bytes(max(room, 0)))
    try:
        with open_toy(store) as bridge:
            CHANGES[change](bridge)
    except BridgeError as error:
        assert "space" in str(error) or "full" in str(error), error
        return error
    finally:
        filler.unlink()
    return None
