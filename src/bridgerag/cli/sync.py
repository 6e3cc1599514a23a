"""``bridgerag sync FOLDER``: make what the store holds of a folder equal the folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgerag.cli.options import ignore_option, json_option, meta_option, store_option
from bridgerag.cli.progress import progress_bars
from bridgerag.cli.terminal import emit, printable, shown_path
from bridgerag.serialize import sync_json

if TYPE_CHECKING:
    from bridgerag.types import MetadataValue, SyncReport

__all__ = ["difference_lines", "sync"]


@click.command()
@click.argument("folder", metavar="FOLDER")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@ignore_option
@meta_option
@store_option
@json_option
def sync(
    *,
    folder: str,
    dry_run: bool,
    ignore: tuple[str, ...],
    metadata: dict[str, MetadataValue],
    store: Path,
    as_json: bool,
) -> None:
    """Make what the store holds of FOLDER equal the folder.

    New and changed files are added, and the documents of files that are gone are removed. A file
    that cannot be read now keeps its documents; a folder that is missing or empty changes nothing.
    """
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    with bridgerag.open(store) as bridge, progress_bars() as progress:
        report = bridge.sync(
            folder, dry_run=dry_run, ignore=ignore, metadata=metadata, progress=progress
        )
    if as_json:
        emit(sync_json(report))
        return
    for line in difference_lines(report):
        click.echo(line)
    counts = ", ".join(
        f"{len(getattr(report, name))} {name}"
        for name in ("added", "changed", "moved", "removed", "unchanged", "skipped")
        if getattr(report, name)
    )
    if report.done is None:
        click.echo(f"{counts or 'no files'}; nothing was done, as --dry-run asks")
    else:
        click.echo(
            f"{counts or 'no files'}; {report.done.chunks} new chunks "
            f"in {report.done.seconds:.1f} s; store {shown_path(str(report.done.store))}"
        )


def difference_lines(report: SyncReport) -> Iterator[str]:
    """Yield one line for each file that differed or was skipped."""
    for name in ("added", "changed", "removed"):
        for source in getattr(report, name):
            yield f"  {name:<8} {shown_path(source)}"
    for move in report.moved:
        yield f"  moved    {shown_path(move.old)} -> {shown_path(move.new)}"
    for skipped in report.skipped:
        yield f"  skipped  {shown_path(skipped.source)}: {printable(skipped.reason)}"
