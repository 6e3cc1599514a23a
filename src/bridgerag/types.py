"""The nouns of bridgerag, as plain immutable records.

What a reader makes (`Document`, `Section`), what the chunker makes (`Chunk`), and what a search
gives back (`Context` with its `Hit`s, each with its `Reason`s; `Answer` with its `Citation`s).
Offsets are always Unicode code points into the document's extracted text: `text[start:end]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "AbstractNote",
    "AddReport",
    "Answer",
    "CheckReport",
    "Chunk",
    "Citation",
    "Context",
    "Depth",
    "Document",
    "DocumentRef",
    "EntityMatch",
    "Footprint",
    "Hit",
    "Ids",
    "Keys",
    "Mention",
    "Moved",
    "Passage",
    "Reason",
    "Section",
    "Skipped",
    "Status",
    "SyncReport",
    "TreeNode",
    "Vector",
    "Vectors",
]

Vector: TypeAlias = NDArray[np.float32]  # shape (dim,), unit length
Vectors: TypeAlias = NDArray[np.float32]  # shape (rows, dim), unit-length rows
Ids: TypeAlias = NDArray[np.uint32]  # chunk or abstract numbers inside one segment
Keys: TypeAlias = NDArray[np.uint64]  # hashes of normalised words or entities
Depth: TypeAlias = int | Literal["auto"]  # levels up and down, or to be chosen for the question

MetadataValue: TypeAlias = str | int | float | bool | None


# ---- documents ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Section:
    """A span of a document's text that its format sets apart: a page, a row, a headed part.

    The sections of a document are in order and tile its text: the first starts at 0, each starts
    where the one before ends, the last ends at ``len(text)``.

    Attributes:
        headings: the headings above the span, outermost first.
        page: counted from 1, for paged formats.
        row: counted from 1 without the header line, for tables.
    """

    start: int
    end: int
    headings: tuple[str, ...] = ()
    page: int | None = None
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    r"""One source as its reader extracted it.

    Attributes:
        id: what users call it: the absolute path of a file, or a JSON Lines row's own id.
        source: the path or URL of the file it came from; many rows share one.
        text: the extracted text, normalised to ``\n`` line ends, without NUL characters.
        sections: they tile the text, see `Section`; empty means one that covers it all.
    """

    id: str
    title: str
    source: str
    text: str
    sections: tuple[Section, ...] = ()
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or row that could not be indexed, and why, in one line.

    Attributes:
        source: the file's path, or the id of a document that came from no file.
        row: the row's number, or None for the file as a whole.
    """

    source: str
    reason: str
    row: int | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A consecutive span of a document, cut at sentence and heading borders.

    Attributes:
        start: first character; chunks are in order and do not overlap.
        end: one past the last character; neither end is white space.
        tokens: length by the embedding model's own tokenizer, special tokens not counted.
        sentences: spans ``(start, end)`` in the document, in order, inside the chunk.
    """

    start: int
    end: int
    tokens: int
    sentences: tuple[tuple[int, int], ...]
    headings: tuple[str, ...] = ()
    page: int | None = None
    row: int | None = None


class Mention(NamedTuple):
    """An entity in a question: ``question[start:end]`` is ``text``."""

    text: str
    start: int
    end: int
    key: int


# ---- search -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DocumentRef:
    """Which document a hit comes from."""

    id: str
    title: str
    source: str


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason why a chunk was chosen.

    Attributes:
        kind: ``"walk"`` (over names and passages), ``"entity"`` (by way of the entity index),
            ``"dense"``, ``"lexical"``, or what else the method goes by (``"graph"``,
            ``"cluster"``, ...).
        text: the same in words for people; for ``"walk"`` the way from the question.
        score: the cosine, the lexical score, or what else the method ranks by; for ``"walk"`` the
            hit's own.
        entity: the question's entity that the way begins with, or None; there always is one for
            ``"entity"``, and none for ``"dense"`` and ``"lexical"``.
        seed: the abstract that the entity index gave for it; for ``"entity"`` only, like the next
            two.
        abstract: the abstract through which the chunk entered the pool.
        steps: levels from seed to abstract: above 0 up, below 0 down, 0 the seed itself.
    """

    kind: str
    text: str
    score: float
    entity: str | None = None
    seed: int | None = None
    abstract: int | None = None
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A selected chunk.

    Attributes:
        rank: counted from 1.
        score: what the method ranks by; with `walk` 1 for the best, and it compares the hits of
            one question only.
        chunk: the chunk's number inside its document, counted from 0.
        start: where the text stands in the document's extracted text: ``text[start:end]``.
        abstracts: ids of the expanded abstracts that own the chunk, narrowest first; empty where
            the method goes by none, as `walk`.
        why: at least one reason.
        round: the search that found it first, counted from 1; see `Context.follow_ups`.
    """

    rank: int
    score: float
    text: str
    document: DocumentRef
    chunk: int
    start: int
    end: int
    abstracts: tuple[int, ...]
    why: tuple[Reason, ...]
    headings: tuple[str, ...] = ()
    page: int | None = None
    row: int | None = None
    round: int = 1


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """An entity that the question names.

    Attributes:
        text: as the question spells it.
        abstracts: ids of the abstracts the entity index gave (the seeds); empty where the method
            goes by none, as `walk`.
        ignored: why it was not followed (it occurs nearly everywhere), or None.
    """

    text: str
    abstracts: tuple[int, ...]
    ignored: str | None = None


@dataclass(frozen=True, slots=True)
class AbstractNote:
    """An abstract that owns one of the hits. Its id is a number, the same until a compaction."""

    id: int
    level: int
    summary: str


@dataclass(frozen=True, slots=True)
class Context:
    """What a search gives back: hits, the abstracts above them, and how they were found.

    Attributes:
        depth: what was searched with, also where it was chosen; `walk` goes by none.
        fallback: True when no entity led anywhere and the whole index was searched instead; `walk`
            then starts at the best passages of that search.
        timings_ms: milliseconds for embed, recognize, lookup, expand, rank and total.
        background: what the method found that is no passage: relations of entities, summaries of
            clusters; most useful first.
        follow_ups: what was searched for in rounds 2, 3, ..., in a model's words.
        depth_why: why that depth, in words, where it is not the one asked for; else "".
    """

    question: str
    method: str
    depth: int
    entities: tuple[EntityMatch, ...]
    hits: tuple[Hit, ...]
    abstracts: tuple[AbstractNote, ...]
    fallback: bool
    timings_ms: Mapping[str, float]
    background: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()
    depth_why: str = ""


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a method's own index cost, beside the store's.

    Attributes:
        seconds: to build it.
        size_bytes: in memory, or on disk.
        llm_tokens: of prompts and completions.
        stand_in: what was used where the method's paper has a language model, or "".
    """

    seconds: float = 0.0
    size_bytes: int = 0
    llm_calls: int = 0
    llm_tokens: int = 0
    stand_in: str = ""


