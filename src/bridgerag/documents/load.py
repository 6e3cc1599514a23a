"""A file to its documents: open, decompress, hand to the reader of its kind, name what is wrong."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from gzip import BadGzipFile
from pathlib import Path

from bridgerag.documents.names import document_id
from bridgerag.documents.readers import reader_for, text_reader
from bridgerag.documents.stream import open_stream
from bridgerag.errors import UnreadableFile
from bridgerag.types import Document, Skipped

__all__ = ["load"]


def load(path: Path) -> Iterator[Document | Skipped]:
    """Yield the documents in the file ``path``, and a `Skipped` for each one that cannot be had.

    A file whose kind its name does not tell is read as text if it is text. Nothing about a file is
    ever raised: one that cannot be read gives a single `Skipped` (after the documents read so far,
    when it breaks off in the middle).
    """
    source = document_id(path)
    reader = reader_for(path) or text_reader
    try:
        with open_stream(path) as stream:
            for item in reader.read(path, stream):
                if isinstance(item, Document) and (not item.text or item.text.isspace()):
                    yield Skipped(source, "has no text, only white space")
                else:
                    yield item
    except UnreadableFile as error:
        yield Skipped(source, error.reason)
    except (BadGzipFile, EOFError, zlib.error):
        yield Skipped(source, "is not a sound .gz file")
    except OSError as error:
        yield Skipped(source, f"cannot be opened: {error.strerror or error}")
    except MemoryError:
        yield Skipped(source, "needs more memory than there is; split it")
