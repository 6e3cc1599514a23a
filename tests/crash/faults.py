"""Let every write, sync, rename, mkdir and deletion fail in turn, and see that nothing is lost.

    python tests/crash/faults.py

The calls are counted and failed below Python and SQLite alike, by a small library that is loaded
before the C library (`faults.c`, built with ``cc``). For each operation and each of its calls: the
operation runs with that call failing, once or from there on, for want of space or by a fault of the
device. It must end well or with a `BridgeError`; then, with the fault gone, `check` must find
nothing, the store must hold what it held before or what the operation was to make, and the
operation must succeed when it is tried again.
"""

import argparse
import ctypes
import errno
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bridgerag
from bridgerag.errors import BridgeError
from crash.toy import OtherVectors, contents, document, open_toy, scratch

HERE = Path(__file__).resolve()
SECRET = "The heron password is plum-seventeen."
OPERATIONS = {
    "create": lambda bridge: bridge.add(documents=[document(1)]),
    "add": lambda bridge: bridge.add(documents=[document(20), document(2, "new")]),
    "remove": lambda bridge: bridge.remove("d003") if holds(bridge, "d003") else None,
    "merge": lambda bridge: merge(bridge),  # noqa: PLW0108 - defined below
    "compact": lambda bridge: bridge.compact(),
    "reembed": lambda bridge: reembed(bridge),  # noqa: PLW0108
}


def holds(bridge, name):
    return any(ref.id == name for ref in bridge.documents())


def merge(bridge):
    with bridge._stores.open().writing() as (writer, _):
        writer.merge(everything=True)


def reembed(bridge):
    bridge.reembed(OtherVectors.name, embedder=OtherVectors())


def prepare(path):
    """Make a store with several segments and a removed document."""
    with open_toy(path) as bridge:
        for number in range(4):
            bridge.add(documents=[document(number), document(number + 10)])
        bridge.add(documents=[bridgerag.Document("gone", "", "", SECRET)])
        bridge.remove("gone", "d011")


def run(bridge, name):
    """Run an operation; return what it raised in our words, or None."""
    try:
        OPERATIONS[name](bridge)
    except BridgeError as error:
        assert str(error), type(error)
        return error
    return None


class Trial:
    """One operation on copies of one store, with the system's calls failing in turn."""

    def __init__(self, folder, name):
        self.library = ctypes.CDLL(None)
        self.library.fault_name.restype = ctypes.c_char_p
        self.folder, self.name = Path(folder), name
        self.original = self.folder / "original"
        if name != "create":
            prepare(self.original)
        self.before = look(self.original)
        self.empty = (None, "toy") if name == "create" else self.before
        self.calls, _ = self.attempt(0, 0, False)
        self.after = look(self.folder / "store")

    def attempt(self, at, code, lasting):
        """Run the operation on a new copy with a call failing; return calls and error."""
        store = self.folder / "store"
        shutil.rmtree(store, ignore_errors=True)
        if self.original.exists():
            shutil.copytree(self.original, store)
        bridge = open_toy(store)
        self.library.fault_arm(os.fsencode(store), at, code, lasting)
        try:
            error = run(bridge, self.name)
            self.failed = self.library.fault_name().decode()
            calls = self.library.fault_count()
            bridge.close()  # SQLite writes here too
        finally:
            self.library.fault_arm(b"", 0, 0, 0)
        return calls, error

    def every(self, code, lasting, stride, report):
        """Let each call fail, or every ``stride``-th of them."""
        for at in range(1, self.calls + 1, stride):
            _, error = self.attempt(at, code, lasting)
            where = (
                f"{self.name}: call {at}, {self.failed}, {errno.errorcode[code]}, lasting {lasting}"
            )
            store = self.folder / "store"
            try:
                found = look(store)
                assert found in (self.before, self.after, self.empty), "something between"
                assert error or found == self.after, "reported as done and not there"
                if self.name == "compact" and error is None:
                    assert not holds_bytes(store, SECRET), "the removed text is still there"
                bridge = open_any(store)
                if again := run(bridge, self.name):
                    raise again
                bridge.close()
                assert look(store) == self.after, "trying again did not help"
                assert not list(leftovers(store)), "files were left over"
            except (AssertionError, BridgeError) as problem:
                raise AssertionError(f"{where} ({error!r}): {problem!r}") from problem
            ended = "well" if error is None else f"with {type(error).__name__}"
            report[self.name, f"{self.failed} failed, ended {ended}"] += 1


def open_any(store):
    try:
        return open_toy(store)
    except BridgeError:
        return open_toy(store, OtherVectors())


def look(store):
    """Return what a store holds and under which model, once it is found sound; None: no store."""
    if not (store / "catalog.sqlite").exists():
        return None
    with open_any(store) as bridge:
        problems = bridge.check().problems
        assert problems == (), problems
        return contents(bridge) or None, bridge.status().embedding


def holds_bytes(store, text):
    return any(text.encode() in p.read_bytes() for p in store.rglob("*") if p.is_file())


def leftovers(store):
    """Yield what lies in a compacted store's folder and does not belong there."""
    with open_any(store) as bridge:
        bridge.compact()
        segments = bridge.status().segments
    yield from sorted((store / "segments").iterdir())[segments:]
    usual = {"catalog.sqlite", "catalog.sqlite-wal", "catalog.sqlite-shm", "writer.lock"}
    usual |= {"segments", "catalog.new-wal", "catalog.new-shm", "catalog.new-journal"}  # empty
    yield from (p for p in store.iterdir() if p.name not in usual)


def names():
    from bridgerag.engine import Bridge

    return [name for name in OPERATIONS if name != "reembed" or hasattr(Bridge, "reembed")]


def play(stride):
    """Fail calls of every operation; return a count by operation and outcome."""
    report = Counter()
    faults = [(errno.ENOSPC, True), (errno.EIO, False)]
    if stride == 1:
        faults += [(errno.ENOSPC, False), (errno.EIO, True)]
    for name in names():
        with scratch() as folder:
            trial = Trial(folder, name)
            for code, lasting in faults:
                trial.every(code, lasting, stride, report)
            report[name, "calls in all"] = trial.calls
    return report


def preloaded(arguments):
    """Run this program with the library in front; return its result, or None without ``cc``."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        return None
    with scratch() as folder:
        library = Path(folder) / "faults.so"
        source = HERE.with_suffix(".c")
        build = [compiler, "-shared", "-fPIC", "-O1", source, "-o", library, "-ldl"]
        subprocess.run(build, check=True)
        environment = os.environ | {"LD_PRELOAD": str(library)}
        command = [sys.executable, HERE, "--inside", *arguments]
        return subprocess.run(command, env=environment, check=False, text=True, capture_output=True)


def main():
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stride", type=int, default=1, help="fail only every so many-th call")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    start = time.perf_counter()
    if options.inside:
        for (name, outcome), count in sorted(play(options.stride).items()):
            print(f"{name:8} {count:5} {outcome}")
        print(f"nothing lost, in {time.perf_counter() - start:.0f} s")
        return
    done = preloaded(["--stride", str(options.stride)])
    if done is None:
        sys.exit("this needs Linux and a C compiler")
    print(done.stdout, done.stderr, sep="\n")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
