"""Open the user's spaCy pipeline (extra ``spacy``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridgerag.errors import MissingExtra, ModelError

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["open_pipeline"]


def open_pipeline(pipeline: Language | str, purpose: str) -> Language:
    """Return a loaded pipeline; nothing is downloaded.

    Args:
        pipeline: one that is loaded, or the name or path of an installed one.
        purpose: what needs it, for the message when spaCy is missing.

    Raises:
        MissingExtra: spaCy is not installed.
        ModelError: no pipeline of that name is installed.
    """
    try:
        import spacy  # noqa: PLC0415 - an extra, and heavy
    except ImportError as error:
        raise MissingExtra(purpose, "spacy") from error
    if not isinstance(pipeline, str):
        return pipeline
    try:
        return spacy.load(pipeline)
    except OSError as error:
        remedy = f"install it with `python -m spacy download {pipeline}`"
        raise ModelError(pipeline, "no such spaCy pipeline is installed", remedy) from error
