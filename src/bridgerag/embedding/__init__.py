"""Turn texts into vectors, and count their tokens.

`open_embedder` is the door. The default model comes with the package and runs on the processor;
nothing is downloaded. Nothing heavy is imported before it is used.
"""

from __future__ import annotations

from bridgerag.errors import InputError
from bridgerag.protocols import Embedder

__all__ = ["open_embedder"]


def open_embedder(name: str) -> Embedder:
    """Return the embedder called ``name``; this reads no model and asks no server yet.

    Args:
        name: ``"minilm"`` (comes with the package), ``"minilm-fast"`` (the same model on OpenVINO,
            the extra `fast`), ``"none"`` (no vectors at all), or ``"MODEL@URL"`` for an
            OpenAI-compatible server, for example ``"bge-m3@http://localhost:8000/v1"``.

    Raises:
        InputError: no embedder is called that.
        MissingExtra: it needs an extra that is not installed.
    """
    if name == "minilm":
        from bridgerag.embedding.minilm import MiniLM  # noqa: PLC0415 - keeps the import cheap

        return MiniLM()
    if name == "minilm-fast":
        from bridgerag.embedding.minilm_fast import FastMiniLM  # noqa: PLC0415

        return FastMiniLM()
    if name == "none":
        from bridgerag.embedding.none import NoEmbedder  # noqa: PLC0415

        return NoEmbedder()
    if "@" in name:
        from bridgerag.embedding.openai_compatible import OpenAICompatible  # noqa: PLC0415

        return OpenAICompatible.from_name(name)
    known = "'minilm', 'minilm-fast', 'none' or 'MODEL@URL' (http or https)"
    raise InputError("embedding", name, known)
