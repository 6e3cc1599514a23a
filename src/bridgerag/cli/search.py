"""``bridgerag search QUESTION``: the passages that a question leads to, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgerag.cli.options import (
    depth_option,
    json_option,
    k_option,
    method_option,
    question_argument,
    stores_option,
    where_option,
)
from bridgerag.cli.passages import depth_line, found_line, hit_text
from bridgerag.cli.terminal import emit, note
from bridgerag.serialize import context_json

if TYPE_CHECKING:
    from bridgerag.types import Depth

__all__ = ["search"]


@click.command()
@question_argument
@k_option
@depth_option
@method_option
@where_option
@stores_option
@json_option
def search(
    *,
    question: str,
    k: int,
    depth: Depth,
    method: str,
    where: str | None,
    stores: list[Path],
    as_json: bool,
) -> None:
    """Find passages for QUESTION, and say why."""
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    with bridgerag.open(*stores) as bridge:
        context = bridge.search(question, k=k, depth=depth, method=method, where=where)
    if as_json:
        emit(context_json(context))
        return
    for hit in context.hits:
        click.echo(hit_text(hit))
    note(found_line(context))
    if context.depth_why:
        note(depth_line(context))
