"""Write the fuzz seeds: payloads of small real stores, and of indexes with rare shapes.

    python native/fuzz/make_seeds.py

Run it again when a payload's layout changes; the seeds belong into the repository. Those that are
named after an early layout stay: that layout is still read.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import bridgerag
from bridgerag._native import EntityIndex, LexicalIndex, NameIndex
from bridgerag.store.files import map_file
from bridgerag.store.segment import FILES

SEEDS = Path(__file__).parent / "seeds"
PAYLOADS = {
    "entity_index": "entities.bin",
    "forest": "forest.bin",
    "lexical": "lexical.bin",
    "name_index": "names.bin",
}
SENTENCES = (
    "Ilse Varrow leads the Redis Cluster team.",
    "The Varnish Layer was dropped in May, and nobody misses the Varnish Layer.",
    "Tavish Ureno wrote the report on caching for the Redis Cluster.",
    "机器学习很重要。",
    "Sessions expire after 30 minutes; the Redis Cluster keeps them.",
)
STORES = {"one-chunk": (1, 1), "one-document": (1, 5), "documents": (3, 12)}


def main() -> None:
    """Write all seeds of all targets."""
    for name, (documents, sentences) in STORES.items():
        for target, payload in store_payloads(documents, sentences).items():
            write(target, name, payload)
    none, word = np.zeros(0, np.uint64), np.zeros(0, np.uint32)
    write("entity_index", "empty", EntityIndex.build(none, word).to_bytes())
    write("lexical", "empty", LexicalIndex.build(none, word, 3).to_bytes())
    write("entity_index", "stash", stashed())
    often = np.ones(70_000, np.uint64), np.zeros(70_000, np.uint32)
    write("name_index", "empty", NameIndex.build([]).to_bytes())
    write("lexical", "often", LexicalIndex.build(*often, 1).to_bytes())


def store_payloads(documents: int, sentences: int) -> dict[str, bytes]:
    """Return the payloads of the only segment of a store, by target."""
    settings = bridgerag.Settings(embedding="none", chunk_tokens=16, window=2, branching=2)
    texts = [
        " ".join(SENTENCES[(d + s) % len(SENTENCES)] for s in range(sentences))
        for d in range(documents)
    ]
    with tempfile.TemporaryDirectory() as folder:
        with bridgerag.open(Path(folder) / "store", settings=settings) as bridge:
            bridge.add(
                documents=[
                    bridgerag.Document(f"{d}", f"Note {d}", "", text)
                    for d, text in enumerate(texts)
                ]
            )
        (segment,) = (Path(folder) / "store" / "segments").iterdir()
        return {
            target: bytes(map_file(segment / file, FILES[file]).payload)
            for target, file in PAYLOADS.items()
        }


def stashed() -> bytes:
    """Return an entity index whose stash is not empty: keys that agree in all the bits used."""
    fingerprint, bucket = 0xABC << 52, 5
    mixed = [fingerprint | i << 32 | bucket for i in range(9)]
    keys = np.array([unmix(key) for key in mixed], np.uint64)
    return EntityIndex.build(keys, np.arange(9, dtype=np.uint32)).to_bytes()


def unmix(x: int) -> int:
    """Return the key that the core's mixer turns into ``x``."""
    for multiplier, shift in ((0x94D049BB133111EB, 31), (0xBF58476D1CE4E5B9, 27), (1, 30)):
        x = x ^ x >> shift ^ x >> 2 * shift
        x = x * pow(multiplier, -1, 2**64) % 2**64
    return x


def write(target: str, name: str, payload: bytes) -> None:
    """Write one seed."""
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(payload)


if __name__ == "__main__":
    main()
