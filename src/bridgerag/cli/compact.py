"""``bridgerag compact``: merge segments, and leave nothing of what was removed."""

from __future__ import annotations

from pathlib import Path

import click

from bridgerag.cli.options import json_option, store_option
from bridgerag.cli.terminal import emit

__all__ = ["compact"]


@click.command()
@store_option
@json_option
def compact(*, store: Path, as_json: bool) -> None:
    """Merge the store's segments into one.

    Afterwards no file of the store holds anything of the documents that were removed.
    """
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    with bridgerag.open(store) as bridge:
        merged = bridge.compact()
    if as_json:
        emit({"merged": merged})
    elif merged:
        click.echo(f"merged {merged} segment{'s' if merged > 1 else ''} into one")
    else:
        click.echo("nothing to merge")
