"""The options that commands share, with one help text each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from bridgerag.serialize import encodable

__all__ = [
    "depth_option",
    "json_option",
    "k_option",
    "method_option",
    "question_argument",
    "store_option",
]


def _from(least: int) -> Callable[[click.Context, click.Parameter, int], int]:
    """Return a callback that lets whole numbers from ``least`` pass."""

    def check(ctx: click.Context, param: click.Parameter, value: int) -> int:
        if value < least:
            raise click.UsageError(f"{param.opts[0]} is {value}; it must be {least} or more", ctx)
        return value

    return check


def _folder(ctx: click.Context, param: click.Parameter, value: str) -> Path:
    if not value or "\0" in value:
        raise click.UsageError("--store is no path; give the folder of a store", ctx)
    return Path(value)


def _words(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Refuse ``-``, and read bytes that are not UTF-8 as U+FFFD."""
    if value == "-":
        raise click.UsageError("'-' is no question; ask in words, in quotation marks", ctx)
    return encodable(value)


store_option = click.option(
    "--store",
    callback=_folder,
    default="bridge.store",
    envvar="BRIDGERAG_STORE",
    metavar="DIR",
    show_default=True,
    show_envvar=True,
    help="Folder of the store.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document on stdout."
)
k_option = click.option(
    "-k",
    type=int,
    callback=_from(1),
    default=8,
    show_default=True,
    help="How many passages to find.",
)
depth_option = click.option(
    "--depth",
    type=int,
    callback=_from(0),
    default=2,
    show_default=True,
    help="Levels to walk up and down from the abstracts that the question's entities lead to.",
)
method_option = click.option(
    "--method",
    default="bridge",
    show_default=True,
    metavar="NAME",
    help="How to search: bridge (by way of entities and abstracts) or naive (nearest vectors).",
)
question_argument = click.argument("question", callback=_words)
