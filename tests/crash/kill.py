"""Kill a writer at random moments, and see that its store holds what it had said was done.

    python tests/crash/kill.py --times 300 --seed 1

A child process adds, changes, removes, merges, compacts and re-embeds, and says on a pipe what it
begins and what is done; it is killed with SIGKILL some milliseconds later. Then the store must
open, `check` must find nothing, and every document must be there with its text: what was reported
as done wholly, what was in flight wholly or not at all, save that an `add` of several batches keeps
the batches it had committed. All kills hit one store, which is never made anew.
"""

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bridgerag.errors import ModelMismatch
from bridgerag.ingest import add as ingest
from bridgerag.store import writer as writer_module
from crash.toy import OtherVectors, ToyVectors, contents, document, open_toy, scratch

MODELS = (ToyVectors(), OtherVectors())
LONGEST_S = 0.12  # from the first word of a child to its end, at most


# ---- the child


def work(path, seed, pipe):
    """Change the store for ever, at random, and say so."""
    chance = random.Random(seed)
    bridge = open_any(path)
    while True:
        name, arguments = choose(chance, [ref.id for ref in bridge.documents()], bridge)
        pipe.send((name, arguments))
        OPERATIONS[name](bridge, *arguments)
        pipe.send(("done", ()))


def choose(chance, names, bridge):
    """Return the name of an operation and what it is to be given."""
    kind = chance.choice(("add", "add", "add_in_batches", "change", "remove", "merge", "compact",
                          "reembed"))  # fmt: skip
    some = [chance.randrange(40) for _ in range(chance.randrange(1, 9))]
    if kind.startswith("add"):
        return kind, (sorted(set(some)), chance.randrange(1000))
    if kind == "change" and names:
        held = chance.sample(names, min(len(names), chance.randrange(1, 5)))
        return "add", ([int(name[1:]) for name in held], chance.randrange(1000))
    if kind == "remove" and len(names) > 4:
        return kind, (chance.sample(names, chance.randrange(1, 5)),)
    if kind == "reembed" and hasattr(bridge, "reembed"):
        return kind, (chance.randrange(2),)
    return ("merge", ()) if kind == "merge" else ("compact", ())


def add(bridge, numbers, version):
    bridge.add(documents=[document(number, version) for number in numbers])


def add_in_batches(bridge, numbers, version):
    """Add, with a commit after every document."""
    ingest._BATCH_CHUNKS, before = 1, ingest._BATCH_CHUNKS
    add(bridge, numbers, version)
    ingest._BATCH_CHUNKS = before


def remove(bridge, names):
    bridge.remove(*names)


def merge(bridge):
    """Merge every other segment, whether it pays or not."""
    writer_module.worth_merging, before = _every_other, writer_module.worth_merging
    with bridge._stores.open().writing() as (writer, _):
        writer.merge()
    writer_module.worth_merging = before


def _every_other(sizes):
    return list(range(0, len(sizes), 2))


def reembed(bridge, model):
    embedder = MODELS[model]
    bridge.reembed(embedder.name, embedder=embedder)


OPERATIONS = {
    "add": add,
    "add_in_batches": add_in_batches,
    "remove": remove,
    "merge": merge,
    "compact": lambda bridge: bridge.compact(),
    "reembed": reembed,
}


def open_any(path):
    """Open the store with the model that it has now."""
    try:
        return open_toy(path, MODELS[0])
    except ModelMismatch:
        return open_toy(path, MODELS[1])


# ---- the model


def outcomes(held, name, arguments):
    """Yield what a store that held ``held`` may hold once an operation was begun; last: done."""
    yield held
    if name in ("add", "add_in_batches"):
        documents = [document(number, arguments[1]) for number in arguments[0]]
        steps = range(1, len(documents) + 1) if name == "add_in_batches" else [len(documents)]
        for step in steps:
            yield held | {made.id: made.text for made in documents[:step]}
    elif name == "remove":
        yield {name: text for name, text in held.items() if name not in arguments[0]}


@dataclass
class Report:
    """What came out of many kills."""

    kills: int = 0
    done: Counter = field(default_factory=Counter)
    in_flight: Counter = field(default_factory=Counter)
    kept: int = 0

    def __str__(self):
        return (
            f"{self.kills} kills; done before them: {dict(self.done)}; "
            f"in flight: {dict(self.in_flight)}, {self.kept} of which had changed the contents"
        )


def kill_often(path, times, seed, say=None):
    """Kill ``times`` writers of the store at ``path``; raise AssertionError on any loss."""
    chance = random.Random(seed)
    with open_toy(path) as bridge:
        add(bridge, range(8), 0)
        held = contents(bridge)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bridgerag", "crash.kill"])
    report = Report()
    for number in range(times):
        said = play(context, path, chance.randrange(2**30), chance.uniform(0, LONGEST_S))
        *finished, last = said or [("nothing", ())]
        for name, arguments in finished:
            *_, held = outcomes(held, name, arguments)
        found = look(path)
        possible = list(outcomes(held, *last))
        assert found in possible, f"kill {number}: after {last}, not one of {len(possible)} states"
        report.kills += 1
        report.done.update(name for name, _ in finished)
        report.in_flight[last[0]] += 1
        report.kept += found != held
        held = found
        if say:
            say(report)
    with open_any(path) as bridge:
        add(bridge, [0], "last")
        segments = bridge.status().segments
        assert len(list((Path(path) / "segments").iterdir())) == segments, "folders were left over"
    return report


def play(context, path, seed, seconds):
    """Let a child work, kill it, and return what it had begun; the last was not reported as done.

    A child that was between two operations gives ``("nothing", ())`` as its last.
    """
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=work, args=(path, seed, theirs), daemon=True)
    child.start()
    theirs.close()
    said = []
    with suppress(EOFError):
        said.append(ours.recv())
        time.sleep(seconds)
        child.kill()
        while True:
            said.append(ours.recv())
    child.join()
    ours.close()
    assert child.exitcode == -9, f"the child ended by itself with {child.exitcode}"
    begun = [entry for entry in said if entry[0] != "done"]
    return [*begun, ("nothing", ())] if said[-1][0] == "done" else begun


def look(path):
    """Return what the store holds, once it is found sound and every document can be searched."""
    with open_any(path) as bridge:
        problems = bridge.check().problems
        assert problems == (), problems
        held = contents(bridge)
        found = bridge.search("Who met Zorvex Quillan?", k=1000, method="naive")
        assert {hit.document.id for hit in found.hits} == set(held)
        assert all(held[h.document.id][h.start : h.end] == h.text for h in found.hits)
        return held


def main():
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where to make the store; default: in memory")
    options = parser.parse_args()
    start = time.perf_counter()
    with scratch() as folder:
        path = (options.folder or Path(folder)) / "store"
        report = kill_often(path, options.times, options.seed, lambda r: print(r, end="\r"))
    print(f"\n{report}\nno loss, no damage, in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
