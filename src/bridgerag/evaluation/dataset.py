"""Load what a comparison runs on: documents, and questions about them.

Either a folder with ``corpus.jsonl`` and ``questions.jsonl`` (each may be ``.gz``), or any file or
folder of documents together with a questions file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Literal

from bridgerag.documents import document_id, find_files
from bridgerag.errors import InputError, UnreadableFile
from bridgerag.evaluation.questions import QuestionItem, draw, read_questions

__all__ = ["Dataset", "QuestionItem", "load_dataset"]

_CORPORA = ("corpus.jsonl", "corpus.jsonl.gz")
_QUESTIONS = tuple(
    f"questions{kind}{packed}" for kind in (".jsonl", ".csv", ".tsv") for packed in ("", ".gz")
)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Documents, and questions about them.

    Attributes:
        name: of the folder or file, for tables.
        documents: the file or folder that `Bridge.add` is to read, with ``ignore=ignore``.
        questions: at least one, in file order.
        has_gold: whether any question names its gold documents. Where none does, only what looks
            at answers can be measured; a single question without gold has no recall.
        fingerprint: SHA-256 in hexadecimal of the questions and of the documents' bytes, wherever
            they lie.
        ignore: patterns of what lies among the documents and is none: the questions file.
        limit: how many questions were asked for, where they are a draw.
    """

    name: str
    documents: Path
    questions: tuple[QuestionItem, ...]
    has_gold: bool
    fingerprint: str
    ignore: tuple[str, ...] = ()
    limit: int | None = None

    def unknown(self, ids: Collection[str]) -> tuple[str, ...]:
        """Return the gold and scope ids that are not among ``ids``, the ids of all documents.

        A gold id that no document has can never be found and lowers recall for every method.
        """
        named = (name for item in self.questions for name in (*item.gold_ids, *(item.scope or ())))
        return tuple(name for name in dict.fromkeys(named) if name not in ids)


def load_dataset(
    path: Path,
    questions: Path | None = None,
    limit: int | None = None,
    seed: int = 0,
    scope: Literal["all", "gold"] = "all",
) -> Dataset:
    """Return the data set at ``path``; documents are listed and hashed here, not read.

    Args:
        path: a folder with ``corpus.jsonl``, or a file or folder of documents.
        questions: the questions file, see `read_questions`; by default the ``questions.jsonl``,
            ``.csv`` or ``.tsv`` in the folder ``path``. Gold ids may name files relative to
            ``path``.
        limit: how many questions to draw, 1 or more; all by default. The draw depends on ``seed``
            and the ids alone, a smaller one is part of a larger one, and file order is kept.
        scope: ``"gold"`` for data whose gold ids are not evidence but the documents to which a
            question belongs: each question is then searched among those only, and has no gold.

    Raises:
        InputError, UnreadableFile: what was found, and what is needed.
    """
    if limit is not None and limit < 1:
        raise InputError("limit", limit, "1 or more")
    if scope not in ("all", "gold"):
        raise InputError("scope", scope, "'all' or 'gold'")
    path = Path(path)
    asked = _beside(path) if questions is None else Path(questions)
    documents = next((file for name in _CORPORA if (file := path / name).is_file()), path)
    ignore = _ignored(documents, asked)
    files = _listing(documents, ignore)
    items = read_questions(asked)
    if limit is not None:
        items = draw(items, limit, str(seed))
    if scope == "gold":
        items = [_confined(item, asked) for item in items]
    return Dataset(
        name=_name(path),
        documents=documents,
        questions=tuple(_located(item, files) for item in items),
        has_gold=any(item.gold_ids for item in items),
        fingerprint=_fingerprint(items, files),
        ignore=ignore,
        limit=limit,
    )


# ---- where things lie ---------------------------------------------------------------------------


def _beside(path: Path) -> Path:
    """Return the only questions file in the folder ``path``."""
    found = [file for name in _QUESTIONS if (file := path / name).is_file()]
    if len(found) == 1:
        return found[0]
    expected = "a folder with questions.jsonl or questions.csv; else name the file with --questions"
    if found:
        names = " and ".join(file.name for file in found)
        expected = f"a folder with one questions file, not {names}; name one with --questions"
    raise InputError("the data", str(path), expected)


def _ignored(documents: Path, asked: Path) -> tuple[str, ...]:
    """Return patterns, as in ``.gitignore``, for the questions files inside ``documents``."""
    if not documents.is_dir():
        return ()
    root = documents.resolve()
    files = [root / name for name in _QUESTIONS if (root / name).is_file()] + [asked.resolve()]
    inside = {file.relative_to(root).as_posix() for file in files if file.is_relative_to(root)}
    special = str.maketrans({sign: f"\\{sign}" for sign in "\\*?[]! #"})
    return tuple(f"/{name.translate(special)}" for name in sorted(inside))


def _listing(documents: Path, ignore: Sequence[str]) -> Mapping[str, Path]:
    """Return the documents' files by name: relative to the folder ``documents``, with ``/``."""
    root = documents if documents.is_dir() else documents.parent
    found = [file for file in find_files([documents], ignore) if isinstance(file, Path)]
    if not found:
        expected = "a file or folder of documents, or a folder with corpus.jsonl"
        raise InputError("the data", str(documents), expected)
    return {file.relative_to(root).as_posix(): file for file in found}


def _name(path: Path) -> str:
    path = path.resolve()
    return path.name if path.is_dir() else path.name.partition(".")[0] or path.name


# ---- questions ----------------------------------------------------------------------------------


def _confined(item: QuestionItem, asked: Path) -> QuestionItem:
    if not item.gold_ids:
        where = f'{asked}: "gold_ids" of {item.id!r}'
        raise InputError(where, [], "the ids of its documents, or load with scope 'all'")
    return replace(item, scope=item.gold_ids, gold_ids=())


def _located(item: QuestionItem, files: Mapping[str, Path]) -> QuestionItem:
    """Return the question with its documents' ids where it names files: their absolute paths."""

    def ids(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(document_id(files[name]) if name in files else name for name in names)

    scope = None if item.scope is None else ids(item.scope)
    return replace(item, gold_ids=ids(item.gold_ids), scope=scope)


def _fingerprint(items: Sequence[QuestionItem], files: Mapping[str, Path]) -> str:
    """Hash the questions as written and the bytes of the files, under their relative names."""
    whole = hashlib.sha256()
    for item in items:
        whole.update(json.dumps(astuple(item)).encode() + b"\n")
    for name, file in sorted(files.items()):
        try:
            with file.open("rb") as stream:
                content = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise UnreadableFile(file, f"it cannot be opened ({error.strerror})") from error
        whole.update(json.dumps([name, content]).encode() + b"\n")
    return whole.hexdigest()
