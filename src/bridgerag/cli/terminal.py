"""What may reach a terminal, and how: text made harmless, JSON, notes.

Text from documents, file names and models is foreign: an escape sequence in it could recolour,
retitle or answer for the terminal, a newline in a file name could forge a line. Everything foreign
goes through `printable` before it is printed; `emit` and `note` are the only ways out beside it.
"""

from __future__ import annotations

import re
import shutil
import sys
import unicodedata
from pathlib import Path

import click

from bridgerag.serialize import JsonObject, dumps

__all__ = [
    "emit",
    "fit",
    "note",
    "on_terminal",
    "printable",
    "printable_lines",
    "shown_path",
    "width",
]

# C0 and C1 controls, line and paragraph separators, bidirectional overrides and isolates,
# interlinear annotations, tag characters, lone surrogates.
_UNSAFE = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff"
)
_UNSAFE_IN_A_LINE = re.compile(f"[\t\n{_UNSAFE}]")
_UNSAFE_IN_LINES = re.compile(f"[{_UNSAFE}]")


def printable(text: str) -> str:
    r"""Return ``text`` as one harmless line: controls become visible escapes such as ``\x1b``."""
    return _UNSAFE_IN_A_LINE.sub(_escape, text)


def printable_lines(text: str) -> str:
    """Return ``text`` made harmless as `printable` does, with its line ends and tabs kept."""
    return _UNSAFE_IN_LINES.sub(_escape, text)


def fit(text: str, columns: int) -> str:
    """Return ``text`` as one harmless line of at most ``columns`` terminal columns, 3 or more."""
    line = printable(" ".join(text.split()))
    used, room = 0, 0
    for position, character in enumerate(line):
        used += _columns(character)
        if used <= columns - 3:
            room = position + 1
        if used > columns:
            return line[:room] + "..."
    return line


def on_terminal() -> bool:
    """Tell whether stdout is a terminal, where someone watches the text appear."""
    return sys.stdout is not None and sys.stdout.isatty()


def width() -> int:
    """Return how many columns the terminal has; 80 when there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def shown_path(path: str) -> str:
    """Return ``path`` in one harmless line, relative to the working folder when it lies below."""
    try:
        return printable(Path(path).relative_to(Path.cwd()).as_posix())
    except (OSError, ValueError):
        return printable(path)


def emit(form: JsonObject) -> None:
    """Print one JSON document on stdout, in UTF-8 whatever the terminal's encoding."""
    click.echo(dumps(form).encode("utf-8"))


def note(line: str) -> None:
    """Print a line for people on stderr; the caller has made foreign parts `printable`."""
    click.echo(line, err=True)


def _escape(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
