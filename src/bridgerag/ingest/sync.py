"""What separates a store from a folder, file by file: what a `sync` would do, or does.

A file is known by its path. One that is gone and one that is new with the same bytes are one file
that was moved. What cannot be looked at now is never taken for gone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from bridgerag.documents import document_id, find_files
from bridgerag.errors import UnreadableFile
from bridgerag.ingest.changes import look
from bridgerag.ingest.clean import clean_metadata
from bridgerag.store import SourceRow, Sources, dump_json
from bridgerag.types import AddReport, MetadataValue, Moved, Skipped, SyncReport

__all__ = ["Difference", "compare", "expect_folder", "refused"]


@dataclass(slots=True)
class Difference:
    """What separates a store from a folder. Paths are sources: absolute, with ``/``.

    Attributes:
        files: the path of every file that is there, by its source.
        renewed: unchanged files whose recorded time is no proof of it.
        moved: where a file was before, by its source now.
        skipped: what the walk could not look at, or does not read.
    """

    files: dict[str, Path] = field(default_factory=dict)
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    renewed: list[str] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    @property
    def found(self) -> list[Path | Skipped]:
        """What is to be added."""
        sources = (*self.added, *self.moved, *self.changed, *self.renewed)
        return [*self.skipped, *(self.files[source] for source in sorted(sources))]

    def report(self, done: AddReport | None = None) -> SyncReport:
        """Return the difference for people, without files that in the end could not be read."""
        skipped = tuple(self.skipped) if done is None else done.skipped
        failed = {item.source for item in skipped if item.row is None}
        return SyncReport(
            added=_without(self.added, failed),
            changed=_without(self.changed, failed),
            moved=tuple(
                Moved(old, new) for new, old in sorted(self.moved.items()) if new not in failed
            ),
            removed=tuple(self.removed),
            unchanged=tuple(self.unchanged),
            skipped=skipped,
            done=done,
        )


def expect_folder(folder: Path) -> None:
    """Raise `UnreadableFile` unless ``folder`` is one."""
    if not folder.is_dir():
        problem = "is not a folder" if folder.exists() else "does not exist"
        raise UnreadableFile(document_id(folder), f"it {problem}; nothing was changed")


def compare(
    folder: Path,
    ignore: Sequence[str],
    catalog: Sources | None,
    metadata: Mapping[str, MetadataValue],
    leave: Collection[str] = (),
) -> Difference:
    """Return what separates the store from ``folder``.

    Args:
        catalog: of the store; None when there is none yet.
        metadata: a file whose documents were given other metadata counts as changed.
        leave: sources that are left as they are, whether they are there or not.

    Raises:
        UnreadableFile: the folder is missing, or holds nothing at all while the store holds
            documents of it, as when a disk is not mounted.
    """
    difference = Difference()
    root = document_id(folder)
    expect_folder(folder)
    for item in find_files([folder], ignore):
        if isinstance(item, Skipped):
            difference.skipped.append(item)
        else:
            difference.files[document_id(item)] = item
    held = catalog.under(root) if catalog else {}
    if held and not difference.files and not difference.skipped:
        raise UnreadableFile(
            root,
            f"it is empty, and the store holds {len(held)} files of it; nothing was changed. "
            f"If they are meant to go, use `bridgerag remove '{root}/*'`",
        )
    left = set(leave)
    given = dump_json(clean_metadata(metadata)) if metadata else None
    for source in difference.files:
        if source not in left:
            _sort_in(difference, source, held, given)
    _find_gone(difference, held, left)
    return difference


def refused(error: UnreadableFile) -> SyncReport:
    """Return the report of a sync that was not done, because of the folder as a whole."""
    return SyncReport((), (), (), (), (), (Skipped(error.source, error.reason),), None)


def _sort_in(
    difference: Difference, source: str, held: Mapping[str, SourceRow | None], given: str | None
) -> None:
    """Say of one file that is there whether it is new, changed or as before."""
    if source not in held:
        difference.added.append(source)
        return
    known = held[source]
    try:
        state = known and look(difference.files[source], source, known)
    except UnreadableFile as error:
        difference.skipped.append(Skipped(source, error.reason))
    except OSError as error:
        problem = f"cannot be opened: {error.strerror or error}"
        difference.skipped.append(Skipped(source, problem))
    else:
        if (
            not known
            or not state
            or state.sha256 != known.sha256
            or given not in (None, known.given)
        ):
            difference.changed.append(source)
            return
        difference.unchanged.append(source)
        if state is not known:
            difference.renewed.append(source)


def _find_gone(
    difference: Difference, held: Mapping[str, SourceRow | None], left: set[str]
) -> None:
    """Say which files of the store are gone, and which of them are now elsewhere."""
    unseen = left | {item.source for item in difference.skipped}
    gone = [
        source
        for source in held
        if source not in difference.files
        and unseen.isdisjoint((source, *map(str, PurePosixPath(source).parents)))
    ]
    by_size: dict[int, list[SourceRow]] = defaultdict(list)
    for source in gone:
        state = held[source]
        if state is not None:
            by_size[state.size_bytes].append(state)
    for source in difference.added:
        path = difference.files[source]
        with suppress(UnreadableFile, OSError):  # then it is no move; adding it says why
            same_size = by_size[path.stat().st_size]
            digest = look(path, source, None).sha256 if same_size else b""
            for old in same_size:
                if old.sha256 == digest:
                    difference.moved[source] = old.path
                    same_size.remove(old)
                    break
    difference.added = [source for source in difference.added if source not in difference.moved]
    moved = set(difference.moved.values())
    difference.removed = [source for source in gone if source not in moved]


def _without(sources: Iterable[str], failed: set[str]) -> tuple[str, ...]:
    return tuple(source for source in sources if source not in failed)
