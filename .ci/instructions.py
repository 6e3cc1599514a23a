#!/usr/bin/env python3
"""Count the instructions of each native kernel, and compare them with those on record.

.ci/instructions.py            prints the change of each kernel; fails where one grew by more than
                               10 % and CHANGELOG.md does not say why
.ci/instructions.py --record   the same, then writes native/bench/counts.json anew

Counts, unlike times, are the same on a busy machine: valgrind's callgrind runs native/bench on
fixed inputs. They depend on the compiler and on the instruction set, so each has a record of its
own; where there is none, counts are printed and nothing fails. A line of the change log's first
section excuses a kernel up to the change that it names:

    - Instructions: lookup_many +14 %: lists are delta-coded now, and take half the memory.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
COUNTS = HERE / "native/bench/counts.json"
MOST = 0.10  # change that passes without a word
_EXCUSE = re.compile(r"^[-* ]*Instructions: (\w+) \+([\d.]+) ?%: \S", re.MULTILINE)


@dataclass(frozen=True)
class Change:
    """One kernel: what is on record, what was counted, what the change log excuses."""

    kernel: str
    before: int | None
    now: int | None
    excused: float = 0.0  # growth, as a share

    @property
    def share(self) -> float:
        """How much it grew, to a hundredth of a per cent; 0 where nothing is to compare."""
        return round(self.now / self.before - 1, 4) if self.now and self.before else 0.0

    @property
    def fails(self) -> bool:
        """Whether it grew by more than passes and than is excused, or is counted no more."""
        if self.before and self.now is None:
            return True
        return self.share > max(MOST, self.excused + 0.005)  # the change log gives whole per cents

    def line(self) -> str:
        """What to print of it."""
        now = f"{self.now:>14,}" if self.now else f"{'-':>14}"
        return f"{self.kernel:<16}{now}  {self._verdict()}"

    def _verdict(self) -> str:
        if self.before is None:
            return "new: record it"
        if self.now is None:
            return "no longer counted: record it"
        change = f"{self.share:+7.1%}"
        if self.fails:
            return (
                f"{change}  above {max(MOST, self.excused):.0%}: make it cheaper, or say why in "
                f"CHANGELOG.md: Instructions: {self.kernel} +{self.share:.0%}: ..."
            )
        if self.share > MOST:
            return f"{change}  as the change log says"
        if self.excused:
            return f"{change}  on record: take its line out of CHANGELOG.md"
        return f"{change}  record it" if self.share < -MOST else change


def compare(record: Mapping[str, int], counted: Mapping[str, int], change_log: str) -> list[Change]:
    """Return the change of every kernel that is on record or was counted, in that order."""
    excused = excuses(change_log)
    return [
        Change(kernel, record.get(kernel), counted.get(kernel), excused.get(kernel, 0.0))
        for kernel in dict.fromkeys([*record, *counted])
    ]


def excuses(change_log: str) -> dict[str, float]:
    """Return the growth of kernels that the first section of a change log gives a reason for."""
    first = re.split(r"^## ", change_log, maxsplit=2, flags=re.MULTILINE)[1:2]
    return {kernel: float(share) / 100 for kernel, share in _EXCUSE.findall("".join(first))}


def read_dumps(dumps: list[str]) -> dict[str, int]:
    """Return what callgrind's files say: instructions by kernel, in the order of the names."""
    counts = {}
    for dump in dumps:
        kernel = re.search(r"^desc: Trigger: Client Request: (\w+)$", dump, re.MULTILINE)
        total = re.search(r"^totals: (\d+)$", dump, re.MULTILINE)
        if kernel and total:
            counts[kernel[1]] = int(total[1])
    return counts


def build(folder: Path) -> Path:
    """Build the benchmark as a release is built; return the program."""
    clean = {name: value for name, value in os.environ.items() if not name.endswith("FLAGS")}
    options = ("CMAKE_BUILD_TYPE=Release", "BRIDGE_PYTHON=OFF", "BRIDGE_BENCH=ON")
    for command in (
        ["cmake", "-S", HERE, "-B", folder, "-G", "Ninja", *(f"-D{each}" for each in options)],
        ["cmake", "--build", folder],
    ):
        run = subprocess.run(  # noqa: S603 - our own build
            command, env=clean, capture_output=True, text=True, check=False
        )
        if run.returncode:
            sys.exit(f"{run.stdout}{run.stderr}\nthe native benchmark does not build")
    return folder / "bridge_bench"


def count(program: Path, folder: Path) -> tuple[str, dict[str, int]]:
    """Run the benchmark under callgrind; return the kernel of `rank`, and the counts."""
    command = [
        *("valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no"),
        *(f"--callgrind-out-file={folder / 'dump'}", program),
    ]
    environment = {**os.environ, "LD_BIND_NOW": "1"}  # no symbol is looked up while counting
    run = subprocess.run(  # noqa: S603 - what `build` made
        command, env=environment, capture_output=True, text=True, check=False
    )
    if run.returncode:
        sys.exit(f"{run.stdout}{run.stderr}\nthe native benchmark fails under valgrind")
    dot = run.stdout.split()[1]
    dumps = sorted(folder.glob("dump.*"), key=lambda path: int(path.suffix[1:]))
    return dot, read_dumps([path.read_text() for path in dumps])


def compiler(folder: Path) -> str:
    """Return name and major version of the compiler that a build folder was made with."""
    found = next(folder.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")).read_text()
    name, version = (
        re.search(rf'set\(CMAKE_CXX_COMPILER_{what} "([^"]*)"\)', found)[1]  # type: ignore[index]
        for what in ("ID", "VERSION")
    )
    return f"{name} {version.split('.')[0]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write the counts down")
    parser.add_argument(
        "--build", type=Path, help="a folder to build in, kept (default: a new one)"
    )
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("skipped: there is no valgrind here (apt-get install valgrind)")
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.build or Path(scratch, "build")
        dot, counted = count(build(folder), Path(scratch))
        machine = f"{compiler(folder)}, {platform.machine()}, {dot}"
    if not counted:
        sys.exit("callgrind counted no kernel; the form of its files may have changed")
    records = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    changes = compare(records.get(machine, {}), counted, (HERE / "CHANGELOG.md").read_text())
    print(f"instructions, {machine}")
    for change in changes:
        print(change.line())
    if options.record:  # what is gone may go from the record too
        changes = [change for change in changes if change.now is not None]
    if any(change.fails for change in changes):
        sys.exit("kernels are gone, or take more instructions, and the change log does not say why")
    if options.record:
        records[machine] = counted
        COUNTS.write_text(json.dumps(dict(sorted(records.items())), indent=1) + "\n")
    elif machine not in records:
        print("no counts are on record for this compiler and processor: nothing is compared")


if __name__ == "__main__":
    main()
