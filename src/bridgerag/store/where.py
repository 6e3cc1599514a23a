"""Filters over metadata: ``year >= 2020 and lang = "en"``.

    filter      = conjunction ("or" conjunction)*
    conjunction = factor ("and" factor)*
    factor      = "not" factor | "(" filter ")" | key comparison
    comparison  = ("=" | "!=" | "<" | "<=" | ">" | ">=") value | "in" "(" value ("," value)* ")"
    value       = number | "text" | 'text' | true | false | null

A key is a metadata key (in double quotes where it is not a plain word), or ``id``, ``title`` or
``source``. Numbers compare with numbers and texts with texts; a document that lacks the key, or has
it of another kind, does not match, save for ``!=`` and ``not``, which are the opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bridgerag.errors import InputError

__all__ = ["Where", "parse_where"]

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>[-+]?\d+(?:\.\d+)?(?![\w.]))|(?P<text>"[^"]*"|'[^']*')
    |(?P<sign><=|>=|!=|==|[=<>(),])|(?P<word>\w[\w.-]*))""",
    re.VERBOSE,
)
_COMPARISONS = {"=": "=", "==": "=", "!=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_COLUMNS = ("id", "title", "source")
_CONSTANTS = {"true": True, "false": False, "null": None}
_MOST_CHARS = 10_000
_MOST_DEPTH = 50

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Where:
    """A filter as a condition on the table of documents; what users wrote is in the values only."""

    sql: str
    values: tuple[Value, ...]


def parse_where(text: str) -> Where:
    """Return the filter that ``text`` spells.

    Raises:
        InputError: it does not follow the grammar above; the message says where.
    """
    if len(text) > _MOST_CHARS:
        raise InputError("the filter's length", len(text), f"at most {_MOST_CHARS:,} characters")
    parser = _Parser(text)
    parsed = parser.either(0)
    if parser.kind:
        raise parser.wrong("'and', 'or' or the end")
    return parsed


class _Parser:
    """Recursive descent, one token ahead."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = self._cut()
        self.kind, self.lexeme, self.place = "", "", 0
        self.step()

    def _cut(self) -> Iterator[tuple[str, str, int]]:
        place = 0
        while self.text[place:].strip():
            match = _TOKEN.match(self.text, place)
            if match is None or match.lastgroup is None:
                raise InputError("the filter", self.text[place:][:40], "words, values and signs")
            place = match.end()
            yield match.lastgroup, match[match.lastgroup], match.start(match.lastgroup)
        yield "", "", len(self.text)

    def step(self) -> str:
        lexeme = self.lexeme
        self.kind, self.lexeme, self.place = next(self._tokens)
        return lexeme

    def wrong(self, expected: str) -> InputError:
        found = self.text[self.place :][:40] or "its end"
        return InputError(f"the filter, at character {self.place + 1},", found, expected)

    def word(self, *words: str) -> bool:
        return self.kind == "word" and self.lexeme.lower() in words

    def either(self, depth: int) -> Where:
        if depth > _MOST_DEPTH:
            raise self.wrong(f"at most {_MOST_DEPTH} brackets and negations inside one another")
        parts = [self.both(depth)]
        while self.word("or"):
            self.step()
            parts.append(self.both(depth))
        return _joined(" OR ", parts)

    def both(self, depth: int) -> Where:
        parts = [self.factor(depth)]
        while self.word("and"):
            self.step()
            parts.append(self.factor(depth))
        return _joined(" AND ", parts)

    def factor(self, depth: int) -> Where:
        if self.word("not"):
            self.step()
            if depth > _MOST_DEPTH:
                raise self.wrong(f"at most {_MOST_DEPTH} brackets and negations in one another")
            return _negated(self.factor(depth + 1))
        if self.lexeme == "(" and self.kind == "sign":
            self.step()
            inner = self.either(depth + 1)
            self.expect(")")
            return inner
        return self.comparison()

    def comparison(self) -> Where:
        if self.kind != "word" and not (self.kind == "text" and self.lexeme[0] == '"'):
            raise self.wrong("a key")
        key = self.step().strip('"')
        if self.word("in"):
            self.step()
            self.expect("(")
            parts = [_compared(key, "=", self.value())]
            while self.lexeme == "," and self.kind == "sign":
                self.step()
                parts.append(_compared(key, "=", self.value()))
            self.expect(")")
            return _joined(" OR ", parts)
        if self.kind != "sign" or self.lexeme not in _COMPARISONS:
            raise self.wrong("one of = != < <= > >= in")
        sign = self.step()
        compared = _compared(key, _COMPARISONS[sign], self.value())
        return _negated(compared) if sign == "!=" else compared

    def value(self) -> Value:
        if self.kind == "text":
            return self.step()[1:-1]
        if self.kind == "number":
            token = self.step()
            whole = "." not in token and len(token) < 19  # what SQLite holds as an integer
            return int(token) if whole else float(token)
        if self.word(*_CONSTANTS):
            return _CONSTANTS[self.step().lower()]
        raise self.wrong('a number, a "text", true, false or null')

    def expect(self, sign: str) -> None:
        if self.kind != "sign" or self.lexeme != sign:
            raise self.wrong(repr(sign))
        self.step()


def _joined(word: str, parts: list[Where]) -> Where:
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2  # by halves: SQLite bounds how deep an expression may be
    left, right = _joined(word, parts[:middle]), _joined(word, parts[middle:])
    return Where(f"({left.sql}{word}{right.sql})", left.values + right.values)


def _negated(part: Where) -> Where:
    return Where(f"NOT {part.sql}", part.values)


def _compared(key: str, sign: str, value: Value) -> Where:
    """Return a condition that is true or false, never NULL."""
    if key in _COLUMNS:
        if not isinstance(value, str):
            raise InputError(f"the filter's value for {key}", value, 'a "text"')
        return Where(f"({key} {sign} ?)", (value,))
    path = f'$."{key}"'
    if value is None or isinstance(value, bool):
        if sign != "=":
            raise InputError(f"the filter's comparison of {key} with {value}", sign, "= or !=")
        kind = {None: "null", True: "true", False: "false"}[value]
        return Where("(coalesce(json_type(metadata, ?), '') = ?)", (path, kind))
    kinds = "('text')" if isinstance(value, str) else "('integer', 'real')"
    return Where(
        f"(coalesce(json_type(metadata, ?), '') IN {kinds} AND json_extract(metadata, ?) {sign} ?)",
        (path, path, value),
    )
