"""The stores that a comparison searches: built once inside the run, or brought along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from bridgerag.engine import Bridge, open_bridge
from bridgerag.errors import UnreadableFile
from bridgerag.evaluation.dataset import Dataset
from bridgerag.evaluation.records import StoreCost
from bridgerag.evaluation.remember import RememberingEmbedder
from bridgerag.evaluation.results import RunFolder
from bridgerag.evaluation.variants import DEFAULT_STORE
from bridgerag.protocols import Progress
from bridgerag.settings import Settings
from bridgerag.types import AddReport

__all__ = ["existing_store", "open_stores"]


def existing_store(path: Path, wanted: Mapping[str, str | int | float]) -> tuple[Settings, str]:
    """Return the settings of the store at ``path``, and a hash of what it holds.

    Raises:
        StoreMissing: nothing is there.
        InputError: it was not built with those that are ``wanted``, by name.
    """
    with open_bridge(path, settings=wanted) as bridge:
        status = bridge.status()
    return Settings(**status.settings), status.content_hash  # type: ignore[arg-type]  # as recorded


@contextmanager
def open_stores(
    results: RunFolder,
    dataset: Dataset,
    names: Sequence[str],
    settings: Settings,
    embedder: RememberingEmbedder,
    given: Path | None,
    progress: Progress | None,
) -> Iterator[dict[str, Bridge]]:
    """Give the engines over the stores called ``names``, built where they are not there yet.

    Args:
        names: ``"default"``, and ``"no-lift"``: the same without lifting.
        given: takes the place of the default store, and is only read.

    Raises:
        UnreadableFile: not one document could be indexed.
    """
    costs = results.header().get("stores", {})
    with ExitStack() as stack:
        bridges: dict[str, Bridge] = {}
        for name in names:
            how = settings if name == DEFAULT_STORE else replace(settings, lift=1.0)
            path = results.path / "stores" / name
            if name == DEFAULT_STORE and given is not None:
                path = given
            # Of documents that were there before, or vectors out of memory, the time is not known.
            timed = not path.exists() and (embedder.embedded == 0 or embedder.dim == 0)
            built = path == given or (name in costs and path.exists())
            bridge = stack.enter_context(open_bridge(path, settings=asdict(how), embedder=embedder))
            bridges[name] = bridge
            if not built:
                report = bridge.add(dataset.documents, ignore=dataset.ignore, progress=progress)
                _check(results, dataset, report)
                costs[name] = _cost(bridge, report.seconds if timed else None)
            elif name not in costs:
                costs[name] = _cost(bridge, None)
            results.update(stores=costs)
        yield bridges


def _check(results: RunFolder, dataset: Dataset, report: AddReport) -> None:
    """Refuse when nothing was indexed, and record what was left out."""
    first = report.skipped[0] if report.skipped else None
    if not report.added + report.changed + report.unchanged:
        reason = first.reason if first else "it holds no documents"
        raise UnreadableFile(dataset.documents, f"nothing was indexed: {reason}")
    if first:
        results.note(
            "skipped",
            f"{len(report.skipped)} files or rows could not be indexed, the first of them "
            f"{Path(first.source).name!r}: {first.reason}.",
        )


def _cost(bridge: Bridge, seconds: float | None) -> dict[str, object]:
    status = bridge.status()
    return asdict(StoreCost(status.documents, status.chunks, status.size_bytes, seconds))
