"""The engine as users see it: add, remove, search, ask, and the care of a store.

What a search does not need is imported by the calls that do, so that the first search comes soon.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import Self, TypedDict, Unpack

from bridgerag.embedding import open_embedder
from bridgerag.engine.stores import Stores
from bridgerag.errors import InputError, StoreMissing
from bridgerag.protocols import Embedder, Progress, Recognizer
from bridgerag.retrieval import (
    IndexedMethod,
    Method,
    Question,
    Timings,
    assemble,
    resolve_depth,
)
from bridgerag.retrieval import method as method_named
from bridgerag.settings import Settings
from bridgerag.store import Snapshot, parse_where, read_status, read_tree
from bridgerag.types import (
    AddReport,
    Answer,
    CheckReport,
    Context,
    Depth,
    Document,
    DocumentRef,
    Footprint,
    MetadataValue,
    Skipped,
    Status,
    SyncReport,
    TreeNode,
)

__all__ = ["Bridge", "open_bridge"]

DEFAULT_STORE = "bridge.store"
_MOST_HITS = 10_000
_LONGEST_INTERVAL_S = 86_400.0
_LONGEST_PATTERN = 10_000  # SQLite takes five times as much; the working folder goes before it


def open_bridge(
    path: str | Path = DEFAULT_STORE,
    *others: str | Path,
    settings: Settings | Mapping[str, str | int | float] | None = None,
    embedder: Embedder | None = None,
    recognizer: Recognizer | None = None,
) -> Bridge:
    """Return the engine over the store at ``path``; nothing is created before the first `add`.

    Args:
        others: further stores, built with the same embedding model; all are searched as one, and
            none can be written to through this engine.
        settings: how to build a store that is not there yet; for one that is, they must be its
            own. A mapping names some of them and leaves the others as they are.
        embedder: in place of the one that the settings name.
        recognizer: finds the entities of questions in place of the built-in lookup of n-grams, for
            example a `bridgerag.entities.spacy_recognizer.SpacyRecognizer` (extra ``spacy``).

    Raises:
        NotAStore, FormatTooNew, StoreDamaged: what is at ``path`` cannot be used.
        InputError: the store was built with other settings.
        ModelMismatch: the store was built with another embedding model.
    """
    named = asdict(settings) if isinstance(settings, Settings) else dict(settings or {})
    for name in named.keys() - set(Settings.__slots__):
        raise InputError("a setting", name, "one of " + ", ".join(Settings.__slots__))
    Settings(**named)  # says what is out of range
    bridge = Bridge(Path(path), named, embedder, tuple(map(Path, others)), recognizer)
    with suppress(*(() if others else (StoreMissing,))), bridge._stores.reading():
        return bridge
    return bridge


class SearchOptions(TypedDict, total=False):
    """The options of `Bridge.search`."""

    k: int
    depth: Depth
    method: str
    where: str | None


class AskOptions(SearchOptions, total=False):
    """The options of `Bridge.ask`."""

    model: str | None
    on_text: Callable[[str], None] | None
    rounds: int


class Bridge:
    """Adds documents to a store, searches it, answers from it. Safe to use from many threads."""

    def __init__(
        self,
        path: Path,
        settings: Mapping[str, str | int | float] | None = None,
        embedder: Embedder | None = None,
        others: Sequence[Path] = (),
        recognizer: Recognizer | None = None,
    ) -> None:
        """Use `bridgerag.open`, which also looks whether the store can be used."""
        self.path = path
        self._stores = Stores(path, settings or {}, embedder, others, recognizer)
        self._methods: dict[str, Method] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; the next call opens it again."""
        self._stores.close()

    # ---- writing

    def add(
        self,
        *paths: str | Path,
        documents: Iterable[Document] = (),
        ignore: Sequence[str] = (),
        metadata: Mapping[str, MetadataValue] | None = None,
        progress: Progress | None = None,
    ) -> AddReport:
        """Index files, folders and documents, replacing what changed; make the store if need be.

        Commits every few thousand chunks, so that what an interruption loses is small, and the next
        `add` goes on from there. A file that cannot be read is reported and left out.

        Args:
            paths: files and folders; a folder is walked.
            documents: documents that are no files.
            ignore: patterns of names to leave out, as in ``.gitignore``.
            metadata: given to every document of this call.
            progress: told how many files and chunks are done.

        Raises:
            StoreBusy, StoreReadOnly, ModelMismatch, InputError.
        """
        from bridgerag.documents import find_files
        from bridgerag.ingest import Ingest

        self._stores.expect_one()
        found = list(find_files(paths, ignore))
        if paths and documents == () and all(isinstance(item, Skipped) for item in found):
            return _nothing(found, self.path)  # a mistyped path makes no store
        store = self._stores.open_or_create()
        with self._stores.writing(store) as (writer, sources):
            ingest = Ingest(store.settings, self._stores.model(store), writer, sources, progress)
            report = ingest.run(found, documents, metadata or {})
        return replace(report, store=self.path)

    def sync(
        self,
        folder: str | Path,
        *,
        dry_run: bool = False,
        ignore: Sequence[str] = (),
        metadata: Mapping[str, MetadataValue] | None = None,
        progress: Progress | None = None,
    ) -> SyncReport:
        """Make what the store holds of a folder equal the folder: `add`, and remove what is gone.

        A file is known by its path; what cannot be read now keeps its old documents.

        Args:
            dry_run: only say what would be done.

        Raises:
            UnreadableFile: the folder is missing, or empty as when a disk is not mounted; nothing
                was changed. Otherwise as `add`.
        """
        from bridgerag.ingest import compare, expect_folder

        folder, given = Path(folder), metadata or {}
        expect_folder(folder)
        if not dry_run:
            return self._sync(folder, ignore, given, progress)
        try:
            store = self._stores.open()
        except StoreMissing:
            return compare(folder, ignore, None, given).report()
        with store.sources() as sources:
            return compare(folder, ignore, sources, given).report()

    def watch(
        self,
        folder: str | Path,
        *,
        interval_s: float = 1.0,
        ignore: Sequence[str] = (),
        metadata: Mapping[str, MetadataValue] | None = None,
        progress: Progress | None = None,
    ) -> Iterator[SyncReport]:
        """Follow a folder for ever: `sync` what changed, and yield the report of each change.

        A file is left alone until its size and time have been the same for ``interval_s`` seconds.
        A folder that is missing or emptied later on is waited for, and named as skipped.

        Raises:
            As `sync`, at the start.
        """
        from bridgerag.ingest import expect_folder, follow, rounds

        if not 0 < interval_s <= _LONGEST_INTERVAL_S:
            raise InputError("the interval", interval_s, "above 0 and at most a day, in seconds")
        folder = Path(folder)
        expect_folder(folder)
        yield from follow(
            rounds(folder, ignore, interval_s),
            lambda leave: self._sync(folder, ignore, metadata or {}, progress, leave),
        )

    def _sync(
        self,
        folder: Path,
        ignore: Sequence[str],
        metadata: Mapping[str, MetadataValue],
        progress: Progress | None,
        leave: Collection[str] = (),
    ) -> SyncReport:
        from bridgerag.ingest import Ingest, compare

        store = self._stores.open_or_create()
        with self._stores.writing(store) as (writer, sources):
            difference = compare(folder, ignore, sources, metadata, leave)
            ingest = Ingest(store.settings, self._stores.model(store), writer, sources, progress)
            done = ingest.run(difference.found, (), metadata, difference.moved, difference.removed)
        return difference.report(replace(done, store=self.path))

    def remove(self, *names: str) -> list[DocumentRef]:
        """Remove documents, all or none; return what was removed.

        Args:
            names: each an id, a source, a path, or a pattern of ids or sources with ``*``, ``?``
                and ``[...]``; a star stands for slashes too, as in SQLite and `git rm`.

        Raises:
            DocumentNotFound: one of the names is no document's.
        """
        from bridgerag.engine.names import matching

        store = self._stores.open()
        with self._stores.writing(store) as (writer, _):
            with store.reading() as snapshot:
                found = {ref.id: ref for name in names for ref in matching(snapshot, name)}
            if found:
                sources = {ref.source for ref in found.values()}
                writer.commit(remove=list(found), forget=sources)
        return list(found.values())

    def reembed(
        self,
        embedding: str | None = None,
        *,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> int:
        """Change the embedding model without reading source files; return how many chunks it took.

        All is committed at once: until then searches use the old vectors, and an interruption
        leaves the store as it was. Chunks stay as they were cut.

        Args:
            embedding: the model's name, as in `Settings`; by default that of the store, as for a
                release that brings the model in a new version.
            embedder: in place of the one of that name.
            progress: told how many chunks are done.
        """
        from bridgerag.store.reembed import reembed

        store = self._stores.open()
        with self._stores.writing(store) as (writer, _):
            settings = replace(store.settings, embedding=embedding or store.settings.embedding)
            new = embedder or open_embedder(settings.embedding)
            with store.reading() as snapshot:
                total = snapshot.chunks
            done = 0

            def report(chunks: int) -> None:
                nonlocal done
                done += chunks
                if progress is not None:
                    progress("chunks", done, total)

            chunks = reembed(writer, settings, new, report)
        self._stores.took_over(new, given=embedder is not None)
        return chunks

    def backup(self, destination: str | Path) -> None:
        """Copy the store, as it is at one moment, to a new or empty folder.

        Others may search and change the store meanwhile.

        Raises:
            InputError: something is at ``destination``.
            StoreDamaged: a file of the store is altered.
        """
        from bridgerag.store.backup import backup_store

        backup_store(self._stores.open().path, Path(destination))

    def compact(self) -> int:
        """Merge all segments into one; return how many there were to merge.

        Afterwards no file of the store holds anything of what was removed.
        """
        with self._stores.writing(self._stores.open()) as (writer, _):
            return writer.compact()

    # ---- reading

    def search(
        self,
        question: str,
        *,
        k: int = 8,
        depth: Depth = 2,
        method: str = "walk",
        where: str | None = None,
    ) -> Context:
        """Return the best chunks for a question, each with the reasons why.

        Args:
            k: how many hits, 1 to 10,000.
            depth: levels to go up and down the forest from a seed abstract, 0 or more; or
                ``"auto"``, which chooses for the question and says why in `Context.depth_why`.
            method: ``"walk"``, ``"bridge"`` (Algorithm 1 of the paper), one of the others, or one
                given to `use`.
            where: a filter over metadata, such as ``year >= 2020 and lang = "en"``; everything is
                as if the store held no other documents.

        Raises:
            InputError: an argument is out of range, or the question is empty.
            StoreMissing: nothing was added yet.
        """
        _check(question, k, depth)
        run = self._method(method)
        narrow = None if where is None else parse_where(where)
        timings = Timings()
        with (
            timings.stage("total"),
            self._stores.asking(question, narrow, timings) as (snapshot, asked),
        ):
            return _search(snapshot, asked, timings, run, method, k, depth)

    def search_many(
        self,
        questions: Sequence[str],
        *,
        k: int = 8,
        depth: Depth = 2,
        method: str = "walk",
        where: str | None = None,
        workers: int | None = None,
    ) -> list[Context]:
        """Return what `search` returns for each question, in their order; quicker than one by one.

        All of them see the store as it was at one moment. They are embedded by blocks, and searched
        in several threads; what a method does in Python still runs one thread at a time.

        Args:
            workers: threads, 1 to 64; every usable core by default.

        Raises:
            InputError: an argument is out of range, or a question is empty. Otherwise as `search`.
        """
        from bridgerag.engine.many import search_many

        if isinstance(questions, str):
            raise InputError("questions", questions, "a sequence of questions, not one of them")
        for question in questions:
            _check(question, k, depth)
        run = self._method(method)
        narrow = None if where is None else parse_where(where)

        def search(snapshot: Snapshot, asked: Question, timings: Timings) -> Context:
            return _search(snapshot, asked, timings, run, method, k, depth)

        return search_many(self._stores, questions, search, narrow, workers)

    def ask(
        self,
        question: str,
        *,
        k: int = 8,
        depth: Depth = 2,
        method: str = "walk",
        where: str | None = None,
        model: str | None = None,
        on_text: Callable[[str], None] | None = None,
        rounds: int = 1,
    ) -> Answer:
        """Return an answer from the best chunks, with a citation for what it says.

        Args:
            model: a model of an OpenAI-compatible server; without one (and without
                ``BRIDGERAG_MODEL``) the answer is made of the documents' own sentences.
            on_text: receives the answer piece by piece as it is written.
            rounds: how often to search, 1 to 8: after each search but the last, the model names
                what is missing, and that is searched for. More than 1 needs a model.

        Raises:
            ModelError: the server did not answer as it should. Otherwise as `search`.
        """
        from bridgerag.generation import MOST_ROUNDS, write_in_rounds, writer_from_environment

        if not 1 <= rounds <= MOST_ROUNDS:
            raise InputError("rounds", rounds, f"between 1 and {MOST_ROUNDS}")

        def search(text: str) -> Context:
            return self.search(text, k=k, depth=depth, method=method, where=where)

        context = search(question)
        embedder = self._stores.model(self._stores.open())
        writer = writer_from_environment(model, embedder)
        return write_in_rounds(writer, context, search, rounds, on_text)

    async def asearch(self, question: str, **options: Unpack[SearchOptions]) -> Context:
        """`search` with the same options, in a worker thread."""
        import asyncio

        return await asyncio.to_thread(self.search, question, **options)

    async def aask(self, question: str, **options: Unpack[AskOptions]) -> Answer:
        """`ask` with the same options, in a worker thread; it calls ``on_text`` from there."""
        import asyncio

        return await asyncio.to_thread(self.ask, question, **options)

    def use(self, name: str, method: Method) -> None:
        """Have `search` and `ask` know ``method`` by ``name``: your own, or one set up anew."""
        self._methods[name] = method

    def prepare(self, method: str, where: str | None = None) -> Footprint:
        """Build now what a method needs beside the store, and return what that cost.

        ``"walk"``, ``"bridge"`` and a few others need nothing; the rest keep an index in memory,
        which the first search builds where this was not called, anew when the store has changed.

        Args:
            where: as for the searches to come, which are then alone in what they see.
        """
        run = self._method(method)
        narrow = None if where is None else parse_where(where)
        with self._stores.reading(narrow) as snapshot:
            return run.prepare(snapshot) if isinstance(run, IndexedMethod) else Footprint()

    def _method(self, name: str) -> Method:
        if name not in self._methods:
            self._methods[name] = method_named(name)
        return self._methods[name]

    def documents(self) -> list[DocumentRef]:
        """Return all documents by ascending id."""
        with self._stores.reading() as snapshot:
            return snapshot.all_documents()

    def text(self, name: str) -> str:
        """Return a document's extracted text, into which all offsets point."""
        from bridgerag.engine.names import placed

        with self._stores.reading() as snapshot:
            live, place = placed(snapshot, name)
            number, _ = live.document(place)
            return live.records.text(number)

    def tree(self, name: str) -> TreeNode:
        """Return a document's tree of abstracts, from the root."""
        from bridgerag.engine.names import placed

        with self._stores.reading() as snapshot:
            return read_tree(*placed(snapshot, name))

    def status(self) -> Status:
        """Return counts, sizes, model and the time of the last commit."""
        return read_status(self._stores.open())

    def check(self, *, repair: bool = False) -> CheckReport:
        """Compare everything in the store, made anew from its texts where possible; list problems.

        Args:
            repair: first put right what can be made again from the texts.
        """
        from bridgerag.store.check import check_store
        from bridgerag.store.repair import repair_store

        store = self._stores.open()
        repaired: list[str] = []
        if repair:
            with self._stores.writing(store) as (writer, _):
                repaired = repair_store(store, writer, lambda: self._stores.model(store))
        return check_store(store, repaired)

    # ---- inside


def _search(
    snapshot: Snapshot,
    asked: Question,
    timings: Timings,
    run: Method,
    method: str,
    k: int,
    depth: Depth,
) -> Context:
    levels, why = resolve_depth(depth, method, snapshot, asked, k, timings)
    found = run(snapshot, asked, k, levels, timings)
    if found.depth is not None:
        why = f"at depth {levels} every entity of the question would open too many chunks"
        levels = found.depth
    return assemble(snapshot, asked, method, levels, found, timings, why)


def _nothing(found: Sequence[Path | Skipped], store: Path) -> AddReport:
    """Return the report of an add that found no file."""
    skipped = tuple(item for item in found if isinstance(item, Skipped))
    return AddReport(0, 0, 0, 0, 0, skipped, 0.0, store)


def _check(question: str, k: int, depth: Depth) -> None:
    if not question.strip():
        raise InputError("the question", "", "something to search for")
    if not 1 <= k <= _MOST_HITS:
        raise InputError("k", k, f"between 1 and {_MOST_HITS:,}")
    if depth != "auto" and (isinstance(depth, str) or depth < 0):
        raise InputError("depth", depth, "0 or more, or auto")
