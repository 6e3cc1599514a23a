"""What a file is called: the id of its document, and a title when it has none of its own."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["document_id", "file_title"]


def document_id(path: Path) -> str:
    r"""Return the id of the document in ``path``: its absolute path with ``/`` as the separator.

    ``..`` is folded, symbolic links are not followed, and bytes of a name that are not UTF-8 are
    written as ``\xff``, so that an id can be stored and printed anywhere.
    """
    name = Path(os.path.abspath(path)).as_posix()  # noqa: PTH100  Path.absolute keeps ".."
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def file_title(path: Path) -> str:
    """Return the file's name without its suffixes, on one line."""
    path = Path(document_id(path))
    stem = Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem
    return " ".join(stem.split())
