"""``bridgerag status``: what a store holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgerag.cli.options import json_option, store_option
from bridgerag.cli.terminal import emit, printable
from bridgerag.serialize import status_json

if TYPE_CHECKING:
    from bridgerag.types import Status

__all__ = ["status"]


@click.command()
@store_option
@json_option
def status(store: Path, as_json: bool) -> None:
    """Show what the store holds."""
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    with bridgerag.open(store) as bridge:
        found = bridge.status()
    if as_json:
        emit(status_json(found))
    else:
        click.echo("\n".join(f"{name:<12}  {value}" for name, value in _rows(found).items()))


def _rows(found: Status) -> dict[str, str]:
    settings = ", ".join(f"{name} {value}" for name, value in found.settings.items())
    vectors = f"{found.dim} numbers a vector" if found.dim else "no vectors"
    return {
        "store": printable(str(found.store)),
        "documents": f"{found.documents:,}",
        "chunks": f"{found.chunks:,}",
        "abstracts": f"{found.abstracts:,}",
        "entities": f"{found.entities:,}",
        "text": f"{found.text_chars:,} characters",
        "size": _size(found.size_bytes),
        "segments": f"{found.segments:,}",
        "embedding": f"{printable(found.embedding)} ({vectors})",
        "settings": printable(settings),
        "content": found.content_hash,
        "last commit": printable(found.last_commit or "none"),
        "format": str(found.format),
    }


def _size(size_bytes: float) -> str:
    units = iter(("bytes", "KiB", "MiB", "GiB"))
    unit = next(units)
    while size_bytes >= 1024 and (larger := next(units, None)):
        size_bytes, unit = size_bytes / 1024, larger
    return f"{size_bytes:.0f} {unit}" if unit == "bytes" else f"{size_bytes:.1f} {unit}"
