"""``bridgerag check``: whether a store is whole."""

from __future__ import annotations

from pathlib import Path

import click

from bridgerag.cli.options import json_option, store_option
from bridgerag.cli.terminal import emit, note, printable
from bridgerag.serialize import check_json

__all__ = ["check"]


@click.command()
@store_option
@json_option
def check(store: Path, as_json: bool) -> None:
    """Verify the store, every file of it."""
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    with bridgerag.open(store) as bridge:
        report = bridge.check()
    if as_json:
        emit(check_json(report))
    else:
        for problem in report.problems:
            click.echo(printable(problem))
        click.echo(
            f"checked {report.files} files: {report.documents} documents, "
            f"{report.chunks} chunks, {report.abstracts} abstracts"
        )
    if report.problems:
        note(f"bridgerag: the store is damaged ({len(report.problems)} found); add the documents")
        click.get_current_context().exit(1)
    elif not as_json:
        note("the store is sound")
