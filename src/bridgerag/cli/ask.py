"""``bridgerag ask QUESTION``: an answer with its sources."""

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
from bridgerag.cli.passages import depth_line, source_lines
from bridgerag.cli.terminal import emit, note, on_terminal, printable, printable_lines
from bridgerag.serialize import answer_json

if TYPE_CHECKING:
    from bridgerag.types import Depth

__all__ = ["ask"]


@click.command()
@question_argument
@click.option(
    "--model",
    metavar="NAME",
    help="Language model on an OpenAI-compatible server; without one, sentences are quoted. "
    "[env var: BRIDGERAG_MODEL]",
)
@click.option(
    "--rounds",
    metavar="NUMBER",
    type=click.IntRange(1, 8),
    default=1,
    show_default=True,
    help="How often to search, 1 to 8: each time the model names what is missing.",
)
@k_option
@depth_option
@method_option
@where_option
@stores_option
@json_option
def ask(
    *,
    question: str,
    model: str | None,
    rounds: int,
    k: int,
    depth: Depth,
    method: str,
    where: str | None,
    stores: list[Path],
    as_json: bool,
) -> None:
    """Answer QUESTION, citing the documents."""
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    stream = _Stream() if on_terminal() and not as_json else None
    with bridgerag.open(*stores) as bridge:
        try:
            answer = bridge.ask(
                question,
                k=k,
                depth=depth,
                method=method,
                where=where,
                model=model,
                on_text=stream,
                rounds=rounds,
            )
        finally:
            if stream:
                stream.end()
    if as_json:
        emit(answer_json(answer))
        return
    if not (stream and stream.started):
        click.echo(printable_lines(answer.text))
    if answer.citations:
        click.echo("\n" + "\n".join(source_lines(answer)))
    for number, follow_up in enumerate(answer.context.follow_ups, start=2):
        note(f"round {number} searched for: {printable(follow_up)}")
    if answer.context.depth_why:
        note(depth_line(answer.context))
    for remark in answer.notes:
        note(printable(remark))


class _Stream:
    """Prints the pieces of an answer as they come."""

    started = False

    def __call__(self, piece: str) -> None:
        self.started = True
        click.echo(printable_lines(piece), nl=False)

    def end(self) -> None:
        if self.started:
            click.echo()
