"""A report as JSON and back: what `benchmarks/results/` keeps, checked field by field when read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from math import isfinite, isnan, nan
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from bridgerag.errors import InputError
from bridgerag.evaluation.report import Report

__all__ = ["SCHEMA", "dumps", "from_json", "to_json"]

SCHEMA = 1  # of the JSON; one more whenever what is stored could not be read as before
_DIGITS = 6  # significant; more would be noise
_DEPTH = 3  # a line for each item down to here: rows of a table, not their cells


def dumps(report: Report) -> str:
    """Return the report as JSON text, a line for each row of its tables."""
    return _text(to_json(report), _DEPTH) + "\n"


def to_json(report: Report) -> dict[str, Any]:
    """Return the report as JSON values; NaN becomes None, and floats keep six digits."""
    return {"schema": SCHEMA, **_write(report)}


def from_json(form: object, source: str = "report") -> Report:
    """Return the report that ``form``, made by `to_json`, holds.

    Raises:
        InputError: the schema is another, or a field is missing, unknown, or of another kind;
            ``source`` is named with it.
    """
    if not isinstance(form, dict):
        raise InputError(source, form, "a JSON object")
    if form.get("schema") != SCHEMA:
        raise InputError(f"schema of {source}", form.get("schema"), f"{SCHEMA}; store the run anew")
    report: Report = _read_record(
        Report, {name: value for name, value in form.items() if name != "schema"}, source
    )
    return report


def _text(value: Any, depth: int) -> str:
    if not depth or not value or not isinstance(value, dict | list):
        return json.dumps(value, allow_nan=False)
    if isinstance(value, dict):
        items = [f"{json.dumps(name)}: {_text(item, depth - 1)}" for name, item in value.items()]
        return "{\n" + ",\n".join(items) + "\n}"
    return "[\n" + ",\n".join(_text(item, depth - 1) for item in value) + "\n]"


def _write(value: Any) -> Any:
    if is_dataclass(value):
        found = {each: getattr(value, each.name) for each in fields(value)}
        return {each.name: _write(item) for each, item in found.items() if not _left(each, item)}
    if isinstance(value, Mapping):
        return {str(name): _write(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_write(item) for item in value]
    if isinstance(value, float):
        return None if isnan(value) else float(f"{value:.{_DIGITS}g}")
    return value


def _left(field: Any, value: Any) -> bool:
    """Tell whether a field is left out: it has its default, of which NaN is one."""
    default = field.default
    return value == default or (default != default and value != value)  # noqa: PLR0124 - NaN


def _read(kind: Any, form: object, at: str) -> Any:
    """Return ``form`` as ``kind``: a record, a tuple, a mapping from text, a union, or a scalar."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return None if form is None and NoneType in inner else _read(inner[0], form, at)
    if is_dataclass(kind):
        return _read_record(kind, form, at)
    if origin is tuple and isinstance(form, list):
        return tuple(_read(inner[0], item, f"{at}[{i}]") for i, item in enumerate(form))
    if origin is Mapping and isinstance(form, dict):
        return {name: _read(inner[1], item, f"{at}.{name}") for name, item in form.items()}
    if kind is float:
        return _read_float(form, at)
    if type(form) is kind:
        return form
    raise InputError(at, form, f"of the kind {getattr(kind, '__name__', kind)}")


def _read_record(kind: Any, form: object, at: str) -> Any:
    known = {each.name for each in fields(kind)}
    needed = {
        each.name
        for each in fields(kind)
        if each.default is MISSING and each.default_factory is MISSING
    }
    if not isinstance(form, dict) or not needed <= set(form) <= known:
        found = sorted(form) if isinstance(form, dict) else form
        raise InputError(at, found, f"an object with the keys {sorted(needed)} of {sorted(known)}")
    kinds = _kinds(kind)
    return kind(**{name: _read(kinds[name], item, f"{at}.{name}") for name, item in form.items()})


def _read_float(form: object, at: str) -> float:
    if form is None:
        return nan
    if isinstance(form, bool) or not isinstance(form, int | float) or not isfinite(form):
        raise InputError(at, form, "a number or null")
    return float(form)


@cache
def _kinds(record: type) -> dict[str, Any]:
    return get_type_hints(record)
