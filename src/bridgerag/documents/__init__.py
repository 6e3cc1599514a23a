"""From paths to chunks: find files, read every format, cut the text at sentence borders."""

from bridgerag.documents.chunk import chunk
from bridgerag.documents.load import load
from bridgerag.documents.names import document_id
from bridgerag.documents.walk import find_files

__all__ = ["chunk", "document_id", "find_files", "load"]
