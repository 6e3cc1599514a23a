"""What a file is called: the id of its document, and a title when it has none of its own."""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["document_id", "file_title"]


# Lone surrogates that do not stand for a byte; Windows lets file names have them.
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def document_id(path: Path) -> str:
    r"""Return the id of the document in ``path``: its absolute path with ``/`` as the separator.

    ``..`` is folded, symbolic links are not followed, and bytes of a name that are not UTF-8 are
    written as ``\xff``, so that an id can be stored and printed anywhere.
    """
    name = Path(os.path.abspath(path)).as_posix()  # noqa: PTH100  Path.absolute keeps ".."
    name = _NO_BYTE.sub(lambda found: ascii(found[0])[1:-1], name)
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def file_title(path: Path) -> str:
    """Return the file's name without its suffixes, on one line."""
    path = Path(document_id(path))
    stem = Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem
    return " ".join(stem.split())
