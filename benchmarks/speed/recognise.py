"""How long it takes to find the entities that a question of 25 words names.

Entities are made up, of one to four words; each question names two or three of them. "Text to
mentions" is the whole: from the string to the list of mentions, with word forms, flags and stems
that the rest of a search uses; "words" and "probing" are its parts. Beside it: a Python set of all
names that every run of up to four words is looked up in, ahocorasick_rs and spaCy's EntityRuler,
which take plain strings as they are spelled (word forms that normalisation brings together they do
not find). All find the same mentions, which a slow search for the longest names gives first. Each
question is asked once: nothing of it is in the processor's caches.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks.speed._names import LONGEST, Codes, Posed, codes, drawn_names, keys_of, questions
from benchmarks.speed._names import spelled as spelled_names
from benchmarks.speed._rows import Row, against, row
from bridgerag._native import EntityIndex
from bridgerag.entities import question_words, recognize_in

__all__ = ["add_options", "measure"]

Spans = list[tuple[int, int]]
Finder = Callable[[str], Spans]  # where the mentions of a question start and end

_OURS = "text to mentions"
_SET_UP_TO = _AHO_UP_TO = 1_000_000  # entities; more take too much memory
_SPACY_UP_TO = 100_000
_SLOW_QUESTIONS = 20


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[3_000, 100_000, 1_000_000, 10_000_000]
    )
    parser.add_argument("--questions", type=int, default=2_000)


def measure(options: argparse.Namespace) -> Iterator[Row]:
    for size in [3_000] if options.quick else options.sizes:
        names = drawn_names(size)
        posed = questions(names, 2 * options.questions)
        yield from against(list(_rows(names, posed)), _OURS)


def _rows(names: Codes, posed: Sequence[Posed]) -> Iterator[Row]:
    size = f"{len(names):,} entities"
    keys = keys_of(names)
    index = EntityIndex.build(keys, np.arange(len(names), dtype=np.uint32))
    expected = _slowly(names, posed)

    def ours(text: str) -> Spans:
        found = recognize_in(question_words(text), [index])
        return [(start, end) for _, start, end, _ in found]

    middle = len(posed) // 2  # the first half warms up
    _expect(_OURS, ours, posed[:middle], expected[:middle])
    texts = [each.text for each in posed]
    words = dict(zip(texts, map(question_words, texts), strict=True))
    indexes = [index]
    ways: dict[str, Callable[[str], object]] = {
        _OURS: lambda text: recognize_in(question_words(text), indexes),
        "  words": question_words,
        "  probing": lambda text: recognize_in(words[text], indexes),
    }
    for way, call in ways.items():
        yield _row(size, way, call, texts[:middle], texts[middle:])
    for way, make, most, count in _OTHERS:
        if len(names) > most:
            continue
        start = time.perf_counter()
        try:
            finder = make(list(spelled_names(names)))
        except ImportError as error:
            print(f"{size}: {way} skipped: pip install {error.name}")
            continue
        seconds = time.perf_counter() - start
        checked = min(count, middle)
        _expect(way, finder, posed[:checked], expected[:checked])
        asked = texts[middle : middle + count]
        yield _row(size, way, finder, texts[:3], asked, build_s=seconds)


def _row(
    size: str,
    way: str,
    call: Callable[[str], object],
    before: Sequence[str],
    asked: Sequence[str],
    **facts: float,
) -> Row:
    for text in before:
        call(text)
    gc.freeze()  # no collection looks at the names
    samples = []
    cpu = time.thread_time_ns()
    for text in asked:
        start = time.perf_counter_ns()
        call(text)
        samples.append((time.perf_counter_ns() - start) / 1e3)
    mean = (time.thread_time_ns() - cpu) / 1e3 / len(asked)
    gc.unfreeze()
    p99 = float(np.quantile(samples, 0.99))
    return row(size, way, "us a question", samples, p99_us=p99, mean_CPU_us=mean, **facts)


# ---- agreement ----------------------------------------------------------------------------------


def _slowly(names: Codes, posed: Sequence[Posed]) -> list[Spans]:
    """Return the mentions of each question by trying every run of words, the longest first."""
    places = [
        (number, first, length)
        for number, each in enumerate(posed)
        for length in range(LONGEST, 0, -1)
        for first in range(len(each.words) - length + 1)
    ]
    runs = np.zeros((len(places), LONGEST), np.int64)
    for at, (number, first, length) in enumerate(places):
        runs[at, :length] = posed[number].words[first : first + length]
    taken: list[set[int]] = [set() for _ in posed]
    found: list[Spans] = [[] for _ in posed]
    for at in np.flatnonzero(np.isin(codes(runs), names)).tolist():
        number, first, length = places[at]
        run = range(first, first + length)
        if taken[number].isdisjoint(run):
            taken[number].update(run)
            found[number].append(_span(posed[number].text, run))
    return [sorted(each) for each in found]


def _span(text: str, run: range) -> tuple[int, int]:
    words = text.rstrip("?").split(" ")
    start = sum(len(one) + 1 for one in words[: run.start])
    return start, start + len(" ".join(words[run.start : run.stop]))


def _expect(way: str, finder: Finder, posed: Sequence[Posed], expected: Sequence[Spans]) -> None:
    for each, spans in zip(posed, expected, strict=True):
        if finder(each.text) != spans:
            raise SystemExit(f"{way} and the slow search differ on {each.text!r}")


# ---- other ways ---------------------------------------------------------------------------------


def _python_set(names: Sequence[str]) -> Finder:
    known = set(names)

    def find(text: str) -> Spans:
        words = text.rstrip("?").split(" ")
        taken = bytearray(len(words))
        found = []
        for length in range(LONGEST, 0, -1):
            for first in range(len(words) - length + 1):
                end = first + length
                if " ".join(words[first:end]) in known and not any(taken[first:end]):
                    taken[first:end] = b"\1" * length
                    found.append(_span(text, range(first, end)))
        return sorted(found)

    return find


def _ahocorasick(names: Sequence[str]) -> Finder:
    from ahocorasick_rs import AhoCorasick, MatchKind

    # It knows no borders of words; spaces stand for them.
    automaton = AhoCorasick([f" {name} " for name in names], matchkind=MatchKind.LeftmostLongest)

    def find(text: str) -> Spans:
        padded = f" {text[:-1]} "
        return [(start, end - 2) for _, start, end in automaton.find_matches_as_indexes(padded)]

    return find


def _entity_ruler(names: Sequence[str]) -> Finder:
    import spacy

    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "NAME", "pattern": name} for name in names])

    def find(text: str) -> Spans:
        return [(span.start_char, span.end_char) for span in pipeline(text).ents]

    return find


_OTHERS = (
    ("set of names, a loop in Python", _python_set, _SET_UP_TO, 2_000),
    ("ahocorasick_rs", _ahocorasick, _AHO_UP_TO, 2_000),
    ("spaCy EntityRuler", _entity_ruler, _SPACY_UP_TO, _SLOW_QUESTIONS),
)
