"""Group points, each of which may belong to several groups: RAPTOR's clustering.

Source: Sarthi et al., "RAPTOR: Recursive Abstractive Processing for Tree-Organized Retrieval"
(ICLR 2024), section 3. As there: vectors are reduced to ten dimensions; a mixture of Gaussians is
fitted, of as many components as the Bayesian information criterion prefers, 50 at most; a point
belongs to every component that it comes from with a probability above 0.1; each group is then
reduced and divided once more on its own (global, then local); and a group whose texts are too long
for the summariser is divided again.

What stands in: the reduction is onto principal axes. The paper's UMAP takes minutes for
what takes seconds here; `umap_axes` is there for who has ``umap-learn`` and the time. And not every
number of components is tried, but 1, 2, 4, 8, ... and then what lies beside the best of them.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridgerag.errors import MissingExtra
from bridgerag.types import Vectors

__all__ = ["DIMS", "Reduce", "Rows", "cluster", "mixture", "principal_axes", "umap_axes"]

DIMS = 10
_THRESHOLD = 0.1
_MOST_COMPONENTS = 50
_LEAST_POINTS = DIMS + 1  # a component, on average: fewer do not span its axes
_LOCAL_NEIGHBOURS = 10
_ROUNDS = 50  # of expectation and maximisation
_WHOLE = 0.9  # a group with more than this share of the points was not divided
_SEED = 0
_ALONE = threading.Lock()  # the limit on threads is the whole process's

Rows = NDArray[np.intp]
Floats = NDArray[np.float64]
Reduce = Callable[[Vectors, int], Floats]
"""From vectors, and how many neighbours of each count, to as many points of few dimensions."""


def cluster(
    vectors: Vectors, lengths: NDArray[np.int64], longest: int, reduce: Reduce | None = None
) -> list[Rows]:
    """Return groups of rows, each ascending, none twice; every row is in one group or more.

    Args:
        vectors: shape ``(n, dim)``, unit length; n is 1 or more.
        lengths: shape ``(n,)``, tokens of each row's text.
        longest: tokens that the texts of a group may have; a single row may have more.
        reduce: `principal_axes` when left out.

    The same input gives the same groups.

    Raises:
        MissingExtra: scikit-learn is not installed.

    Cost: about 1.5 ms a row on one core.
    """
    try:
        import sklearn.mixture  # noqa: F401, PLC0415 - an extra, and heavy

        limits = import_module("threadpoolctl").threadpool_limits  # which comes with it
    except ImportError as error:
        raise MissingExtra("clustering", "eval") from error
    divide = _Divide(vectors, lengths, longest, reduce or principal_axes)
    # One thread: sums taken in another order would give other groups on the next run. What is to be
    # limited must be loaded before.
    with _ALONE, limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fits that did not converge: they are compared anyway
        groups = {rows.tobytes(): rows for rows in divide(np.arange(len(vectors)))}
    return list(groups.values())


class _Divide:
    """Divides rows globally, then locally, then what is too long anew."""

    def __init__(
        self, vectors: Vectors, lengths: NDArray[np.int64], longest: int, reduce: Reduce
    ) -> None:
        self._vectors, self._lengths, self._longest = vectors, lengths, longest
        self._reduce = reduce

    def __call__(self, rows: Rows) -> Iterator[Rows]:
        for wide in self._soft(rows, math.isqrt(len(rows))):
            for group in self._soft(wide, _LOCAL_NEIGHBOURS):
                yield from self._shortened(group)

    def _shortened(self, group: Rows) -> Iterator[Rows]:
        """Yield the group, or what it is divided into until nothing is too long."""
        parts = min(len(group), math.ceil(self._lengths[group].sum() / self._longest))
        if parts <= 1:
            yield group
            return
        divided = self._soft(group, _LOCAL_NEIGHBOURS, parts)
        if max(map(len, divided)) > _WHOLE * len(group):  # there is nothing to tell apart
            order = np.argsort(principal_axes(self._vectors[group])[:, 0], kind="stable")
            divided = [np.sort(part) for part in np.array_split(group[order], parts)]
        for part in divided:
            yield from self._shortened(part)

    def _soft(self, rows: Rows, neighbours: int, fewest: int = 1) -> list[Rows]:
        """Return the rows of each component that holds any; few rows stay together."""
        if len(rows) <= DIMS + 1:
            return [rows]
        points = self._reduce(self._vectors[rows], neighbours)
        belongs = mixture(points, fewest) > _THRESHOLD
        belongs[np.arange(len(rows)), belongs.argmax(axis=1)] |= ~belongs.any(axis=1)
        return [rows[column] for column in belongs.T if column.any()]


def mixture(points: Floats, fewest: int = 1) -> Floats:
    """Return how probably each point comes from each component, shape ``(n, components)``.

    The components are as many as the Bayesian information criterion prefers, which is searched
    from ``fewest`` on: doubled until it got worse twice, then between the best and its neighbours,
    to within a tenth. At most 50, and one for 11 points.

    Args:
        points: shape ``(n, d)``; n is 2 or more.
    """
    from sklearn.mixture import GaussianMixture  # noqa: PLC0415

    most = min(_MOST_COMPONENTS, max(1, len(points) // _LEAST_POINTS))
    fits: dict[int, Any] = {}

    def criterion(count: int) -> float:
        if count not in fits:
            model = GaussianMixture(count, max_iter=_ROUNDS, random_state=_SEED)
            fits[count] = model.fit(points).bic(points), model
        return float(fits[count][0])

    count, worse = min(fewest, most), 0
    while worse < 2 and count not in fits:
        worse = worse + 1 if criterion(count) > min(map(criterion, fits)) else 0
        count = min(most, 2 * count)
    while untried := _between(min(fits, key=criterion), sorted(fits)):
        for count in untried:
            criterion(count)
    probabilities: Floats = fits[min(fits, key=criterion)][1].predict_proba(points)
    return probabilities


def _between(best: int, tried: list[int]) -> list[int]:
    """Return the numbers half-way to what was tried beside the best, unless they are near to it."""
    place = tried.index(best)
    middles = [(best + other) // 2 for other in tried[max(0, place - 1) : place + 2]]
    return [middle for middle in middles if middle not in tried and 10 * abs(middle - best) > best]


def principal_axes(vectors: Vectors, neighbours: int = 0) -> Floats:
    """Return the vectors on their ten widest axes, or on all where they have fewer."""
    centred = vectors - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    return np.ascontiguousarray(centred @ axes[:, : -DIMS - 1 : -1])


def umap_axes(vectors: Vectors, neighbours: int) -> Floats:
    """Return the vectors in the ten dimensions that UMAP finds, as in the paper.

    Raises:
        MissingExtra: umap-learn is not installed.
    """
    try:
        umap = import_module("umap")  # an extra, and 18 seconds of a processor
    except ImportError as error:
        raise MissingExtra("reducing dimensions by UMAP", "umap") from error
    model = umap.UMAP(
        n_neighbors=max(2, neighbours),
        n_components=min(DIMS, len(vectors) - 2),
        metric="cosine",
        random_state=_SEED,
    )
    return np.asarray(model.fit_transform(vectors), np.float64)
