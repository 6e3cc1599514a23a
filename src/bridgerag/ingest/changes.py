"""Whether a file is still what it was when the store last read it.

Size and time first: when both agree, the file is not opened. A file may however change once more
within the same tick of its file system's clock in which it was read, and keep its time; so a time
that is too close to the reading proves nothing, and the bytes are compared. (git does the same and
calls such an entry racily clean.)
"""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

from bridgerag.documents import check_file
from bridgerag.store import SourceRow

__all__ = ["look"]

_TICK_NS = 2_000_000_000  # the coarsest clock in use: FAT counts in steps of two seconds


def look(path: Path, source: str, known: SourceRow | None) -> SourceRow:
    """Return the state that a file is in now: ``known`` itself when nothing speaks for a change.

    Otherwise the file is read for its hash; ``sha256`` of both tells whether it has changed.

    Raises:
        UnreadableFile: it is no regular file, or empty.
        OSError: it cannot be looked at or opened.
    """
    now = time.time_ns()  # all of these before its bytes: what changes later is then noticed
    status = path.stat()
    if (
        known is not None
        and (status.st_size, status.st_mtime_ns) == (known.size_bytes, known.modified_ns)
        and known.modified_ns + _TICK_NS < known.read_ns
    ):
        return known
    check_file(path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    return SourceRow(source, status.st_size, status.st_mtime_ns, now, digest)
