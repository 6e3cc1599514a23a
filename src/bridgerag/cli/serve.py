"""``bridgerag serve``: search and ask over HTTP."""

from __future__ import annotations

import os
from pathlib import Path

import click

from bridgerag.cli.options import json_option, stores_option
from bridgerag.cli.terminal import emit

__all__ = ["serve"]


@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="HOST",
    help="Where to listen; a host that others can reach needs BRIDGERAG_API_TOKEN.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    metavar="NUMBER",
    help="Port to listen at; 0 takes one that is free.",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 256),
    metavar="NUMBER",
    help="How many searches run at once. [default: one a core]",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="A method that may be asked for; may be repeated. [default: all that need no index of "
    "their own]",
)
@click.option(
    "--model",
    metavar="NAME",
    help="Language model that writes answers; without one, sentences are quoted. "
    "[env var: BRIDGERAG_MODEL]",
)
@click.option("--insecure", is_flag=True, help="Listen at any host without a token.")
@stores_option
@json_option
def serve(
    *,
    host: str,
    port: int,
    threads: int | None,
    methods: tuple[str, ...],
    model: str | None,
    insecure: bool,
    stores: list[Path],
    as_json: bool,
) -> None:
    """Answer searches and questions over HTTP.

    Runs until Ctrl-C. Where BRIDGERAG_API_TOKEN is set, requests must bear it.
    """
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it
    from bridgerag.server import serve as serve_bridge  # noqa: PLC0415

    def tell(address: str) -> None:
        if as_json:
            emit({"address": address})
        else:
            click.echo(f"listening at {address}")

    with bridgerag.open(*stores) as bridge:
        serve_bridge(
            bridge,
            host=host,
            port=port,
            threads=threads,
            token=os.environ.get("BRIDGERAG_API_TOKEN", "").strip() or None,
            insecure=insecure,
            methods=methods,
            model=model,
            on_listening=tell,
        )
