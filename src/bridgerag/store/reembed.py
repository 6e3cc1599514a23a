"""Give a store the vectors of another model, without reading its source files again."""

from __future__ import annotations

from collections.abc import Callable

from bridgerag.protocols import Embedder
from bridgerag.settings import Settings
from bridgerag.store.catalog import refusals, stored_format
from bridgerag.store.merge import Survivor, merge
from bridgerag.store.naming import NewSegment, sweep
from bridgerag.store.rebuild import with_vectors
from bridgerag.store.recorded import model_entries
from bridgerag.store.segment import Segment, segment_folder
from bridgerag.store.writer import Writer

__all__ = ["reembed"]


def reembed(
    writer: Writer,
    settings: Settings,
    embedder: Embedder,
    on_embedded: Callable[[int], None] | None = None,
) -> int:
    """Embed all chunks anew and record the model, all in one commit; return how many chunks.

    Readers go on with the old vectors until then. An interruption leaves the store as it was.

    Args:
        settings: the store's own, with the name of the new model.
        on_embedded: told how many chunks were embedded since its last call.

    Raises:
        StoreDamaged: a file that is carried over is altered.
    """
    new: list[NewSegment] = []
    with refusals(writer.store):
        sweep(writer.store, writer.connection)  # what an interrupted one left
        format_ = stored_format(writer.connection)
        query = "SELECT number, recipe FROM segments ORDER BY number"
        old = dict(writer.connection.execute(query).fetchall())
        for number, recipe in old.items():
            rows = writer.connection.execute(
                "SELECT number, place FROM documents WHERE segment = ? AND NOT removed ORDER BY id",
                (number,),
            ).fetchall()
            if not rows:
                continue
            numbers = [document for document, _ in rows]
            segment = Segment(segment_folder(writer.store, number), number, format_)
            content = merge([segment], [Survivor(0, place) for _, place in rows])
            content = with_vectors(content, writer.connection, numbers, embedder, on_embedded)
            new.append(writer.write(content, numbers, recipe, ahead=len(new)))
        writer.replace(list(old), new, model_entries(settings, embedder))
    return sum(segment.counts[1] for segment in new)
