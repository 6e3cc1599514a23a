"""Turns every refusal into one line on stderr, an exit status and, on request, a JSON document."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from bridgerag.cli.terminal import emit, note, printable
from bridgerag.errors import BridgeError, InputError
from bridgerag.serialize import error_json

__all__ = ["Program"]

REFUSED, WRONG_USAGE, INTERRUPTED = 1, 2, 130
LONGEST_MESSAGE = 1000


class Program(click.Group):
    """A group whose commands never end in a traceback for what a user can cause."""

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        **extra: Any,  # noqa: ANN401
    ) -> NoReturn:
        """Run ``args``, or ``sys.argv`` without its first, and exit."""
        words = sys.argv[1:] if args is None else args
        as_json = "--json" in _options(words)
        extra["standalone_mode"] = False  # so that click raises, and the wording is ours
        try:
            sys.exit(super().main(args, prog_name, **extra))
        except InputError as error:
            _refuse(error, str(error), WRONG_USAGE, as_json)
        except BridgeError as error:
            _refuse(error, str(error), REFUSED, as_json)
        except click.UsageError as error:
            _refuse(error, _usage(error), WRONG_USAGE, as_json, kind="UsageError")
        except click.Abort as error:
            _refuse(error, "interrupted", INTERRUPTED, as_json, kind="Interrupted")
        except OSError as error:  # a broken pipe, as in `| head`, click has dealt with silently
            _refuse(error, f"the system refused: {error}", REFUSED, as_json)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; click itself would print an empty line for an interrupt."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise click.Abort from interrupt


def _options(words: Sequence[str]) -> Sequence[str]:
    """Return the words before ``--``, behind which nothing is an option."""
    return words[: words.index("--")] if "--" in words else words


def _usage(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx else "bridgerag"
    return f"{error.format_message().rstrip('.')}; see `{command} --help`"


def _refuse(
    error: BaseException, message: str, status: int, as_json: bool, kind: str | None = None
) -> NoReturn:
    if len(message) > LONGEST_MESSAGE:
        message = message[:LONGEST_MESSAGE] + "..."
    with contextlib.suppress(OSError):  # a closed or full stdout must not hide the exit status
        note(f"bridgerag: {printable(message)}")
        if as_json:
            emit(error_json(kind or type(error).__name__, message))
    sys.exit(status)
