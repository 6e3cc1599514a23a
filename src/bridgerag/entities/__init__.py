"""Words, entities and search terms: what a text mentions, and how a question's words find it."""

from __future__ import annotations

from bridgerag.entities.extract import EntityMentions, extract, title_keys
from bridgerag.entities.names import names_of
from bridgerag.entities.normalize import entity_key, normalize
from bridgerag.entities.recognize import Mention, recognize, recognize_in
from bridgerag.entities.words import (
    QuestionWords,
    Vocabulary,
    WordFlag,
    Words,
    question_words,
    read_words,
)

__all__ = [
    "EntityMentions",
    "Mention",
    "QuestionWords",
    "Vocabulary",
    "WordFlag",
    "Words",
    "entity_key",
    "extract",
    "names_of",
    "normalize",
    "question_words",
    "read_words",
    "recognize",
    "recognize_in",
    "title_keys",
]
