"""Which files a path means."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bridgerag.documents.names import document_id
from bridgerag.documents.readers import reader_for
from bridgerag.errors import InputError
from bridgerag.types import Skipped

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["find_files"]

_IGNORE_FILE = ".bridgeignore"
_JUNK = frozenset(("__pycache__", "node_modules", "bridge.store"))
_STORE_MARK = "catalog.sqlite"  # a folder with this file in it is a store

_PROBLEMS = {
    errno.ENOENT: "does not exist",
    errno.ELOOP: "is a symbolic link that leads back to itself",
    errno.EACCES: "cannot be opened: permission denied",
}

# Patterns in force, each with the folder that they are relative to.
_Rules = tuple[tuple[Path, "GitIgnoreSpec"], ...]


def find_files(paths: Iterable[str | Path], ignore: Sequence[str] = ()) -> Iterator[Path | Skipped]:
    """Yield the files that ``paths`` mean, and a `Skipped` for what is missing or of no known kind.

    A file given directly always counts. A folder is walked in sorted order, links followed, without
    hidden entries, caches, stores, and what matches ``ignore`` or the ``.bridgeignore`` of a folder
    above it (both written as in ``.gitignore``). No file comes twice, whatever links lead to it.

    Raises:
        InputError: ``ignore`` holds something that is not a pattern.
    """
    try:
        patterns = _spec(ignore)
    except ValueError as error:
        raise InputError("ignore", list(ignore), f"patterns as in .gitignore ({error})") from error
    seen: set[object] = set()
    for given in paths:
        if given == "":  # an unset variable in a shell; as a Path it would be the working folder
            yield Skipped("", "is no path")
            continue
        path = Path(given)
        yield from _walk(path, ((path, patterns),) if patterns else (), seen)


def _spec(lines: Iterable[str]) -> GitIgnoreSpec | None:
    lines = [line for line in lines if line.strip()]
    if not lines:
        return None
    from pathspec import GitIgnoreSpec  # noqa: PLC0415  seldom needed

    return GitIgnoreSpec.from_lines(lines)


def _walk(given: Path, rules: _Rules, seen: set[object]) -> Iterator[Path | Skipped]:
    """Walk with a stack: folders may nest more deeply than Python's calls do."""
    stack = [(given, rules)]
    while stack:
        path, rules = stack.pop()
        try:
            status = path.stat()
            # Some network and FAT file systems number no files.
            real = (status.st_dev, status.st_ino) if status.st_ino else os.path.realpath(path)
            if real in seen:
                continue
            seen.add(real)
            if path is given and (path / _STORE_MARK).is_file():
                yield Skipped(document_id(path), "is a store, not a folder of documents")
            elif path.is_dir():
                stack += reversed(_entries(path, rules))
            elif path is given or reader_for(path) is not None:
                yield path
            else:
                kind = path.suffix or "no suffix"
                yield Skipped(document_id(path), f"is not of a kind that bridgerag reads ({kind})")
        except OSError as error:
            problem = _PROBLEMS.get(error.errno or 0, f"cannot be opened: {error.strerror}")
            yield Skipped(document_id(path), problem)
        except ValueError as error:  # no path at all, or rules that are none
            yield Skipped(document_id(path), f"cannot be opened: {error}")


def _entries(folder: Path, rules: _Rules) -> list[tuple[Path, _Rules]]:
    """Return what is to be walked in ``folder``, sorted by name."""
    names = sorted(os.listdir(folder))  # noqa: PTH208  names are all that is needed
    if _STORE_MARK in names:
        return []
    if _IGNORE_FILE in names:
        rules += _read_rules(folder)
    paths = (folder / name for name in names if not name.startswith(".") and name not in _JUNK)
    return [(path, rules) for path in paths if not _is_ignored(path, rules)]


def _read_rules(folder: Path) -> _Rules:
    """Return the rules in the folder's ignore file; a line that is no pattern makes it void."""
    lines = (folder / _IGNORE_FILE).read_text("utf-8", "replace").splitlines()
    try:
        spec = _spec(lines)
    except ValueError as error:
        raise ValueError(
            f"its {_IGNORE_FILE} holds something that is not a pattern: {error}"
        ) from error
    return ((folder, spec),) if spec else ()


def _is_ignored(path: Path, rules: _Rules) -> bool:
    slash = "/" if rules and path.is_dir() else ""
    return any(spec.match_file(path.relative_to(at).as_posix() + slash) for at, spec in rules)
