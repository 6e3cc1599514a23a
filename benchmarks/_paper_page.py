"""The page of `benchmarks.paper_table`: a table, what differs, and the claims in words.

Tables are Markdown with aligned columns, so that the same text serves a terminal. Every sentence on
a claim follows from its comparisons by a fixed rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import isnan, nan
from operator import eq

import numpy as np

from benchmarks._claims import IN_CONTEXT, MS, OURS, RIVALS, Claim, Comparison, Measured
from benchmarks._paper import METRICS, SECONDS
from benchmarks._paper_differs import differences
from bridgerag.evaluation.records import Run
from bridgerag.evaluation.report.wording import signed

__all__ = ["Part", "form", "page"]

_TITLES = {**METRICS, IN_CONTEXT: "in context", MS: "time"}
_FIRST = ("none", "naive", "raptor", "tree", "tree-ann", "graph", "bridge d=1")  # as in the paper


@dataclass
class Part:
    """One data set.

    Attributes:
        corpus: what is searched and asked, and how that differs from the paper.
        claims: those that are tested on it.
        paper: the rows of Table 1 that stand beside ours.
    """

    title: str
    run: Run
    corpus: str
    claims: Sequence[Callable[[Measured], Claim]]
    paper: Mapping[str, Mapping[str, float]]

    @cached_property
    def found(self) -> list[Claim]:
        """The claims, tested."""
        measured = Measured.of(self.run, self.paper)
        return [claim(measured) for claim in self.claims]


def page(parts: Sequence[Part]) -> str:
    """Return the whole page."""
    head = [
        "# The paper's Table 1, and ours",
        "Each cell: ours / the paper's. Values of 0 to 1; time is what one search takes. *In "
        "context* is the share of prompts in which the answer stands word for word: it judges the "
        "search alone, whoever writes the answers, over those whose answer can be told in a text.",
        "Made by `python -m benchmarks.paper_table`.",
    ]
    return "\n\n".join([*head, *(block for part in parts for block in _blocks(part))]) + "\n"


def _blocks(part: Part) -> Iterator[str]:
    yield f"## {part.title}"
    yield _table(part)
    yield "### What differs from the paper"
    yield "\n".join(f"- {line}." for line in differences(part.run, part.corpus))
    yield "### What follows"
    yield "\n".join(f"- {line}" for line in (*map(_told, part.found), *_alike(part.run)))
    tested = [one for claim in part.found for one in claim.comparisons]
    if tested:
        distinct = {(one.first, one.second, one.metric, one.least): one for one in tested}
        yield _comparisons(list(distinct.values()))


# ---- the table ----------------------------------------------------------------------------------


def _table(part: Part) -> str:
    run, named = part.run, {*part.run.methods, *part.paper}
    labels = [label for label in dict.fromkeys((*_FIRST, *run.methods)) if label in named]
    lines = [["method", *METRICS.values(), "time", "in context"]]
    for label in labels:
        told = part.paper.get(label, {})
        cells = [
            f"{_share(_mean(run, label, metric))} / {_share(told.get(metric, nan))}"
            for metric in METRICS
        ]
        took = run.latency(label)
        ours = f"{np.median(took):.2f} ms" if took.size else "–"
        theirs = told.get(SECONDS, nan)
        cells.append(f"{ours} / {'–' if isnan(theirs) else f'{theirs:.2f} s'}")
        lines.append([label, *cells, _share(_mean(run, label, IN_CONTEXT))])
    return _aligned(lines)


def _mean(run: Run, label: str, metric: str) -> float:
    values = run.values(label, metric) if label in run.methods else np.empty(0)
    values = values[~np.isnan(values)]
    return float(values.mean()) if values.size else nan


def _share(value: float) -> str:
    return "–" if isnan(value) else f"{value:.4f}"


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    padded = [
        [cell.rjust(width) if i else cell.ljust(width) for i, (cell, width) in enumerate(pairs)]
        for pairs in (zip(line, widths, strict=True) for line in (lines[0], rule, *lines[1:]))
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in padded)


# ---- claims in words ----------------------------------------------------------------------------


def _told(claim: Claim) -> str:
    """Return what became of a claim: the verdict, counts, exceptions, and what the paper shows."""
    parts = [f"**{claim.says[0].upper()}{claim.says[1:]}: {claim.verdict}.**"]
    by_verdict = {verdict: claim.having(verdict) for verdict in ("better", "tie", "worse")}
    if claim.comparisons:
        counts = [f"{len(found)} {verdict}" for verdict, found in by_verdict.items() if found]
        parts.append(f"Comparisons: {', '.join(counts)}.")
    for verdict in ("better", "worse"):
        if by_verdict[verdict] and len(by_verdict[verdict]) < len(claim.comparisons):
            named = "; ".join(f"{_named(one)} ({_by(one)})" for one in by_verdict[verdict])
            parts.append(f"{verdict.capitalize()} in {named}.")
    if claim.missing:
        parts.append(f"Not run: {', '.join(claim.missing)}.")
    if against := claim.against_itself:
        parts.append(f"The paper's own table contradicts it in {'; '.join(map(_named, against))}.")
    return " ".join(parts)


def _alike(run: Run) -> Iterator[str]:
    """Yield how often methods found the very same chunks: then nothing can tell them apart."""
    rivals = [label for label in (*RIVALS, "bridge d=1", "bridge d=2") if label in run.methods]
    if OURS not in run.methods or not rivals:
        return
    found = {
        label: [
            {(document, chunk) for document, chunk, _ in run.outcomes[label, item.id].hits}
            for item in run.questions
        ]
        for label in (OURS, *rivals)
    }
    same = ", ".join(f"{label} {sum(map(eq, found[label], found[OURS]))}" for label in rivals)
    yield f"The same chunks as {OURS}, of {len(run.questions)} questions: {same}."


def _named(one: Comparison) -> str:
    return f"{_TITLES[one.metric]} of {one.first} against {one.second}"


def _by(one: Comparison) -> str:
    return f"{one.value:.2f} times" if one.metric == MS else f"{_points(one.value)} points"


def _comparisons(found: Sequence[Comparison]) -> str:
    lines = [["comparison", "measure", "claimed", "ours", "95 % interval", "verdict", "paper"]]
    for one in found:
        write = _times if one.metric == MS else _points
        lines.append(
            [
                f"{one.first} against {one.second}",
                _TITLES[one.metric],
                f"> {write(one.least)}",
                write(one.value),
                f"{write(one.low)} to {write(one.high)}",
                one.verdict,
                "–" if isnan(one.paper) else write(one.paper),
            ]
        )
    told = (
        "Differences are in points (hundredths) of the measure, times in how often the first goes "
        "into the second; intervals by paired bootstrap over the questions. An interval that holds "
        "what must be exceeded is a tie: nothing has been shown. Of twenty true ties one looks "
        "like a difference by chance."
    )
    return f"{told}\n\n{_aligned(lines)}"


def _points(value: float) -> str:
    return signed(100 * value, 3)


def _times(value: float) -> str:
    return f"{value:.2f}×"


# ---- for programs -------------------------------------------------------------------------------


def form(part: Part) -> dict[str, object]:
    """Return the part as plain values for JSON, NaN as None."""
    run = part.run
    measures = (*METRICS, IN_CONTEXT)
    ours = {label: {m: _mean(run, label, m) for m in measures} for label in run.methods}
    for label, row in ours.items():
        took = run.latency(label)
        row[MS] = float(np.median(took)) if took.size else nan
    claims = [
        {
            "says": claim.says,
            "verdict": claim.verdict,
            "missing": list(claim.missing),
            "comparisons": [
                _plain({**asdict(one), "verdict": one.verdict}) for one in claim.comparisons
            ],
        }
        for claim in part.found
    ]
    return {
        "title": part.title,
        "questions": len(run.questions),
        "fingerprint": run.dataset["fingerprint"],
        "settings": dict(run.settings),
        "machine": dict(run.machine),
        "ours": {label: _plain(row) for label, row in ours.items()},
        "paper": {label: _plain(row) for label, row in part.paper.items()},
        "differs": list(differences(part.run, part.corpus)),
        "claims": claims,
    }


def _plain(row: Mapping[str, object]) -> dict[str, object]:
    return {
        name: None if isinstance(value, float) and isnan(value) else value
        for name, value in row.items()
    }