@dataclass(frozen=True, slots=True)
class Passage:
    """A numbered passage of a prompt; a citation's marker ``[number]`` points at it.

    Attributes:
        hit: a chunk, the beginning of one, or several in a row as one.
    """

    number: int
    hit: Hit


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a statement of an answer stands in a document.

    Attributes:
        marker: as it stands in the answer, for example ``"[1]"``.
        document: the document's id.
        start: the cited span of the document's extracted text: ``text[start:end]``.
        supported: False when code could not find the statement's words in the cited span.
    """

    marker: str
    document: str
    start: int
    end: int
    supported: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """A cited answer.

    Attributes:
        text: the answer with its markers; every marker resolves to one of `citations`.
        model: the language model that wrote it, or ``"extractive"``.
        notes: what a reader should know: statements without a citation, markers taken out, ...
        usage: what it cost: ``prompt_tokens``, ``completion_tokens`` and ``calls``; empty when no
            language model was asked.
    """

    text: str
    citations: tuple[Citation, ...]
    context: Context
    model: str
    notes: tuple[str, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AddReport:
    """What an `add` did. Counts are documents unless the name says otherwise."""

    added: int
    changed: int
    unchanged: int
    removed: int
    chunks: int
    skipped: tuple[Skipped, ...]
    seconds: float
    store: Path


@dataclass(frozen=True, slots=True)
class Moved:
    """A file that is elsewhere now, with the same bytes."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a `sync` did, or would do. Files are named by their paths, in ascending order.

    Attributes:
        skipped: what could not be read now; its old documents stay.
        done: counts of documents, or None when nothing was to be changed (``dry_run``).
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    moved: tuple[Moved, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    done: AddReport | None

    @property
    def differs(self) -> bool:
        """Whether the store and the folder were not the same."""
        return bool(self.added or self.changed or self.moved or self.removed)


@dataclass(frozen=True, slots=True)
class Status:
    """What a store holds.

    Attributes:
        entities: entries of the entity index, summed over the segments.
        size_bytes: all files of the store on disk.
        text_chars: characters of extracted text.
        last_commit: UTC, ISO 8601, or None for a store without a commit.
        settings: the store's `Settings` as a mapping.
        content_hash: SHA-256 in hexadecimal over settings and documents: equal for stores that hold
            the same, however they came to it.
    """

    store: Path
    format: int
    embedding: str
    dim: int
    documents: int
    chunks: int
    abstracts: int
    entities: int
    segments: int
    text_chars: int
    size_bytes: int
    last_commit: str | None
    settings: Mapping[str, str | int | float]
    content_hash: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `check` looked at and found.

    Attributes:
        problems: what is wrong and what puts it right, a line each; empty for a sound store.
        repaired: what a repair has put right before.
    """

    store: Path
    files: int
    documents: int
    chunks: int
    abstracts: int
    problems: tuple[str, ...]
    repaired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TreeNode:
    """An abstract of one document's tree, for drawing; the root owns all chunks.

    Attributes:
        first: its first chunk's number inside the document.
        count: how many consecutive chunks it owns.
    """

    id: int
    level: int
    summary: str
    first: int
    count: int
    children: tuple[TreeNode, ...] = ()
