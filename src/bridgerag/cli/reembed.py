"""``bridgerag reembed``: another embedding model for a store."""

from __future__ import annotations

from pathlib import Path

import click

from bridgerag.cli.options import json_option, store_option
from bridgerag.cli.progress import progress_bars
from bridgerag.cli.terminal import emit, printable
from bridgerag.serialize import status_json

__all__ = ["reembed"]


@click.command()
@click.option("--embedding", metavar="NAME", help="The new model; by default that of the store.")
@store_option
@json_option
def reembed(embedding: str | None, store: Path, as_json: bool) -> None:
    """Embed everything anew with another model, without reading the source files.

    Searches use the old vectors until all is done; an interruption leaves the store as it was.
    """
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    with bridgerag.open(store) as bridge, progress_bars() as progress:
        chunks = bridge.reembed(embedding, progress=progress)
        found = bridge.status()
    if as_json:
        emit(status_json(found))
    else:
        click.echo(f"embedded {chunks:,} chunks with {printable(found.embedding)}")
