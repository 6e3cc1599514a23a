"""Put documents into a store and take them out; `Bridge` says what each function does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bridgerag.documents import find_files
from bridgerag.engine.names import matching
from bridgerag.engine.stores import Stores
from bridgerag.errors import InputError, StoreMissing
from bridgerag.ingest import Ingest, compare, expect_folder, follow, rounds
from bridgerag.protocols import Progress
from bridgerag.types import (
    AddReport,
    Document,
    DocumentRef,
    MetadataValue,
    Skipped,
    SyncReport,
)

__all__ = ["FolderSync", "add", "remove"]

_LONGEST_INTERVAL_S = 86_400.0


def add(
    stores: Stores,
    paths: Sequence[str | Path],
    documents: Iterable[Document],
    ignore: Sequence[str],
    metadata: Mapping[str, MetadataValue],
    progress: Progress | None,
) -> AddReport:
    """Index files, folders and documents, replacing what changed."""
    stores.expect_one()
    found = list(find_files(paths, ignore))
    if paths and documents == () and all(isinstance(item, Skipped) for item in found):
        return _nothing(found, stores.path)  # a mistyped path makes no store
    store = stores.open_or_create()
    with stores.writing(store) as (writer, sources):
        ingest = Ingest(store.settings, stores.model(store), writer, sources, progress)
        report = ingest.run(found, documents, metadata)
    return replace(report, store=stores.path)


@dataclass(frozen=True, slots=True)
class FolderSync:
    """Makes what a store holds of a folder equal the folder.

    Raises `UnreadableFile` when it is made for a folder that is missing or empty.
    """

    stores: Stores
    folder: Path
    ignore: Sequence[str]
    metadata: Mapping[str, MetadataValue]
    progress: Progress | None

    def __post_init__(self) -> None:
        expect_folder(self.folder)

    def run(self, leave: Collection[str] = ()) -> SyncReport:
        """Add what is new or changed and remove what is gone; ``leave`` some paths as they are."""
        store = self.stores.open_or_create()
        with self.stores.writing(store) as (writer, sources):
            difference = compare(self.folder, self.ignore, sources, self.metadata, leave)
            ingest = Ingest(
                store.settings, self.stores.model(store), writer, sources, self.progress
            )
            done = ingest.run(
                difference.found, (), self.metadata, difference.moved, difference.removed
            )
        return difference.report(replace(done, store=self.stores.path))

    def rehearse(self) -> SyncReport:
        """Return what would be done."""
        try:
            store = self.stores.open()
        except StoreMissing:
            return compare(self.folder, self.ignore, None, self.metadata).report()
        with store.sources() as sources:
            return compare(self.folder, self.ignore, sources, self.metadata).report()

    def follow(self, interval_s: float) -> Iterator[SyncReport]:
        """Run for ever, a file at a time, once each has rested for ``interval_s`` seconds."""
        if not 0 < interval_s <= _LONGEST_INTERVAL_S:
            raise InputError("the interval", interval_s, "above 0 and at most a day, in seconds")
        yield from follow(rounds(self.folder, self.ignore, interval_s), self.run)


def remove(stores: Stores, names: Sequence[str]) -> list[DocumentRef]:
    """Remove documents, all or none; return what was removed."""
    store = stores.open()
    with stores.writing(store) as (writer, _):
        with store.reading() as snapshot:
            found = {ref.id: ref for name in names for ref in matching(snapshot, name)}
        if found:
            sources = {ref.source for ref in found.values()}
            writer.commit(remove=list(found), forget=sources)
    return list(found.values())


def _nothing(found: Sequence[Path | Skipped], store: Path) -> AddReport:
    """Return the report of an add that found no file."""
    skipped = tuple(item for item in found if isinstance(item, Skipped))
    return AddReport(0, 0, 0, 0, 0, skipped, 0.0, store)
