"""The machine that a run was made on, in general words."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bridgerag.embedding.minilm import usable_cores

__all__ = ["describe_machine", "release"]


def describe_machine() -> dict[str, str | int]:
    """Return processor, usable cores, system and Python; no names of machines, users or paths."""
    return {
        "processor": _processor(),
        "cores": usable_cores(),
        "system": platform.system(),
        "python": platform.python_version(),
        "bridgerag": release(),
    }


def release() -> str:
    """Return the version of bridgerag that is installed."""
    try:
        return version("bridgerag")
    except PackageNotFoundError:
        return "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
