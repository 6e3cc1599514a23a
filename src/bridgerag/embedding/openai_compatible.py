"""Embed through any server that speaks OpenAI's protocol: vLLM, Ollama, llama.cpp, OpenAI itself.

The texts leave this machine for the server that the name gives, and for no other.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bridgerag.embedding.tokens import TokenCounts
from bridgerag.errors import InputError, MissingExtra, ModelError
from bridgerag.types import Vectors

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import Embedding

__all__ = ["OpenAICompatible"]

_NAME = re.compile(r"(?P<model>.+?)@(?P<url>https?://(?P<host>[^\s/?#]+)\S*)")
_BATCH = 64  # texts a request
_TIMEOUT_S = 60.0
_RETRIES = 4  # of 429, 5xx and broken connections, with growing pauses


class OpenAICompatible:
    """An `Embedder` that asks a server.

    The key is taken from ``BRIDGERAG_API_KEY``, else from ``OPENAI_API_KEY``; most servers of one's
    own need none.
    """

    def __init__(self, model: str, url: str) -> None:
        """Prepare, without asking the server.

        Args:
            model: the server's name for it.
            url: up to the version, for example ``"http://localhost:8000/v1"``.
        """
        self.name = f"{model}@{url}"
        self.fingerprint = f"openai-compatible:{model}"  # the same wherever it is served
        self._model, self._url = model, url
        self.count_tokens = TokenCounts()

    @classmethod
    def from_name(cls, name: str) -> OpenAICompatible:
        """Return the embedder that ``name``, as ``"MODEL@URL"``, describes."""
        match = _NAME.fullmatch(name)
        if match is None:
            raise InputError("embedding", name, "'MODEL@URL', with an http or https URL")
        if "@" in match["host"]:
            hidden = f"{match['model']}@..."  # a store would keep the password, and print it
            raise InputError("embedding", hidden, "without a password; use BRIDGERAG_API_KEY")
        return cls(match["model"], match["url"])

    @cached_property
    def dim(self) -> int:
        """Width of the vectors; asks the server when nothing has been embedded yet."""
        return len(self._ask(["dimension"])[0])

    def embed(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        """Return float32 rows of shape ``(len(texts), dim)``, unit length, in the order given.

        Raises:
            MissingExtra: the package `openai` is not installed.
            ModelError: the server cannot be reached, refuses, or answers with something else.
        """
        parts: list[Vectors] = []
        for start in range(0, len(texts), _BATCH):
            batch = texts[start : start + _BATCH]
            parts.append(self._ask(batch))
            self.__dict__.setdefault("dim", parts[0].shape[1])
            if parts[-1].shape[1] != self.dim:
                found = f"a vector has {parts[-1].shape[1]} numbers, earlier ones {self.dim}"
                raise self._error(found, "does the server switch between models?")
            if on_done is not None:
                on_done(len(batch))
        return np.concatenate(parts) if parts else np.empty((0, self.dim), np.float32)

    @cached_property
    def _client(self) -> OpenAI:
        try:
            from openai import OpenAI  # noqa: PLC0415 - an extra, and heavy
        except ImportError as error:
            raise MissingExtra("embedding through a server", "openai") from error
        key = os.environ.get("BRIDGERAG_API_KEY") or os.environ.get("OPENAI_API_KEY") or "none"
        return OpenAI(base_url=self._url, api_key=key, timeout=_TIMEOUT_S, max_retries=_RETRIES)

    def _ask(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row a text, from one request."""
        client = self._client
        from openai import APIConnectionError, APIStatusError, OpenAIError  # noqa: PLC0415 - as above

        try:
            answer = client.embeddings.create(
                model=self._model,
                input=[text or " " for text in texts],  # servers refuse an empty text
                encoding_format="float",
            )
            return self._rows(sorted(answer.data, key=lambda item: item.index), len(texts))
        except APIConnectionError as error:
            found = f"no answer ({_RETRIES + 1} tries): {error}"
            raise self._error(found, "is the server up?") from error
        except APIStatusError as error:
            found = f"HTTP status {error.status_code}: {error.message:.200}"
            raise self._error(found, _remedy(error.status_code)) from error
        except (OpenAIError, AttributeError, TypeError, ValueError) as error:
            found = f"its answer is no list of embeddings ({error!s:.200})"
            raise self._error(found, "does the URL end in /v1?") from error

    def _rows(self, items: Sequence[Embedding], expected: int) -> Vectors:
        """Return unit rows, or say what is wrong with them."""
        if len(items) != expected:
            found = f"{len(items)} embeddings came back for {expected} texts"
            raise self._error(found, "is it an embedding model?")
        rows = np.array([item.embedding for item in items], np.float32)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not (np.isfinite(norms).all() and (norms > 0).all()):
            raise self._error("a vector is zero or not finite", "try another model")
        unit: Vectors = rows / norms
        return unit

    def _error(self, problem: str, remedy: str) -> ModelError:
        return ModelError(self.name, problem, remedy)


def _remedy(status: int) -> str:
    if status in {401, 403}:
        return "set BRIDGERAG_API_KEY to a key that the server accepts"
    if status == 404:
        return "check the model's name, and that the URL ends in /v1"
    if status == 429 or status >= 500:
        return "try again later; what was added before is kept"
    return "check the model's name and its limits"
