"""The engine as users see it: add, remove, search, ask, and the care of a store.

What a search does not need is imported by the calls that do, so that the first search comes soon.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, Unpack

from bridgerag.engine.options import AskOptions, SearchOptions
from bridgerag.engine.search import Wanted, expect_bounds, expect_question, search
from bridgerag.engine.stores import Stores
from bridgerag.errors import InputError
from bridgerag.protocols import Embedder, Progress, Recognizer
from bridgerag.retrieval import IndexedMethod, Method
from bridgerag.retrieval import method as method_named
from bridgerag.store import parse_where, read_status, read_tree
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
    Status,
    SyncReport,
    TreeNode,
)

__all__ = ["Bridge"]


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
        from bridgerag.engine.writing import add

        return add(self._stores, paths, documents, ignore, metadata or {}, progress)

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
        from bridgerag.engine.writing import FolderSync

        folder_sync = FolderSync(self._stores, Path(folder), ignore, metadata or {}, progress)
        return folder_sync.rehearse() if dry_run else folder_sync.run()

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
        from bridgerag.engine.writing import FolderSync

        folder_sync = FolderSync(self._stores, Path(folder), ignore, metadata or {}, progress)
        yield from folder_sync.follow(interval_s)

    def remove(self, *names: str) -> list[DocumentRef]:
        """Remove documents, all or none; return what was removed.

        Args:
            names: each an id, a source, a path, or a pattern of ids or sources with ``*``, ``?``
                and ``[...]``; a star stands for slashes too, as in SQLite and `git rm`.

        Raises:
            DocumentNotFound: one of the names is no document's.
        """
        from bridgerag.engine.writing import remove

        return remove(self._stores, names)

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
        from bridgerag.engine.care import reembed

        return reembed(self._stores, embedding, embedder, progress)

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
        expect_question(question)
        return search(self._stores, question, self._wanted(k, depth, method, where))

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
            expect_question(question)
        wanted = self._wanted(k, depth, method, where)
        return search_many(self._stores, questions, wanted.context, wanted.where, workers)

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
        from bridgerag.engine.answer import answer

        search = partial(self.search, k=k, depth=depth, method=method, where=where)
        return answer(self._stores, search, question, model, rounds, on_text)

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
        from bridgerag.engine.care import check

        return check(self._stores, repair)

    # ---- inside

    def _wanted(self, k: int, depth: Depth, method: str, where: str | None) -> Wanted:
        expect_bounds(k, depth)
        run = self._method(method)
        return Wanted(k, depth, method, run, None if where is None else parse_where(where))

    def _method(self, name: str) -> Method:
        if name not in self._methods:
            self._methods[name] = method_named(name)
        return self._methods[name]
