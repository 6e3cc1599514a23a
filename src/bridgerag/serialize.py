"""The JSON forms of what the library gives back, one function a type.

The command line prints them and a server would send them. A form has the names of the type's own
fields, so what `bridgerag.types` documents holds here too; keys are only ever added. Values are
plain JSON: numbers that JSON cannot hold (NaN, infinities) become null, lone surrogates, which
UTF-8 cannot hold, become U+FFFD.
"""

from __future__ import annotations

import dataclasses
import json
import math
import numbers
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from bridgerag.types import (
        AddReport,
        Answer,
        CheckReport,
        Context,
        DocumentRef,
        Status,
        SyncReport,
        TreeNode,
    )

__all__ = [
    "JsonObject",
    "answer_json",
    "backup_json",
    "check_json",
    "context_json",
    "dumps",
    "encodable",
    "error_json",
    "listing_json",
    "report_json",
    "status_json",
    "sync_json",
    "tree_json",
]

JsonObject: TypeAlias = dict[str, Any]


def context_json(context: Context) -> JsonObject:
    """Return a search's question, entities, hits with their reasons, abstracts and timings.

    ``background`` is there when the method found anything of the kind; ``follow_ups``, and each
    hit's ``round``, when there was more than one round; ``depth_why`` when the depth was chosen.
    """
    form = _object(context)
    if not context.background:
        del form["background"]
    if not context.depth_why:
        del form["depth_why"]
    if not context.follow_ups:
        del form["follow_ups"]
        for hit in form["hits"]:
            del hit["round"]
    return form


def answer_json(answer: Answer) -> JsonObject:
    """Return the form of the answer's context with ``answer``, ``citations``, ``model`` added."""
    written = _object(answer)
    text = written.pop("text")
    del written["context"]
    return {**context_json(answer.context), "answer": text, **written}


def report_json(report: AddReport) -> JsonObject:
    """Return the counts of an `add`, and each skipped file with its reason."""
    return _object(report)


def sync_json(report: SyncReport) -> JsonObject:
    """Return the files that differ or were skipped, and under ``done`` the form of the `add`."""
    return _object(report)


def status_json(status: Status) -> JsonObject:
    """Return what a store holds: counts, sizes, model, settings, time of the last commit."""
    return _object(status)


def check_json(report: CheckReport) -> JsonObject:
    """Return what a check looked at, problems, repairs, and ``ok``: whether no problem is left."""
    return {"ok": not report.problems, **_object(report)}


def backup_json(store: PurePath, destination: PurePath) -> JsonObject:
    """Return which store was copied, and where to."""
    return {"store": _plain(store), "destination": _plain(destination)}


def tree_json(node: TreeNode) -> JsonObject:
    """Return an abstract with everything below it, nested as the tree is."""
    return _object(node)


def listing_json(name: str, documents: Iterable[DocumentRef]) -> JsonObject:
    """Return documents in their order as ``{name: [{"id", "title", "source"}, ...]}``."""
    return {name: [_object(document) for document in documents]}


def error_json(kind: str, message: str) -> JsonObject:
    """Return a refusal as ``{"error": {"type", "message"}}``."""
    return {"error": {"type": _plain(kind), "message": _plain(message)}}


def dumps(form: JsonObject) -> str:
    """Return one of the forms above as JSON text that UTF-8 can encode."""
    return json.dumps(form, ensure_ascii=False, allow_nan=False, indent=2)


def encodable(text: str) -> str:
    """Return ``text`` with lone surrogates, which no encoding can hold, replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _object(record: Any) -> JsonObject:  # noqa: ANN401 - any dataclass
    return {field.name: _plain(getattr(record, field.name)) for field in dataclasses.fields(record)}


def _plain(value: object) -> object:  # noqa: PLR0911 - one a kind of value
    """Return ``value`` with nothing in it that JSON or UTF-8 cannot hold."""
    match value:
        case None | bool():
            return value
        case str():
            return encodable(value)
        case PurePath():
            return _plain(str(value))
        case numbers.Integral():
            return int(value)
        case numbers.Real():
            number = float(value)
            return number if math.isfinite(number) else None
        case Mapping():
            return {str(_plain(str(key))): _plain(item) for key, item in value.items()}
        case Iterable():
            return [_plain(item) for item in value]
        case _ if dataclasses.is_dataclass(value):
            return _object(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
