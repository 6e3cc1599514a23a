"""Open a store, or get ready to make one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from bridgerag.engine.bridge import Bridge
from bridgerag.errors import InputError, StoreMissing
from bridgerag.protocols import Embedder, Recognizer
from bridgerag.settings import Settings

__all__ = ["open_bridge"]

DEFAULT_STORE = "bridge.store"


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
