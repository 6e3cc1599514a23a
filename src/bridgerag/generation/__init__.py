"""Writing cited answers from what a search found, with a language model or without one.

`ExtractiveWriter` quotes the sentences that fit the question best. `OpenAIWriter` has a model
write from numbered passages and checks every citation. `writer_from_environment` picks one, and
`write_in_rounds` searches again for what the model finds missing.
"""

from __future__ import annotations

from bridgerag.generation.environment import writer_from_environment
from bridgerag.generation.extractive import ExtractiveWriter
from bridgerag.generation.iterate import MOST_ROUNDS, write_in_rounds
from bridgerag.generation.openai_compatible import OpenAIWriter

__all__ = [
    "MOST_ROUNDS",
    "ExtractiveWriter",
    "OpenAIWriter",
    "write_in_rounds",
    "writer_from_environment",
]
