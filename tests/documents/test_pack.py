"""The native packer agrees with a slow twin, and refuses what cannot be packed."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag._native import pack
from documents import pack_twin


@st.composite
def cases(draw):
    """Units of a few letters with gaps between them, in sections that may be empty."""
    sections, units, borders, groups, pieces = [], [], [0], [], []
    at = 0
    for _ in range(draw(st.integers(1, 5))):
        start = at
        for size in draw(st.lists(st.integers(1, 4), max_size=12)):
            units.append((at, at + size))
            pieces.append("x" * (size - 1) + draw(st.sampled_from("x.!a。")) + " ")
            at += size + 1
        sections.append((start, at))
        borders.append(len(units))
        groups.append((groups[-1] if groups else 0) + draw(st.integers(0, 1)))
    sizes = [draw(st.integers(1, 20)) for _ in units]
    return "".join(pieces), units, sizes, borders, sections, groups, draw(st.integers(1, 80))


@given(cases())
def test_the_packer_agrees_with_its_twin(case):
    text, units, sizes, borders, sections, groups, target = case
    first, tokens, homes = pack(
        text,
        np.array(units, np.uint32).reshape(-1, 2),
        np.arange(len(units), dtype=np.uint32),
        np.array(sizes, np.uint32),
        np.array(borders, np.uint32),
        np.array(sections, np.uint32).reshape(-1, 2),
        np.array(groups, np.uint32),
        target,
    )
    assert (first[:-1].tolist(), homes.tolist()) == pack_twin.pack(*case)
    assert tokens.tolist() == [sum(range(a, b)) for a, b in pairwise(first.tolist())]
    assert first[-1] == len(units)


def rows(*values):
    return np.array(values, np.uint32)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"sizes": rows(1)}, "a size a unit"),
        ({"tokens": rows(1)}, "tokens and a size"),
        ({"borders": rows(0, 1)}, "borders must ascend"),
        ({"groups": rows(0, 0)}, "a group a section"),
        ({"units": rows((0, 1), (1, 1))}, "a unit is empty"),
    ],
)
def test_what_does_not_fit_together_is_refused(changed, problem):
    given_ = {
        "text": "a b",
        "units": rows((0, 1), (2, 3)),
        "tokens": rows(1, 1),
        "sizes": rows(1, 1),
        "borders": rows(0, 2),
        "sections": rows((0, 3)),
        "groups": rows(0),
        "target": 4,
    }
    pack(**given_)
    with pytest.raises(ValueError, match=problem):
        pack(**given_ | changed)
    with pytest.raises(IndexError):
        pack(**given_ | {"units": rows((0, 1), (2, 4))})
