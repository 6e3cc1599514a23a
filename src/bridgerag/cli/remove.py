"""``bridgerag remove DOC...``: take documents out of a store."""

from __future__ import annotations

from pathlib import Path

import click

from bridgerag.cli.options import json_option, store_option
from bridgerag.cli.passages import document_name
from bridgerag.cli.terminal import emit
from bridgerag.serialize import listing_json

__all__ = ["remove"]


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="DOC...")
@store_option
@json_option
def remove(names: tuple[str, ...], store: Path, as_json: bool) -> None:
    """Take documents out of the store.

    DOC is a document's id, the path of the file it came from, or a pattern of ids or paths, as in
    'notes/2019/*'; put a pattern in quotation marks. The files themselves stay.
    """
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    with bridgerag.open(store) as bridge:
        removed = bridge.remove(*names)
    if as_json:
        emit(listing_json("removed", removed))
        return
    for document in removed:
        click.echo(f"removed {document_name(document)}")
