"""The command ``bridgerag``: add, remove, search, ask, status, tree and check, from a shell.

Each command is one file and three steps: parse, one call of the library, print. Text for people
and ``--json`` for programs go to stdout, progress and notes to stderr. The exit status is 0 for
done, 1 for refused, 2 for wrong usage, 130 for interrupted; whatever is not 0 says why in one line.
"""

from __future__ import annotations

import io
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line on ``sys.argv`` and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without UTF-8 gets \\u escapes
            stream.reconfigure(errors="backslashreplace")

    from bridgerag.cli.app import cli  # noqa: PLC0415

    cli.main(prog_name="bridgerag")
