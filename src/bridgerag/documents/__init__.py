"""From paths to chunks: find files, read every format, cut the text at sentence borders."""

from bridgerag.documents.apart import Readers, reads_slowly
from bridgerag.documents.chunk import chunk
from bridgerag.documents.load import load
from bridgerag.documents.names import document_id
from bridgerag.documents.stream import check_file
from bridgerag.documents.walk import find_files

__all__ = [
    "Readers",
    "check_file",
    "chunk",
    "document_id",
    "find_files",
    "load",
    "reads_slowly",
]
