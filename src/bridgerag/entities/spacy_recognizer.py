"""Recognise a question's entities with a spaCy pipeline instead of n-grams (extra ``spacy``).

Useful where a pipeline knows names that the plain recogniser splits. The pipeline is the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bridgerag.entities.extract import name_keys
from bridgerag.entities.spacy_pipeline import open_pipeline
from bridgerag.types import Keys, Mention

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Span

__all__ = ["SpacyRecognizer"]


class SpacyRecognizer:
    """Finds the named entities and noun chunks of a spaCy pipeline that the index knows.

    Args:
        pipeline: a loaded pipeline, or the name or path of an installed one; nothing is downloaded.

    Raises:
        MissingExtra: spaCy is not installed.
        ModelError: no pipeline of that name is installed.
    """

    def __init__(self, pipeline: Language | str) -> None:
        self._pipeline = open_pipeline(pipeline, "the spaCy recogniser")

    def recognize(
        self, question: str, contains: Callable[[Keys], NDArray[np.bool_]]
    ) -> list[Mention]:
        """Return the stored entities that the pipeline finds, left to right, without overlaps.

        Longer spans win. ``contains`` is as in `recognize.recognize` and called once at most.
        """
        found = [
            Mention(span.text, span.start_char, span.end_char, key)
            for span in self._spans(question)
            for key in name_keys(span.text)
        ]
        if not found:
            return []
        stored = contains(np.array([mention.key for mention in found], np.uint64))
        known = [mention for mention, is_stored in zip(found, stored, strict=True) if is_stored]
        known.sort(key=lambda mention: (mention.start - mention.end, mention.start))
        chosen: list[Mention] = []
        for mention in known:
            if all(mention.end <= other.start or other.end <= mention.start for other in chosen):
                chosen.append(mention)
        return sorted(chosen, key=lambda mention: mention.start)

    def _spans(self, question: str) -> Iterator[Span]:
        parsed = self._pipeline(question[:16_384])
        yield from parsed.ents
        if parsed.has_annotation("DEP"):
            yield from parsed.noun_chunks
