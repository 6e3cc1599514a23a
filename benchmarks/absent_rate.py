"""How often the paper's variant answers for an entity that is not there.

    python -m benchmarks.absent_rate

A 12-bit fingerprint is compared with up to eight slots, so theory says 8 * load / 4096. With
verification, which is how bridgerag always runs, the rate is 0; that is printed too.
"""

from __future__ import annotations

import numpy as np

from bridgerag._native import EntityIndex

ABSENT = 2_000_000


def main() -> None:
    print(f"{'entities':>9} {'load':>6} {'measured':>9} {'theory':>9} {'ratio':>6} {'verified':>9}")
    for entities in (50_000, 100_000, 250_000, 1_000_000):
        random = np.random.default_rng(entities)
        keys = random.integers(0, 2**64, entities, np.uint64)
        abstracts = random.integers(0, 10_000, entities).astype(np.uint32)
        absent = random.integers(0, 2**64, ABSENT, np.uint64)
        exact, paper = (EntityIndex.build(keys, abstracts, verify) for verify in (True, False))
        rate, verified = (np.count_nonzero(i.count_many(absent)) / ABSENT for i in (paper, exact))
        theory = 8 * paper.load / 4096
        print(
            f"{entities:9,} {paper.load:6.3f} {rate:9.4%} {theory:9.4%} {rate / theory:6.3f} "
            f"{verified:9.4%}"
        )


if __name__ == "__main__":
    main()
