"""The default model on OpenVINO, the extra ``fast``: about twice as fast, rounded otherwise.

Weights stay int8. Activations are rounded to int8 as well, 64 numbers of one token sharing a scale,
so that products run on the integer units of the processor; the rest is bfloat16 where the processor
computes in it. A vector depends on its text alone, as the default's does, and is close to the
default's (a cosine of 0.9996), but not the same: hence a name and a fingerprint of its own. It may
change as little from one processor, or release of OpenVINO, to another.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from bridgerag.embedding.minilm import MiniLM, Model
from bridgerag.errors import MissingExtra

__all__ = ["FastMiniLM"]

_RECIPE = "1"  # raise it when the rounding or the padding changes
_SHARE_A_SCALE = "64"  # activations; fewer are slower, more are further from the default
_FIRST_RUN = Lock()  # two threads at a process's first tensors may wait for each other for ever


class FastMiniLM(MiniLM):
    """An `Embedder` that gives unit vectors of 384 numbers; it reads the first 256 tokens.

    It pays on processors with AVX-512 VNNI; on others `MiniLM` may be as fast.
    """

    name = "minilm-l6-v2-int8-fast"
    fingerprint = f"{MiniLM.fingerprint}-fast-{_RECIPE}"
    _multiple = 8  # OpenVINO prepares every new shape, so there should not be many

    def __init__(self, workers: int | None = None) -> None:
        """Prepare, without loading anything.

        Args:
            workers: how many texts are embedded at once, 1 or more; every usable core by default.

        Raises:
            MissingExtra: OpenVINO is not installed.
        """
        super().__init__(workers)
        if find_spec("openvino") is None:
            raise MissingExtra("the embedding minilm-fast", "fast")

    def _load(self, path: Path, threads: int) -> Model:
        # Importing OpenVINO would report to its makers over the network; without this it cannot.
        sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
        import openvino  # noqa: PLC0415 - an extra, and heavy

        streams = self._workers if threads == 1 else 1  # runs side by side
        compiled = openvino.Core().compile_model(
            path,
            "CPU",
            {
                "DYNAMIC_QUANTIZATION_GROUP_SIZE": _SHARE_A_SCALE,
                "NUM_STREAMS": streams,
                "INFERENCE_NUM_THREADS": streams * threads,
                "ENABLE_CPU_PINNING": False,
            },
        )

        # A request serves one thread at a time and stays with one stream. Made anew for each run,
        # two of them often share a stream while another rests.
        idle = [compiled.create_infer_request() for _ in range(streams)]

        def run(ids: NDArray[np.int64]) -> NDArray[np.float32]:
            mask = (ids != 0).astype(np.int64)  # no text has the token 0
            inputs = {
                "input_ids": ids,
                "attention_mask": mask,
                "token_type_ids": np.zeros_like(ids),
            }
            try:
                request = idle.pop()
            except IndexError:  # more callers than streams
                request = compiled.create_infer_request()
            try:
                states: NDArray[np.float32] = request.infer(inputs)[0]
                return states
            finally:
                if len(idle) < streams:
                    idle.append(request)

        with _FIRST_RUN:
            run(np.ones((1, self._multiple), np.int64))
        return run
