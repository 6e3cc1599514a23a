"""Which methods a comparison runs, each under the label that tables show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bridgerag.errors import InputError
from bridgerag.retrieval import METHODS

__all__ = [
    "DEFAULT_STORE",
    "NO_LIFT",
    "NO_LIFT_STORE",
    "Variant",
    "every_method",
    "in_table_order",
    "variants",
]

NO_LIFT = "bridge-no-lift"
"""`bridge` over a store in which no entity is lifted: the plain paper."""

DEFAULT_STORE, NO_LIFT_STORE = "default", "no-lift"

_DEEP = "bridge"  # is run at every depth
_DEPTH = 2  # what `search` takes when nobody says


@dataclass(frozen=True, slots=True)
class Variant:
    """A method as it is run.

    Attributes:
        label: unique; names it in results and tables.
        method: what `Bridge.search` knows it by.
        depth: levels up and down the forest; most methods pass over it.
        store: `DEFAULT_STORE`, or `NO_LIFT_STORE`.
    """

    label: str
    method: str
    depth: int = _DEPTH
    store: str = DEFAULT_STORE


def every_method() -> tuple[str, ...]:
    """Return the names that `variants` knows, in the order of tables."""
    names = list(METHODS)
    names.insert(names.index(_DEEP) + 1, NO_LIFT)
    return tuple(names)


def variants(methods: Sequence[str], depths: Sequence[int]) -> tuple[Variant, ...]:
    """Return what is run for ``methods``, in the order of `every_method`, whatever theirs is.

    Args:
        depths: for ``"bridge"``, which is run once for each, in ascending order.

    Raises:
        InputError: a method is unknown or none is given, or a depth is below 0.
    """
    known = every_method()
    for name in methods:
        if name not in known:
            raise InputError("method", name, "one of " + ", ".join(known))
    if not methods:
        raise InputError("methods", "", "at least one of " + ", ".join(known))
    if not depths or min(depths) < 0:
        raise InputError("depths", list(depths), "one or more numbers, 0 or more each")
    found: list[Variant] = []
    for name in known:
        if name not in methods:
            continue
        if name == _DEEP:
            found += [Variant(f"{name} d={depth}", name, depth) for depth in sorted(set(depths))]
        elif name == NO_LIFT:
            found.append(Variant("bridge no-lift", _DEEP, store=NO_LIFT_STORE))
        else:
            found.append(Variant(name, name))
    return tuple(found)


def in_table_order(found: Iterable[Variant]) -> list[Variant]:
    """Return what is run in the order of `every_method`, and by depth."""
    known = every_method()

    def place(variant: Variant) -> tuple[int, int]:
        name = NO_LIFT if variant.store == NO_LIFT_STORE else variant.method
        return (known.index(name) if name in known else len(known)), variant.depth

    return sorted(found, key=place)
