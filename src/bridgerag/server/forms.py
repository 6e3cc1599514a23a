"""What may be asked, field by field, with the limits of each."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from bridgerag.errors import InputError

__all__ = ["BODY", "Options", "Search", "SearchMany", "wrong_input"]

BODY = "a JSON object, sent as application/json"
_MOST_HITS, _MOST_QUESTIONS = 100, 100
_DEEPEST = 1000
_LONGEST_TEXT, _LONGEST_TOGETHER = 10_000, 100_000  # characters
_SHOWN = 60  # characters of what was found

_Text: TypeAlias = Annotated[str, Field(max_length=_LONGEST_TEXT)]


class Options(BaseModel):
    """The options of `Bridge.search`. A field's description completes "it must be ..."."""

    model_config = ConfigDict(extra="forbid", strict=True)

    k: int = Field(8, ge=1, le=_MOST_HITS, description=f"a whole number between 1 and {_MOST_HITS}")
    depth: Annotated[int, Field(ge=0, le=_DEEPEST)] | Literal["auto"] = Field(
        2, description=f'a whole number between 0 and {_DEEPEST:,}, or "auto"'
    )
    method: _Text = Field("walk", description="the name of a method")
    where: _Text | None = Field(
        None, description=f"a filter of at most {_LONGEST_TEXT:,} characters, or null"
    )


class Search(Options):
    """One question."""

    question: _Text = Field(description=f"a text of at most {_LONGEST_TEXT:,} characters")


def _bounded_together(texts: list[str]) -> list[str]:
    if sum(map(len, texts)) > _LONGEST_TOGETHER:
        raise ValueError
    return texts


class SearchMany(Options):
    """Several questions with the same options."""

    questions: Annotated[list[_Text], AfterValidator(_bounded_together)] = Field(
        min_length=1,
        max_length=_MOST_QUESTIONS,
        description=f"a list of 1 to {_MOST_QUESTIONS} texts of at most {_LONGEST_TEXT:,} "
        f"characters each and {_LONGEST_TOGETHER:,} together",
    )


def wrong_input(errors: Sequence[Mapping[str, Any]], body: object) -> InputError:
    """Return the first of a request's errors, as pydantic lists them, in our words."""
    first = errors[0]
    place, kind = first["loc"][1:], first["type"]  # the first word of a place is "body"
    unreadable_key = kind == "string_unicode" and not place
    if not (place or unreadable_key) or kind == "json_invalid":
        return InputError("the body", _brief(body), BODY)
    fields = Search.model_fields | SearchMany.model_fields
    name = str(first["input"] if unreadable_key else place[0])
    if name not in fields:
        return InputError("a key of the body", _brief(name), "one of " + ", ".join(fields))
    found = None if kind == "missing" else _brief(first["input"])
    return InputError(name, found, str(fields[name].description))


def _brief(value: object) -> object:
    """Return a value of JSON, or the beginning of it where it is long."""
    match value:
        case str() | bytes():
            return value[:_SHOWN]
        case None | float():
            return value
        case int() if abs(value) < 10**12:
            return value
    return reprlib.repr(value)
