"""docs/results.md, made from the stored summaries of runs.

python -m benchmarks.results                     write docs/results.md from benchmarks/results/
python -m benchmarks.results --check             fail where it is stale, or a summary cannot be read
python -m benchmarks.results --store RUN...      keep the summaries of runs of `bridgerag eval`
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path

from benchmarks._stored import dumps, from_json
from bridgerag.errors import BridgeError
from bridgerag.evaluation.report import Report, make_report
from bridgerag.evaluation.report.findings import best
from bridgerag.evaluation.report.markdown import explained, plain, section
from bridgerag.evaluation.report.wording import quantity
from bridgerag.evaluation.results import RunFolder

ROOT = Path(__file__).parents[1]
STORED, PAGE = ROOT / "benchmarks" / "results", ROOT / "docs" / "results.md"
COMMAND = "python -m benchmarks.results"
HEAD = f"""\
# Results

Every retrieval method over the same chunks, vectors, entities, number of passages and prompt, with
[`bridgerag eval`](command-line.md). This page is made from stored summaries of runs by
`{COMMAND}`: tables and sentences alike follow from the numbers by fixed rules, and name
where we lose. The tables show what matters most; the stored summaries hold every measure. Each
section ends with the command that runs it again."""
NOTHING = """\
No run is stored yet. `bridgerag eval DATA --out RUN` makes one, and
`python -m benchmarks.results --store RUN` keeps its summary, without any text of its documents."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog=COMMAND, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=Path, default=STORED, help="folder of the summaries")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page that is made")
    args = parser.parse_args(arguments)
    try:
        for folder in args.store or ():
            print(store(folder, args.results))
        made = page(read(args.results))
    except BridgeError as error:
        print(error, file=sys.stderr)
        return 1
    if not args.check:
        args.page.write_text(made, encoding="utf-8")
    elif not args.page.exists() or args.page.read_text(encoding="utf-8") != made:
        print(f"{args.page} is not what {args.results} says; run `{COMMAND}`", file=sys.stderr)
        return 1
    return 0


def store(folder: Path, results: Path) -> Path:
    """Write the summary of the run in ``folder`` and return where."""
    report = make_report(RunFolder(folder).read())
    name = re.sub(r"[^a-z0-9]+", "-", report.summary.dataset.casefold()).strip("-") or "run"
    results.mkdir(exist_ok=True)
    path = results / f"{name}.json"
    path.write_text(dumps(report), encoding="utf-8")
    return path


def read(results: Path) -> list[Report]:
    """Return the stored reports, by name of their files. Raises `InputError` on what is none."""
    return [_read(path) for path in sorted(results.glob("*.json"))]


def page(reports: Sequence[Report]) -> str:
    """Return the page as Markdown."""
    if not reports:
        return f"{HEAD}\n\n{NOTHING}\n"
    sections = [section(report, brief=True) for report in reports]
    parts = [HEAD, *at_a_glance(reports), *sections, explained(reports, brief=True)]
    return "\n\n".join(parts) + "\n"


def at_a_glance(reports: Sequence[Report]) -> Iterator[str]:
    """Yield a table of the first measure of each data set: the baseline, the best, and ours."""
    yield "## At a glance"
    lines = ["| data | measure | baseline | ours | best of all |", "|---|---|--:|--:|--:|"]
    for report in reports:
        for column in report.headline:
            rows = {row.label: row.cells[column.key].value for row in report.summary.rows}
            ours = report.main_row()
            leaders = [row.label for row in best(report, column)]
            cells = [
                _labelled(rows, label, column.unit)
                for label in (report.summary.baseline, ours and ours.label, *leaders[:1])
            ]
            cells += ["–"] * (3 - len(cells))
            names = [plain(report.summary.dataset), f"{column.title} ({column.unit})"]
            lines.append(f"| {' | '.join((*names, *cells))} |")
    yield "\n".join(lines)


def _labelled(values: dict[str, float], label: str | None, unit: str) -> str:
    if label is None or label not in values or isnan(values[label]):
        return "–"
    return f"{quantity(values[label], unit)} {plain(label)}"


def _read(path: Path) -> Report:
    try:
        form = json.loads(path.read_bytes())
    except ValueError as error:
        raise BridgeError(f"{path} is not JSON ({error}); store the run anew") from error
    return from_json(form, path.name)


if __name__ == "__main__":
    sys.exit(main())
