"""The twins, which are no test module, for the tests beside them."""

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("native_twins", Path(__file__).with_name("twins.py"))
_twins = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_twins)


@pytest.fixture(scope="session")
def twins():
    return _twins
