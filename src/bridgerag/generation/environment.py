"""Which writer the arguments and the environment ask for."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from bridgerag.generation.extractive import ExtractiveWriter
from bridgerag.generation.openai_compatible import OpenAIWriter
from bridgerag.protocols import AnswerWriter, Embedder

__all__ = ["writer_from_environment"]

_MODEL_AT_URL = re.compile(r"(?P<model>.+?)@(?P<url>https?://.+)")
EXTRACTIVE = "extractive"


def writer_from_environment(
    model: str | None = None,
    embedder: Embedder | None = None,
    environment: Mapping[str, str] = os.environ,
) -> AnswerWriter:
    """Return the writer for ``model``: the extractive one unless a language model is named.

    ``BRIDGERAG_MODEL`` names it when the argument does not. The server is the one in
    ``MODEL@URL``, else ``BRIDGERAG_BASE_URL``, else ``OPENAI_BASE_URL``, else OpenAI itself. The
    key is ``BRIDGERAG_API_KEY``; ``OPENAI_API_KEY`` goes only to OpenAI or ``OPENAI_BASE_URL``,
    never to a server that was named for bridgerag alone.

    Args:
        model: ``"extractive"`` overrules the environment.
        embedder: ranks the sentences of an extractive answer, and counts a prompt's tokens.

    Raises:
        InputError: the address is no http or https URL.
        ModelError: OpenAI itself is meant, and there is no key.
    """
    name = model or environment.get("BRIDGERAG_MODEL") or EXTRACTIVE
    if name == EXTRACTIVE:
        return ExtractiveWriter(embedder)
    named = _MODEL_AT_URL.fullmatch(name)
    ours = named["url"] if named else environment.get("BRIDGERAG_BASE_URL")
    key = environment.get("BRIDGERAG_API_KEY")
    if not ours:
        key = key or environment.get("OPENAI_API_KEY")
    return OpenAIWriter(
        named["model"] if named else name,
        ours or environment.get("OPENAI_BASE_URL") or None,
        key or None,
        count_tokens=embedder.count_tokens if embedder is not None else None,
    )
