"""What we promise about speed, each with its bound and what the kept results say."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["PROMISES", "Promise", "kept_of"]

Kept = Mapping[str, Sequence[Mapping[str, Any]]]  # the rows of each word
_MILLION = 1_000_000
_LISTS, _FIND = "lookup_many", "count_many"
_MANY = "search_many, embedded by the default model, cores: "


class Place(NamedTuple):
    """A figure in the results: of a way at a size of about ``count``, its median or a fact."""

    word: str
    count: float
    way: str
    fact: str = ""


@dataclass(frozen=True, slots=True)
class Promise:
    """A figure that should be at most, or at least, its bound."""

    what: str
    bound: float
    unit: str
    at_least: bool
    figure: Callable[[Kept], float]

    def holds(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound


def kept_of(kept: Kept, place: Place) -> float:
    """Return a figure of the results; `LookupError` where there is none."""
    for row in kept.get(place.word, ()):
        if row["way"] == place.way and _near(row["size"], place.count):
            return float(row["facts"][place.fact] if place.fact else row["median"])
    raise LookupError(place)


def _near(size: str, count: float) -> bool:
    """Return whether the number in a size is ``count`` within 5 %: corpora end with a document."""
    found = re.match(r"[\d,.]+", size)
    return found is not None and abs(float(found[0].replace(",", "")) / count - 1) < 0.05


def _figure(*place: Any) -> Callable[[Kept], float]:
    return lambda kept: kept_of(kept, Place(*place))


def _ratio(above: tuple[Any, ...], below: tuple[Any, ...]) -> Callable[[Kept], float]:
    return lambda kept: kept_of(kept, Place(*above)) / kept_of(kept, Place(*below))


def _at_most(what: str, bound: float, unit: str, figure: Callable[[Kept], float]) -> Promise:
    return Promise(what, bound, unit, at_least=False, figure=figure)


def _at_least(what: str, bound: float, unit: str, figure: Callable[[Kept], float]) -> Promise:
    return Promise(what, bound, unit, at_least=True, figure=figure)


def _lookups() -> list[Promise]:
    found = []
    for count, shown in ((_MILLION, "1M"), (10 * _MILLION, "10M")):
        get = ("lookup", count, "dict.get")
        found += [
            _at_most(
                f"batch of verified lookups, lists and all, {shown} entities",
                0.10,
                "of `dict.get`",
                _ratio(("lookup", count, _LISTS), get),
            ),
            _at_most(
                f"finding a verified key, {shown} entities",
                3,
                "times a prefetched read",
                _figure("lookup", count, _FIND, "times the floor"),
            ),
            _at_most(
                f"the same with its list handed out, {shown} entities",
                3,
                "times the prefetched reads that takes",
                _figure("lookup", count, _LISTS, "times the floor with lists"),
            ),
            _at_most(
                f"an entity, lists of ids aside, {shown} entities",
                24,
                "bytes",
                _figure("lookup", count, _LISTS, "bytes an entity"),
            ),
        ]
    return found


def _searches() -> list[Promise]:
    ours, exact = "bridge, all of it", "exact scan, NumPy"
    found = [
        _at_most(
            "recognising a question of 25 words, 1M entities",
            10,
            "µs",
            _figure("recognise", _MILLION, "text to mentions"),
        ),
        _at_most("`bridge`, 1M chunks", 0.3, "ms", _figure("search", _MILLION, ours)),
        _at_most(
            "`bridge`, 1M chunks, 99th percentile",
            2,
            "ms",
            _figure("search", _MILLION, ours, "p99 ms"),
        ),
        _at_most(
            "`bridge`, 10M chunks against 10k",
            3,
            "times",
            _ratio(("search", 10 * _MILLION, ours), ("search", 10_000, ours)),
        ),
        _at_most(
            "`bridge`, 1M chunks",
            0.01,
            "of an exact scan",
            _ratio(("search", _MILLION, ours), ("search", _MILLION, exact)),
        ),
        _at_most("opening 10M chunks", 300, "ms", _figure("open", 10 * _MILLION, "first snapshot")),
    ]
    found += [
        _at_least(
            f"`search_many` on two cores, default model, {shown} chunks",
            1.8,
            "times one core",
            _ratio(("search", count, f"{_MANY}1"), ("search", count, f"{_MANY}2")),
        )
        for count, shown in ((10_000, "10k"), (_MILLION, "1M"), (10 * _MILLION, "10M"))
    ]
    return found


def _builds() -> list[Promise]:
    plain, ours = "onnxruntime, batches of 32", "bridgerag, no embedding"
    return [
        _at_least("building without embeddings", 8, "MB/s", _figure("build", 12.2, ours)),
        _at_most(
            "memory of a build of 98 MB of text against 12 MB",
            1.15,
            "times",
            _figure("memory", 97.6, ours, "times the smallest"),
        ),
        _at_least(
            "embedding, default",
            3,
            "times plain onnxruntime",
            _ratio(("build", 512, "bridgerag, minilm"), ("build", 512, plain)),
        ),
        _at_least(
            "embedding, `minilm-fast`",
            6,
            "times plain onnxruntime",
            _ratio(("build", 512, "bridgerag, minilm-fast"), ("build", 512, plain)),
        ),
    ]


PROMISES: Sequence[Promise] = (*_lookups(), *_searches(), *_builds())
