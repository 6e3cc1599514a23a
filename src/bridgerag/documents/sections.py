"""Build a document's text together with the sections that tile it."""

from __future__ import annotations

from dataclasses import replace

from bridgerag.types import Section

__all__ = ["Headings", "TextBuilder"]


class TextBuilder:
    """Collects pieces of text; `begin` says that a new section starts with the next piece."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self._sections = [Section(0, 0)]

    def begin(
        self, headings: tuple[str, ...] = (), page: int | None = None, row: int | None = None
    ) -> None:
        """Start a section here; one that has stayed without text is replaced."""
        if self._sections[-1].start == self._length:
            self._sections.pop()
        self._sections.append(Section(self._length, self._length, headings, page, row))

    def add(self, text: str, end: str = "\n\n") -> None:
        """Append ``text`` and ``end`` to the section; an empty ``text`` adds nothing."""
        if text:
            self._pieces.append(text + end)
            self._length += len(text) + len(end)

    def gap(self) -> None:
        """Put a blank line after a list or table, unless there is one."""
        if self._pieces and self._pieces[-1] != "\n" and not self._pieces[-1].endswith("\n\n"):
            self.add("\n", end="")

    def finish(self) -> tuple[str, tuple[Section, ...]]:
        """Return the text and its sections."""
        ends = [section.start for section in self._sections[1:]] + [self._length]
        tiles = (replace(s, end=end) for s, end in zip(self._sections, ends, strict=True))
        return "".join(self._pieces), tuple(s for s in tiles if s.end > s.start or s.start == 0)


class Headings:
    """The path of headings above the current position."""

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> tuple[str, ...]:
        """Return the path, outermost first, once a heading of ``level`` has been passed."""
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, title))
        return tuple(title for _, title in self._path)
