"""The options that commands share, with one help text each."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgerag.serialize import encodable

if TYPE_CHECKING:
    from bridgerag.types import Depth, MetadataValue

__all__ = [
    "depth_option",
    "ignore_option",
    "json_option",
    "k_option",
    "meta_option",
    "method_option",
    "question_argument",
    "store_option",
    "stores_option",
    "where_option",
]


def _from(least: int) -> Callable[[click.Context, click.Parameter, int], int]:
    """Return a callback that lets whole numbers from ``least`` pass."""

    def check(ctx: click.Context, param: click.Parameter, value: int) -> int:
        if value < least:
            raise click.UsageError(f"{param.opts[0]} is {value}; it must be {least} or more", ctx)
        return value

    return check


def _depth(ctx: click.Context, param: click.Parameter, value: str) -> Depth:
    if value == "auto":
        return "auto"
    try:
        depth = int(value)
    except ValueError:
        depth = -1
    if depth < 0:
        raise click.UsageError(f"--depth is {value}; it must be 0 or more, or auto", ctx)
    return depth


def _folder(ctx: click.Context, param: click.Parameter, value: str) -> Path:
    if not value or "\0" in value:
        raise click.UsageError("--store is no path; give the folder of a store", ctx)
    return Path(value)


def _metadata(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, MetadataValue]:
    metadata = {}
    for value in values:
        key, sign, text = value.partition("=")
        if not sign or not key.strip():
            raise click.UsageError(f"--meta is {value!r}; it must be KEY=VALUE", ctx)
        metadata[key.strip()] = _typed(text)
    return metadata


def _typed(text: str) -> MetadataValue:
    """Return a number, a truth value, what stands in double quotes, or the text as it is."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    match value:
        case bool() | str():
            return value
        case int() if abs(value) < 2**63:
            return value
        case float() if math.isfinite(value):
            return value
    return text


def _folders(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> list[Path]:
    """Return what was given, else the environment's store, else the usual one."""
    given = values or [os.environ.get("BRIDGERAG_STORE") or "bridge.store"]
    return [_folder(ctx, param, value) for value in given]


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
stores_option = click.option(
    "--store",
    "stores",
    callback=_folders,
    multiple=True,
    metavar="DIR",
    help="Folder of the store; repeat it to search several as one."
    "  [env var: BRIDGERAG_STORE; default: bridge.store]",
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
    callback=_depth,
    default="2",
    show_default=True,
    metavar="NUMBER",
    help="Levels that bridge goes up and down from the abstracts that the question's entities lead "
    "to; auto chooses for the question.",
)
method_option = click.option(
    "--method",
    default="walk",
    show_default=True,
    metavar="NAME",
    help="How to search: walk (over names and passages), bridge (by way of entities and "
    "abstracts), hybrid, naive, bm25, ...",
)
ignore_option = click.option(
    "--ignore",
    multiple=True,
    metavar="PATTERN",
    help="Leave out what matches, in the words of .gitignore; may be repeated.",
)
meta_option = click.option(
    "--meta",
    "metadata",
    multiple=True,
    callback=_metadata,
    metavar="KEY=VALUE",
    help="Metadata for every document; numbers, true and false are taken as such, all else is "
    "text; may be repeated.",
)
where_option = click.option(
    "--where",
    metavar="FILTER",
    help="Search only documents whose metadata passes, such as 'year >= 2020 and lang = \"en\"'.",
)
question_argument = click.argument("question", callback=_words)
