"""``bridgerag backup DEST``: a copy of a store, while others use it."""

from __future__ import annotations

from pathlib import Path

import click

from bridgerag.cli.options import json_option, store_option
from bridgerag.cli.terminal import emit, printable
from bridgerag.serialize import backup_json

__all__ = ["backup"]


@click.command()
@click.argument("dest", metavar="DEST", type=click.Path(path_type=Path))
@store_option
@json_option
def backup(dest: Path, store: Path, as_json: bool) -> None:
    """Copy the store to DEST, a new or empty folder.

    Others may search and change the store meanwhile: the copy is as the store was at one moment.
    """
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    with bridgerag.open(store) as bridge:
        bridge.backup(dest)
    if as_json:
        emit(backup_json(store, dest))
    else:
        click.echo(f"copied {printable(str(store))} to {printable(str(dest))}")
