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
@click.option("--repair", is_flag=True, help="First rebuild what can be made from the texts.")
def check(store: Path, as_json: bool, repair: bool) -> None:
    """Verify the store: every file, and that what is in them agrees with the texts."""
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    with bridgerag.Bridge(store) as bridge:  # `open` would refuse what is to be checked
        report = bridge.check(repair=repair)
    if as_json:
        emit(check_json(report))
    else:
        for done in report.repaired:
            click.echo(printable(done))
        for problem in report.problems:
            click.echo(printable(problem))
        click.echo(
            f"checked {report.files} files: {report.documents} documents, "
            f"{report.chunks} chunks, {report.abstracts} abstracts"
        )
    if report.problems:
        note(f"bridgerag: the store is damaged ({len(report.problems)} found)")
        click.get_current_context().exit(1)
    elif not as_json:
        note("the store is sound")
