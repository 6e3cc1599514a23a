"""Pass an answer on while it is written, without the markers that will be taken out of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from bridgerag.generation.citations import clean_markers

__all__ = ["LiveText"]

# White space and a bracket that may become a marker when more text comes.
_OPEN = re.compile(r"(?<!\s)\s*[\[\u3010\uff3b][^\[\]\u3010\u3011\uff3b\uff3d]{0,60}$|(?<!\s)\s+$")


class LiveText:
    """Receives the pieces of an answer and passes them on with clean markers.

    A piece that ends inside a marker waits for the rest of it. What was passed on, put together, is
    the checked answer, unless markers were nested.
    """

    def __init__(self, on_text: Callable[[str], None], known: Iterable[int]) -> None:
        self._on_text, self._known = on_text, frozenset(known)
        self._waiting = ""

    def feed(self, piece: str) -> None:
        """Take the next piece."""
        text = self._waiting + piece
        open_end = _OPEN.search(text)
        border = open_end.start() if open_end else len(text)
        self._waiting = text[border:]
        self._pass_on(text[:border])

    def close(self) -> None:
        """Pass on what still waits, without white space at the end."""
        self._pass_on(self._waiting.rstrip())
        self._waiting = ""

    def _pass_on(self, text: str) -> None:
        clean, _ = clean_markers(text, self._known)
        if clean:
            self._on_text(clean)
