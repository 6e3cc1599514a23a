"""Everything that bridgerag raises on purpose.

    BridgeError
    ├── InputError (ValueError)            an argument is out of range
    ├── UnreadableFile                     a file cannot be indexed; `reason` says why
    ├── DocumentNotFound (LookupError)     no document has that id, source or path
    ├── MissingExtra (ImportError)         an optional package is not installed
    ├── ModelError                         an embedding or language model did not answer
    └── StoreError
        ├── StoreMissing                   nothing is at that path
        ├── NotAStore                      something else is at that path
        ├── StoreReadOnly                  the store cannot be written
        ├── StoreBusy                      another process is writing
        ├── StoreDamaged                   a file is missing, cut short or altered
        ├── FormatTooNew                   a later release wrote it
        ├── StoreOutdated                  an earlier release wrote it, and it lacks what is needed
        └── ModelMismatch                  another embedding model built it

Every message says what was found, what was expected, and the remedy. The command line and the
server catch `BridgeError` and nothing wider.
"""

from __future__ import annotations

from pathlib import Path

__all__ = [
    "BridgeError",
    "DocumentNotFound",
    "FormatTooNew",
    "InputError",
    "MissingExtra",
    "ModelError",
    "ModelMismatch",
    "NotAStore",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreMissing",
    "StoreOutdated",
    "StoreReadOnly",
    "UnreadableFile",
]


class BridgeError(Exception):
    """Base of every error below."""


class InputError(BridgeError, ValueError):
    """An argument is out of its range."""

    def __init__(self, name: str, found: object, expected: str) -> None:
        self.name, self.found, self.expected = name, found, expected
        super().__init__(f"{name} is {found!r}; it must be {expected}")


class UnreadableFile(BridgeError):
    """A file cannot be turned into a document."""

    def __init__(self, source: str | Path, reason: str) -> None:
        self.source, self.reason = str(source), reason
        super().__init__(f"{self.source!r} cannot be read: {reason}")


class DocumentNotFound(BridgeError, LookupError):
    """No document in the store has that id, source or path."""

    def __init__(self, name: str, documents: int) -> None:
        self.name, self.documents = name, documents
        super().__init__(
            f"no document is called {name!r} among the {documents} in this store; "
            "`bridgerag tree` lists them"
        )


class MissingExtra(BridgeError, ImportError):
    """An optional package is not installed."""

    def __init__(self, purpose: str, extra: str) -> None:
        self.purpose, self.extra = purpose, extra
        super().__init__(f"{purpose} needs the extra {extra!r}: pip install 'bridgerag[{extra}]'")


class ModelError(BridgeError):
    """An embedding or language model could not be loaded or did not answer."""

    def __init__(self, model: str, problem: str, remedy: str) -> None:
        self.model, self.problem, self.remedy = model, problem, remedy
        super().__init__(f"{model}: {problem}; {remedy}")


class StoreError(BridgeError):
    """Base of what can be wrong with a store; `path` is the store's folder or file."""

    def __init__(self, path: Path, message: str) -> None:
        self.path = path
        super().__init__(message)


class StoreMissing(StoreError):
    """Nothing is at that path."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, f"there is no store at {path}; make one with `bridgerag add FOLDER`")


class NotAStore(StoreError):
    """The path holds something that is not a store."""

    def __init__(self, path: Path, found: str) -> None:
        self.found = found
        super().__init__(path, f"{path} is {found}, not a store; name another place with --store")


class StoreReadOnly(StoreError):
    """The store's folder cannot be written."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path, f"{path} cannot be written; give yourself write permission or copy the store"
        )


class StoreBusy(StoreError):
    """Another process holds the writer's lock."""

    def __init__(self, path: Path, waited_s: float) -> None:
        self.waited_s = waited_s
        super().__init__(
            path, f"another process is writing {path}; waited {waited_s:.0f} s, try again later"
        )


class StoreDamaged(StoreError):
    """A file of the store is missing, cut short or altered."""

    def __init__(self, path: Path, problem: str) -> None:
        self.problem = problem
        super().__init__(
            path,
            f"{path} is damaged: {problem}; `bridgerag check --repair` makes anew what it can",
        )


class FormatTooNew(StoreError):
    """The store was written by a later release."""

    def __init__(self, path: Path, found: int, newest: int) -> None:
        self.found, self.newest = found, newest
        super().__init__(
            path, f"{path} has format {found}, this release reads up to {newest}; upgrade bridgerag"
        )


class StoreOutdated(StoreError):
    """The store was written by an earlier release, and lacks what is asked for."""

    def __init__(self, path: Path, found: int, needed: int, lacks: str) -> None:
        self.found, self.needed = found, needed
        super().__init__(
            path,
            f"{path} has format {found} and lacks {lacks}, which format {needed} has; "
            "`bridgerag check --repair` adds what is lacking, and embeds nothing again",
        )


class ModelMismatch(StoreError):
    """The store's vectors come from another embedding model."""

    def __init__(self, path: Path, found: str, expected: str) -> None:
        self.found, self.expected = found, expected
        super().__init__(
            path,
            f"{path} was built with the embedding model {found}, and {expected} was asked for; "
            "leave the model out, or change the store's with `bridgerag reembed`",
        )
