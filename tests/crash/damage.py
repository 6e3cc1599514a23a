"""Cut every file of a store short and flip its bits; each answer is an error or the right one.

    python tests/crash/damage.py --cuts 50 --flips 500 --seed 1

After each cut or flip a new process opens the copy, searches it in every method, with and without
a filter, reads every text and tree, lists, counts and checks it, and compacts it. Whatever it gives
must be a `BridgeError` or what the whole store gives; a crash, another error or another answer is a
fault, and so is a compaction that turns damage into a sound store with other contents.
"""

import argparse
import multiprocessing
import random
import shutil
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bridgerag.errors import BridgeError
from bridgerag.retrieval import METHODS
from crash.toy import NAMES, document, open_toy, scratch

QUESTIONS = (f"Who met {NAMES[0]} about topic 3?", "topic 7", "Who is Nobody Known here?")


@dataclass(frozen=True)
class Damage:
    """One file that was cut to ``size`` bytes, or has one bit turned over."""

    file: str
    size: int | None = None
    bit: int | None = None

    def apply(self, store):
        path = store / self.file
        whole = bytearray(path.read_bytes())
        if self.size is not None:
            del whole[self.size :]
        else:
            whole[self.bit // 8] ^= 1 << self.bit % 8
        path.write_bytes(whole)


def prepare(path):
    """Make a store with three segments and a removed document."""
    with open_toy(path) as bridge:
        for first in (0, 10, 20):
            bridge.add(documents=[document(first + n) for n in range(10)])
        bridge.remove("d011")


def damages(store, cuts, flips, seed):
    """Return ``cuts`` places in every file, and ``flips`` bits over all files."""
    chance = random.Random(seed)
    sizes = {str(p.relative_to(store)): p.stat().st_size for p in sorted(store.rglob("*.*"))}
    sizes = {name: size for name, size in sizes.items() if size}
    chosen = [
        Damage(name, size=place)
        for name, size in sizes.items()
        for place in sorted(chance.sample(range(size), min(cuts, size)))
    ]
    flipped = chance.choices(list(sizes), list(sizes.values()), k=flips // 2)
    flipped += chance.choices(list(sizes), k=flips - flips // 2)  # small files get their share
    return chosen + [Damage(name, bit=chance.randrange(8 * sizes[name])) for name in flipped]


def answers(path):
    """Yield the name of each thing that a store is asked, and its answer or its error."""
    bridge = open_toy_or_error(path)
    if isinstance(bridge, BridgeError):
        yield "open", bridge
        return
    with bridge:
        for method in sorted(METHODS):
            for where in (None, "year >= 2020"):  # outside: some methods build an index for each
                for question in QUESTIONS:
                    yield f"search {method}", _try(_search, bridge, question, method, where)
        yield "documents", _try(bridge.documents)
        for number in (0, 7, 12, 29):
            yield "text", _try(bridge.text, f"d{number:03}")
            yield "tree", _try(bridge.tree, f"d{number:03}")
        yield "status", _try(_status, bridge)
        yield "check", _try(_sound, bridge)
        yield "compact", _try(_compacted, bridge)


def open_toy_or_error(path):
    try:
        return open_toy(path)
    except BridgeError as error:
        return error


def _try(ask, *arguments):
    try:
        return ask(*arguments)
    except BridgeError as error:
        assert str(error)
        return error


def _search(bridge, question, method, where):
    found = bridge.search(question, k=20, method=method, where=where)
    return found.hits, found.abstracts, found.entities, found.fallback


def _status(bridge):
    """Return what a status says but sizes, which a cut may change."""
    status = bridge.status()
    return (status.documents, status.chunks, status.abstracts, status.entities, status.segments,
            status.text_chars, status.embedding, tuple(status.settings.items()))  # fmt: skip


def _sound(bridge):
    """Return True for a sound store; say it as an error for a damaged one."""
    problems = bridge.check().problems
    if problems:
        raise BridgeError(problems[0])
    return True


def _compacted(bridge):
    """Return what a store holds after a compaction, which must not lend damage a checksum."""
    bridge.compact()
    return [(ref, bridge.text(ref.id)) for ref in bridge.documents()] + [
        _search(bridge, question, method, None) for question in QUESTIONS[:2] for method in METHODS
    ]


def look(original, folder, chosen, pipe):
    """Damage a copy for each of ``chosen`` and send what came of it."""
    warnings.simplefilter("ignore")
    expected = list(answers(_copy(original, folder)))
    for damage in chosen:
        store = _copy(original, folder)
        damage.apply(store)
        faults, errors = [], 0
        try:
            for (name, found), (_, right) in zip(answers(store), expected, strict=False):
                if isinstance(found, BridgeError):
                    errors += 1
                elif found != right:
                    faults.append(f"{name}: another answer")
        except BaseException as error:
            faults.append(f"{type(error).__name__}: {error}")
        pipe.send((faults, errors))
    pipe.send(None)


def _copy(original, folder):
    store = Path(folder) / "copy"
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(original, store)
    return store


def play(folder, cuts, flips, seed, say=None):
    """Damage a store many times; return the faults, and counts of what happened."""
    original = Path(folder) / "store"
    prepare(original)
    left = damages(original, cuts, flips, seed)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bridgerag", "crash.damage"])
    faults, counts = [], Counter()
    while left:
        ours, theirs = context.Pipe(duplex=False)
        child = context.Process(target=look, args=(original, folder, left, theirs), daemon=True)
        child.start()
        theirs.close()
        for outcome in _received(ours, child):
            damage, left = left[0], left[1:]
            found, errors = outcome
            faults += [(damage, fault) for fault in found]
            kind = "cut" if damage.bit is None else "flipped"
            counts[f"{kind}, " + ("noticed" if errors else "no answer changed")] += 1
            if say:
                say(counts)
        child.join()
    return faults, counts


def _received(pipe, child):
    """Yield what a child sends; when it dies, that as the outcome of what it was at."""
    while True:
        try:
            outcome = pipe.recv()
        except EOFError:
            child.join()
            yield [f"the process ended with {child.exitcode}"], 1
            return
        if outcome is None:
            return
        yield outcome


def main():
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuts", type=int, default=50, help="places in every file")
    parser.add_argument("--flips", type=int, default=500, help="bits over all files")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = time.perf_counter()
    with scratch() as folder:
        faults, counts = play(folder, options.cuts, options.flips, options.seed)
    for damage, fault in faults:
        print(f"FAULT {damage}: {fault}")
    print(f"{dict(counts)}; {len(faults)} faults, in {time.perf_counter() - start:.0f} s")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
