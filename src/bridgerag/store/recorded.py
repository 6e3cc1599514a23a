"""What a store records of how it is built: its settings and its embedding model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from bridgerag.errors import StoreDamaged
from bridgerag.protocols import Embedder
from bridgerag.settings import Settings
from bridgerag.store.catalog import CATALOG, dump_json

__all__ = ["model_entries", "read_settings"]

# Settings that came later are left out at their defaults: a store of before has the same record,
# and with it the same content hash, as one that is made now.
_LATER = {"windows": "fixed"}


def model_entries(settings: Settings, embedder: Embedder) -> dict[str, str]:
    """Return what a store records of how it is built."""
    recorded = {
        name: value
        for name, value in asdict(settings).items()
        if name not in _LATER or value != _LATER[name]
    }
    return {
        "settings": dump_json(recorded),
        "embedding_name": embedder.name,
        "embedding_fingerprint": embedder.fingerprint,
        "embedding_dim": str(embedder.dim),
    }


def read_settings(path: Path, entries: Mapping[str, str]) -> Settings:
    """Return the settings of the store at ``path``. Raises `StoreDamaged`."""
    try:
        int(entries["embedding_dim"]), entries["embedding_name"], entries["embedding_fingerprint"]
        return Settings(**json.loads(entries["settings"]))
    except (KeyError, TypeError, ValueError) as error:  # InputError is a ValueError
        raise StoreDamaged(path / CATALOG, f"its settings cannot be read: {error}") from error
