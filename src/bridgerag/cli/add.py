"""``bridgerag add PATH...``: index files and folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bridgerag.cli.options import ignore_option, json_option, meta_option, store_option
from bridgerag.cli.progress import progress_bars
from bridgerag.cli.sync import difference_lines
from bridgerag.cli.terminal import emit, note, shown_path
from bridgerag.cli.terminal import printable as plain
from bridgerag.serialize import error_json, report_json
from bridgerag.settings import Settings

if TYPE_CHECKING:
    from bridgerag.types import AddReport, MetadataValue, SyncReport

__all__ = ["add"]

_DEFAULT = Settings()


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@ignore_option
@meta_option
@click.option(
    "--watch",
    is_flag=True,
    help="Follow one folder until Ctrl-C: sync what changes in it, once it has come to rest.",
)
@click.option(
    "--interval",
    type=float,
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="With --watch: how often to look, and how long a file must rest.",
)
@click.option(
    "--embedding",
    metavar="NAME",
    help=f"New store: minilm, none, or MODEL@URL. [default: {_DEFAULT.embedding}]",
)
@click.option(
    "--no-embeddings",
    is_flag=True,
    help="New store: the same as --embedding none. Builds many times faster; searches by words, "
    "names and entities alone.",
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
@click.option(
    "--windows",
    metavar="HOW",
    help="New store: fixed, or content to end leaf abstracts where headings and topics change. "
    f"[default: {_DEFAULT.windows}]",
)
@store_option
@json_option
def add(
    *,
    paths: tuple[str, ...],
    ignore: tuple[str, ...],
    metadata: dict[str, MetadataValue],
    watch: bool,
    interval: float,
    no_embeddings: bool,
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
    if no_embeddings and given.setdefault("embedding", "none") != "none":
        raise click.UsageError("--no-embeddings and --embedding exclude each other")
    if watch and len(paths) != 1:
        raise click.UsageError("--watch follows one folder")
    with bridgerag.open(store, settings=given) as bridge:
        if watch:
            _follow(bridge.watch(paths[0], interval_s=interval, ignore=ignore, metadata=metadata))
            return
        with progress_bars() as progress:
            report = bridge.add(*paths, ignore=ignore, metadata=metadata, progress=progress)
    problem = _problem(report)
    if as_json:
        emit(report_json(report) | (error_json("NothingIndexed", problem) if problem else {}))
    else:
        click.echo(_summary(report))
    if problem:
        note(f"bridgerag: {problem}")
        click.get_current_context().exit(1)


def _follow(reports: Iterator[SyncReport]) -> None:
    """Print each change of a watched folder, and how many there were when interrupted."""
    totals = dict.fromkeys(("added", "changed", "moved", "removed"), 0)
    note("watching; press Ctrl-C to stop")
    try:
        for report in reports:
            for name in totals:
                totals[name] += len(getattr(report, name))
            for line in difference_lines(report):
                click.echo(line)
    except KeyboardInterrupt:
        counts = ", ".join(f"{count} {name}" for name, count in totals.items())
        click.echo(f"watched until now: {counts}")


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
