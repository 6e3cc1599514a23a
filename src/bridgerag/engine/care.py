"""Keep a store sound, and its vectors those of the model one wants."""

from __future__ import annotations

from dataclasses import replace

from bridgerag.embedding import open_embedder
from bridgerag.engine.stores import Stores
from bridgerag.protocols import Embedder, Progress
from bridgerag.store.check import check_store
from bridgerag.store.reembed import reembed as embed_anew
from bridgerag.store.repair import repair_store
from bridgerag.types import CheckReport

__all__ = ["check", "reembed"]


def check(stores: Stores, repair: bool) -> CheckReport:
    """Compare everything in the store with what its texts give, once repaired where that is asked.

    See `Bridge.check`.
    """
    store = stores.open()
    repaired: list[str] = []
    if repair:
        with stores.writing(store) as (writer, _):
            repaired = repair_store(store, writer, lambda: stores.model(store))
    return check_store(store, repaired)


def reembed(
    stores: Stores, name: str | None, embedder: Embedder | None, progress: Progress | None
) -> int:
    """Embed all chunks by another model, named or given; see `Bridge.reembed`."""
    store = stores.open()
    with stores.writing(store) as (writer, _):
        settings = replace(store.settings, embedding=name or store.settings.embedding)
        new = embedder or open_embedder(settings.embedding)
        with store.reading() as snapshot:
            total = snapshot.chunks
        done = 0

        def report(chunks: int) -> None:
            nonlocal done
            done += chunks
            if progress is not None:
                progress("chunks", done, total)

        chunks = embed_anew(writer, settings, new, report)
    stores.took_over(new, given=embedder is not None)
    return chunks
