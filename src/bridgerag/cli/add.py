"""``bridgerag add PATH...``: index files and folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bridgerag.cli.options import json_option, store_option
from bridgerag.cli.progress import progress_bars
from bridgerag.cli.terminal import emit, note, shown_path
from bridgerag.cli.terminal import printable as plain
from bridgerag.serialize import error_json, report_json
from bridgerag.settings import Settings

if TYPE_CHECKING:
    from bridgerag.types import AddReport

__all__ = ["add"]

_DEFAULT = Settings()


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--ignore",
    multiple=True,
    metavar="PATTERN",
    help="Leave out what matches, in the words of .gitignore; may be repeated.",
)
@click.option(
    "--embedding",
    metavar="NAME",
    help=f"New store: minilm, none, or MODEL@URL. [default: {_DEFAULT.embedding}]",
)
@click.option(
    "--chunk-tokens",
    type=int,
    metavar="N",
    help=f"New store: target length of a chunk. [default: {_DEFAULT.chunk_tokens}]",
)
@click.option(
    "--window",
    type=int,
    metavar="N",
    help=f"New store: chunks in a leaf abstract. [default: {_DEFAULT.window}]",
)
@click.option(
    "--branching",
    type=int,
    metavar="N",
    help=f"New store: abstracts under a parent. [default: {_DEFAULT.branching}]",
)
@click.option(
    "--lift",
    type=float,
    metavar="SHARE",
    help="New store: an entity in more than this share of an abstract's children is kept at the "
    f"abstract. [default: {_DEFAULT.lift}]",
)
@store_option
@json_option
def add(
    *,
    paths: tuple[str, ...],
    ignore: tuple[str, ...],
    store: Path,
    as_json: bool,
    **wanted: Any,  # noqa: ANN401 - the options that begin with "New store"
) -> None:
    """Index the files and folders at PATH.

    What is unchanged since the last time is left alone, what has changed is replaced. The options
    that begin with "New store" apply when the store is made, and are recorded in it.
    """
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    given = {name: value for name, value in wanted.items() if value is not None}
    with bridgerag.open(store, settings=given) as bridge, progress_bars() as progress:
        report = bridge.add(*paths, ignore=ignore, progress=progress)
    problem = _problem(report)
    if as_json:
        emit(report_json(report) | (error_json("NothingIndexed", problem) if problem else {}))
    else:
        click.echo(_summary(report))
    if problem:
        note(f"bridgerag: {problem}")
        click.get_current_context().exit(1)


def _problem(report: AddReport) -> str | None:
    """Return why nothing at all came of an add, or None when something did."""
    if report.added or report.changed or report.unchanged or report.removed:
        return None
    if report.skipped:
        return f"nothing was indexed: skipped {len(report.skipped)}, for the reasons given"
    return "nothing was indexed: no file was found there; name files or folders that hold some"


def _summary(report: AddReport) -> str:
    counts = [
        f"{report.added} added" if report.added else "",
        f"{report.changed} changed" if report.changed else "",
        f"{report.unchanged} unchanged" if report.unchanged else "",
        f"{report.removed} removed" if report.removed else "",
        f"{len(report.skipped)} skipped" if report.skipped else "",
    ]
    done = ", ".join(count for count in counts if count) or "nothing added"
    lines = [
        f"{done}; {report.chunks} new chunks in {report.seconds:.1f} s; "
        f"store {shown_path(str(report.store))}"
    ]
    lines += [
        f"  skipped {shown_path(skipped.source)}: {plain(skipped.reason)}"
        for skipped in report.skipped
    ]
    return "\n".join(lines)
