"""Models that give a vector for each token of a text, for BERTScore.

The package's own MiniLM, or any encoder in ONNX that lies in a local folder. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bridgerag.embedding import minilm
from bridgerag.errors import InputError, ModelError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

__all__ = ["MiniLMTokens", "OnnxTokens", "TokenModel", "TokenStates"]

TokenStates: TypeAlias = NDArray[np.float32]  # shape (tokens, dim), a row a token of the text

_TOKENS = 512  # what an encoder reads at most where its tokenizer says nothing else
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_OUTPUTS = ("last_hidden_state", "token_embeddings")


class TokenModel(Protocol):
    """Gives a vector for each token.

    Attributes:
        name: what a table prints beside the values.
    """

    name: str

    def token_states(self, text: str) -> TokenStates:
        """Return a row for each token of ``text``, of any length, special tokens left out."""
        ...


class MiniLMTokens:
    """The embedding model that comes with the package; it reads the first 254 tokens."""

    name = minilm.MiniLM.name

    def __init__(self) -> None:
        self._model = minilm.MiniLM(workers=1)

    def token_states(self, text: str) -> TokenStates:
        """Return the model's last states. Cost: about 0.15 ms a token.

        Raises:
            ModelError: the model's file is missing or altered.
        """
        return self._model.token_states(text)


class OnnxTokens:
    """An encoder exported to ONNX: a folder with ``model.onnx`` and ``tokenizer.json``.

    It is called by the folder's name and the first letters of the model's SHA-256.
    """

    def __init__(self, folder: Path) -> None:
        """Load the model.

        Raises:
            InputError: one of the two files is not there.
            ModelError: they cannot be used.
        """
        import onnxruntime  # noqa: PLC0415 - heavy
        from tokenizers import Tokenizer  # noqa: PLC0415

        model, rules = folder / "model.onnx", folder / "tokenizer.json"
        if not model.is_file() or not rules.is_file():
            expected = "a folder with model.onnx and tokenizer.json"
            raise InputError("the model for BERTScore", str(folder), expected)
        try:
            with model.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            self._tokenizer = Tokenizer.from_file(str(rules))
            self._session: InferenceSession = onnxruntime.InferenceSession(
                str(model), providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime and tokenizers raise what they like
            reason = str(error).partition("\n")[0]
            raise ModelError(
                str(folder), f"cannot be loaded ({reason})", "export it anew"
            ) from error
        self._tokenizer.no_padding()
        if self._tokenizer.truncation is None:
            self._tokenizer.enable_truncation(_TOKENS)
        self.name = f"{folder.resolve().name}@{digest[:8]}"
        self._output = _output(folder, self._session)

    def token_states(self, text: str) -> TokenStates:
        """Return the model's last states."""
        found = self._tokenizer.encode(text.encode("utf-8", "ignore").decode())
        ids = np.array([found.ids], np.int64)
        known = dict(zip(_INPUTS, (ids, np.ones_like(ids), np.zeros_like(ids)), strict=True))
        if not ids.size:
            return np.empty((0, 0), np.float32)
        inputs = {wanted.name: known[wanted.name] for wanted in self._session.get_inputs()}
        states: NDArray[np.float32] = self._session.run([self._output], inputs)[0][0]
        rows: TokenStates = states[np.array(found.special_tokens_mask) == 0]
        return rows.astype(np.float32, copy=False)  # it may be a model of half floats


def _output(folder: Path, session: InferenceSession) -> str:
    """Return the name of the output that has a row for each token."""
    names: dict[str, int] = {out.name: len(out.shape) for out in session.get_outputs()}
    unknown = {node.name for node in session.get_inputs()}.difference(_INPUTS)
    found = [name for name in _OUTPUTS if name in names] or [n for n in names if names[n] == 3]
    if not found or unknown:
        problem = f"gives {sorted(names)}" if not found else f"asks for {sorted(unknown)}"
        remedy = "export an encoder that gives last_hidden_state for input_ids"
        raise ModelError(str(folder), problem, remedy)
    return found[0]
