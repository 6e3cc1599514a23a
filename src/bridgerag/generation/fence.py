"""Untrusted text inside a prompt: broken where it could be taken for something else, and fenced.

A document may hold instructions, forged passages, or the tokens with which chat templates separate
speakers. `inert` breaks those tokens; the lines around the text carry a mark that occurs nowhere
in it, so that no text can end its own fence, whatever it knows about this code.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from bridgerag.generation.citations import disarm

__all__ = ["fenced", "inert", "unused_mark"]

# The tokens of the common chat templates: <|...|>, <s>, <start_of_turn>, <<SYS>>, [INST], ...
_TEMPLATE_TOKEN = re.compile(
    r"<(?=[|\uff5c]|/?(?:s|bos|eos|unk|pad|think|start_of_turn|end_of_turn)>|<?/?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
    r"|(?<=[|\uff5c])(?=>)",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"^(?=[ \t#*_]*(?:system|developer|assistant|user|human|tool|instructions?)\b[^\n]{0,20}:)",
    re.IGNORECASE | re.MULTILINE,
)
# All controls but tab and line feed, the Unicode line ends, and halves of surrogate pairs, which
# cannot be sent as UTF-8.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_MARK_LETTERS = 16


def inert(text: str) -> str:
    """Return ``text`` without control characters, citation markers, speakers or template tokens.

    Markers and tokens get a space inside; a line that opens like a speaker gets ``"> "`` before it.
    Nothing is taken out but controls, and applying it twice changes nothing more.
    """
    text = _CONTROL.sub(" ", text)
    text = _TEMPLATE_TOKEN.sub(lambda match: f"{match.group()} ", text)
    return _SPEAKER.sub("> ", disarm(text))


def unused_mark(text: str) -> str:
    """Return a mark of hexadecimal digits that is not in ``text``; the same text, the same mark."""
    folded = text.casefold()
    attempt = 0
    while True:
        digest = hashlib.sha256(f"{attempt} {folded}".encode()).hexdigest()
        if (mark := digest[:_MARK_LETTERS]) not in folded:
            return mark
        attempt += 1


def fenced(mark: str, name: str, parts: Iterable[str]) -> str:
    """Return the parts, each on lines of its own, between an opening and a closing line."""
    return "\n".join([f"<<< {mark} {name}", *parts, f"{mark} >>>"])
