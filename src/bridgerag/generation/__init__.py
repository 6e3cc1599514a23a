"""Writing cited answers from what a search found, with a language model or without one.

`ExtractiveWriter` quotes the sentences that fit the question best. `OpenAIWriter` has a model
write from numbered passages and checks every citation. `writer_from_environment` picks one.
"""

from __future__ import annotations

from bridgerag.generation.environment import writer_from_environment
from bridgerag.generation.extractive import ExtractiveWriter
from bridgerag.generation.openai_compatible import OpenAIWriter

__all__ = ["ExtractiveWriter", "OpenAIWriter", "writer_from_environment"]
