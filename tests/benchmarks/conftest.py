"""The benchmarks, which are not installed with the package."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def benchmark():
    """Import a module of the benchmarks by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        yield lambda name: importlib.import_module(f"benchmarks.{name}")
