"""The group of all commands. A new command is a file beside this one and a line here."""

from __future__ import annotations

import os

import click

from bridgerag.cli.add import add
from bridgerag.cli.ask import ask
from bridgerag.cli.backup import backup
from bridgerag.cli.check import check
from bridgerag.cli.compact import compact
from bridgerag.cli.eval import eval_command
from bridgerag.cli.program import Program
from bridgerag.cli.reembed import reembed
from bridgerag.cli.remove import remove
from bridgerag.cli.search import search
from bridgerag.cli.serve import serve
from bridgerag.cli.status import status
from bridgerag.cli.sync import sync
from bridgerag.cli.tree import tree

__all__ = ["cli"]


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="bridgerag", message="bridgerag %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Answers from your own documents, with their sources.

    \b
    bridgerag add docs
    bridgerag ask "How do I remove a document?"
    """  # noqa: D301 - click wants the control character
    if os.environ.get("NO_COLOR"):
        ctx.color = False
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


for command in (
    add, sync, remove, search, ask, status, tree, check, compact, reembed, backup, eval_command,
    serve,
):  # fmt: skip
    cli.add_command(command)
