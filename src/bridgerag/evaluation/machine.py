"""The machine that a run was made on, in general words."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["describe_machine", "release"]


def describe_machine() -> dict[str, str | int]:
    """Return processor, usable cores, system and Python; no names of machines, users or paths."""
    return {
        "processor": _processor(),
        "cores": _cores(),
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


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
