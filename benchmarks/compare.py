"""Compare all methods on several data sets, and write one report on them.

    python -m benchmarks.compare                        2WikiMultihopQA, MuSiQue and HotpotQA
    python -m benchmarks.compare xquad/en pubmedqa --repetitions 20

Writes ``report.html``, ``report.md`` and ``report.csv``. What was asked is kept beside them: the
same command goes on where it was stopped. ``python -m benchmarks.results --store OUT/NAME...``
takes the figures into ``docs/results.md``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console

from benchmarks._data import data_folder
from bridgerag.cli.progress import progress_bars
from bridgerag.evaluation import evaluate, load_dataset, report

MULTI_HOP = ("2wikimultihopqa", "musique", "hotpotqa")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="*", default=MULTI_HOP)
    parser.add_argument("--methods", help="names with commas between them; all by default")
    parser.add_argument("--generator", default="extractive")
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--limit", type=int, help="at most so many questions a data set")
    parser.add_argument("--out", type=Path, default=Path("comparison"))
    args = parser.parse_args()
    reports = []
    for name in args.datasets:
        dataset = load_dataset(data_folder(name), limit=args.limit)
        with progress_bars() as progress:
            run = evaluate(
                dataset,
                args.out / name.replace("/", "-"),
                methods=args.methods and args.methods.split(","),
                generator=args.generator,
                repetitions=args.repetitions,
                progress=progress,
            )
        reports.append(report.make_report(run))
    for made in reports:
        report.print_report(made, Console())
    forms = {"html": report.html, "md": report.markdown, "csv": report.csv_table}
    for suffix, form in forms.items():
        (args.out / f"report.{suffix}").write_text(form(reports), encoding="utf-8")
    print(f"the report is {args.out / 'report.html'}")


if __name__ == "__main__":
    main()
