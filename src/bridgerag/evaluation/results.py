"""What a comparison stores, so that it can be stopped at any moment, looked at, and read again.

A run is a folder:

    run.json          what was compared, on which data, by which settings, and what it cost to build
    questions.jsonl   a line a (method, question): what was found, the answer, the metrics
    latency.jsonl     a line a (method, question) of the latency pass: every repetition
    stores/           the stores that were searched
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from bridgerag.errors import InputError, StoreBusy, UnreadableFile
from bridgerag.evaluation.leaks import Leak
from bridgerag.evaluation.lines import Lines, read_lines, replace_file
from bridgerag.evaluation.questions import QuestionItem
from bridgerag.evaluation.records import EMBED, Latency, Outcome, Run, StoreCost
from bridgerag.types import Footprint

__all__ = ["EMBED", "SCHEMA", "Latency", "Outcome", "Run", "RunFolder", "StoreCost"]

SCHEMA = 1
_RUN, _QUESTIONS, _LATENCY, _LOCK = "run.json", "questions.jsonl", "latency.jsonl", "run.lock"
_IGNORE = ".bridgeignore"  # a run may lie among the documents, and is none of them


class RunFolder:
    """The folder of one run. One process writes at a time; anyone may read meanwhile."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: Lines | None = None

    @contextmanager
    def writing(self, **fixed: Mapping[str, object]) -> Iterator[None]:
        """Hold the folder for writing: make it, or go on with the run that is there.

        Args:
            fixed: what makes a run this run; results of two that differ in it must not mix.

        Raises:
            InputError: the folder holds a run that differs; the message says in what.
            StoreBusy: another process is writing to it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.path / _LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise StoreBusy(self.path, 0.0) from error
        try:
            if (self.path / _RUN).exists():
                self._expect(fixed)
            else:
                replace_file(self.path / _IGNORE, b"*\n")
                self._write({"schema": SCHEMA, **fixed})
            self._lines = Lines(self.path / _QUESTIONS)
            yield
        finally:
            if self._lines is not None:
                self._lines.close()
                self._lines = None
            lock.release()

    def header(self) -> dict[str, Any]:
        """Return what ``run.json`` holds.

        Raises:
            UnreadableFile: there is no run, or another release wrote it.
        """
        path = self.path / _RUN
        try:
            found = json.loads(path.read_bytes())
        except FileNotFoundError as error:
            raise UnreadableFile(path, "it is missing; `bridgerag eval` makes it") from error
        except (OSError, ValueError) as error:
            raise UnreadableFile(path, f"it is not sound ({error})") from error
        schema = found.get("schema") if isinstance(found, dict) else None
        if schema != SCHEMA:
            newer = isinstance(schema, int) and schema > SCHEMA
            remedy = "upgrade bridgerag" if newer else "run `bridgerag eval` anew in another folder"
            reason = f"it has schema {schema}, this release reads schema {SCHEMA}; {remedy}"
            raise UnreadableFile(path, reason)
        return dict(found)

    def update(self, **parts: object) -> None:
        """Change parts of ``run.json``, all or none of them."""
        self._write({**self.header(), **parts})

    def note(self, about: str, sentence: str) -> None:
        """Keep a sentence that readers of the table should see, in place of one about the same."""
        self.update(notes={**self.header().get("notes", {}), about: sentence})

    def append(self, outcome: Outcome) -> None:
        """Store an outcome, inside `writing`; a process that is killed afterwards has not lost it.

        It costs a system call; the disk is waited for once in a while.
        """
        if self._lines is None:
            raise RuntimeError("append outside of writing")
        form = {name: getattr(outcome, name) for name in Outcome.__slots__}
        form["footprint"] = outcome.footprint and asdict(outcome.footprint)
        self._lines.add({name: value for name, value in form.items() if value is not None})

    def outcomes(self) -> Iterator[Outcome]:
        """Yield what is stored, in the order it came in."""
        for row in read_lines(self.path / _QUESTIONS):
            cost = row.get("footprint")
            yield Outcome(
                row["method"], row["question"], tuple(row["ranked"]),
                tuple((document, chunk, score) for document, chunk, score in row["hits"]),
                row["metrics"], row.get("answer"), row["timings_ms"],
                Footprint(**cost) if cost else None,
            )  # fmt: skip

    def done(self) -> set[tuple[str, str]]:
        """Return which (method, question) are stored."""
        rows = read_lines(self.path / _QUESTIONS)
        return {(row["method"], row["question"]) for row in rows}

    def write_latencies(self, latencies: Iterable[Latency]) -> None:
        """Store a latency pass in place of one before, all or nothing."""
        lines = (json.dumps(asdict(row), allow_nan=False) + "\n" for row in latencies)
        replace_file(self.path / _LATENCY, "".join(lines).encode())

    def latencies(self) -> Iterator[Latency]:
        """Yield what the latency pass stored."""
        for row in read_lines(self.path / _LATENCY):
            ms = {stage: tuple(values) for stage, values in row["ms"].items()}
            yield Latency(row["method"], row["question"], ms)

    def read(self) -> Run:
        """Return the run as it is stored, complete or not.

        Raises:
            UnreadableFile: there is none, or another release wrote it.
        """
        header = self.header()
        outcomes = {(o.method, o.question): o for o in self.outcomes()}
        questions = tuple(map(_question, header.get("questions", ())))
        variants, failed = header.get("methods", {}), header.get("failed", {})
        able = [label for label in variants if label not in failed]
        whole = [name for name in able if all((name, q.id) in outcomes for q in questions)]
        return Run(
            folder=self.path,
            dataset=header["dataset"],
            settings=header["settings"],
            questions=questions,
            methods=tuple(whole),
            depths={label: row["depth"] for label, row in variants.items()},
            failed=failed,
            unfinished=tuple(label for label in able if label not in whole),
            leaks=tuple(Leak(**row) for row in header.get("leaks", ())),
            notes=tuple(header.get("notes", {}).values()),
            stores={name: StoreCost(**row) for name, row in header.get("stores", {}).items()},
            store_of={label: row["store"] for label, row in variants.items()},
            footprints={label: _footprint(label, outcomes.values()) for label in variants},
            latency_plan=header.get("latency", {}),
            machine=header.get("machine", {}),
            started=header.get("started", ""),
            finished=header.get("finished"),
            outcomes=outcomes,
            latencies=tuple(self.latencies()),
        )

    def _expect(self, fixed: Mapping[str, Mapping[str, object]]) -> None:
        header = self.header()
        for part, wanted in json.loads(json.dumps(fixed)).items():
            for name, value in wanted.items():
                found = header.get(part, {}).get(name)
                if found != value:
                    expected = f"{found!r}, as in the run at {self.path}; or name another folder"
                    raise InputError(name, value, f"{expected} with --out")

    def _write(self, header: Mapping[str, object]) -> None:
        text = json.dumps(header, indent=1, allow_nan=False)
        replace_file(self.path / _RUN, text.encode() + b"\n")


def _question(row: Mapping[str, Any]) -> QuestionItem:
    lists = ("answers", "gold_ids", "scope")
    values = {name: tuple(row[name]) for name in lists if row[name] is not None}
    return QuestionItem(**{**row, **values})


def _footprint(label: str, outcomes: Iterable[Outcome]) -> Footprint:
    """Return the sum of what a method's indexes cost: one, or one a scope."""
    parts = [o.footprint for o in outcomes if o.method == label and o.footprint is not None]
    return Footprint(
        seconds=sum(part.seconds for part in parts),
        size_bytes=sum(part.size_bytes for part in parts),
        llm_calls=sum(part.llm_calls for part in parts),
        llm_tokens=sum(part.llm_tokens for part in parts),
        stand_in=next((part.stand_in for part in parts if part.stand_in), ""),
    )
