"""Copy a store, as it is at one moment, while others read and write it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from bridgerag.errors import InputError, StoreDamaged, StoreError
from bridgerag.store.catalog import (
    CATALOG,
    DRAFT,
    SQLITE_ERRORS,
    connect,
    refusal,
    stored_format,
)
from bridgerag.store.files import sync_folder, verify
from bridgerag.store.segment import expected_files, segment_folder

__all__ = ["backup_store"]

_TRIES = 20


def backup_store(store: Path, destination: Path) -> None:
    """Copy the store to the new or empty folder ``destination``.

    The catalog is copied by SQLite from one snapshot, then the segments that this names. If a merge
    has deleted one of them meanwhile, all begins again. What is copied is compared with its
    checksums. An interruption leaves a folder without a catalog, which is no store.

    Raises:
        InputError: something is at ``destination``.
        StoreDamaged: a file of the store is altered.
        StoreError: the copy cannot be written.
    """
    if destination.exists() and (not destination.is_dir() or any(destination.iterdir())):
        raise InputError("the destination", str(destination), "a new or an empty folder")
    try:
        destination.mkdir(parents=True, exist_ok=True)
        for _ in range(_TRIES):
            if _copy(store, destination):
                return
    except SQLITE_ERRORS as error:
        raise refusal(store, error) from error
    except OSError as error:
        reason = error.strerror or error
        raise StoreError(
            destination, f"{destination} cannot be written: {reason}; name another place"
        ) from error
    raise StoreError(store, f"{store} changes too fast to be copied; try again later")


def _copy(store: Path, destination: Path) -> bool:
    """Copy everything; return False when a segment has been merged away meanwhile."""
    segments = destination / "segments"
    shutil.rmtree(segments, ignore_errors=True)
    segments.mkdir()
    draft = destination / DRAFT
    draft.unlink(missing_ok=True)
    with closing(connect(store / CATALOG)) as source, closing(sqlite3.connect(draft)) as target:
        source.backup(target)
        format_ = stored_format(target)
        numbers = [n for (n,) in target.execute("SELECT number FROM segments ORDER BY number")]
        for number in numbers:
            try:
                copy = segment_folder(destination, number)
                _copy_segment(segment_folder(store, number), copy, format_)
            except StoreDamaged:
                query = "SELECT 1 FROM segments WHERE number = ?"
                if source.execute(query, (number,)).fetchone():
                    raise
                return False
    sync_folder(segments)
    with draft.open("rb+") as file:
        os.fsync(file.fileno())
    draft.replace(destination / CATALOG)
    sync_folder(destination)
    return True


def _copy_segment(source: Path, destination: Path, format_: int) -> None:
    destination.mkdir()
    for name, kind in expected_files(source, format_).items():
        try:
            shutil.copyfile(source / name, destination / name)
        except FileNotFoundError as error:
            raise StoreDamaged(source / name, "the file is missing") from error
        try:
            verify(destination / name, kind)
        except StoreDamaged as error:
            raise StoreDamaged(source / name, error.problem) from error
        with (destination / name).open("rb+") as file:
            os.fsync(file.fileno())
    sync_folder(destination)
