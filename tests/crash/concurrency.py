"""Read a store from many processes while another changes it; every answer is of one moment.

    python tests/crash/concurrency.py --seconds 60 --readers 8

The writer adds, changes and removes documents in groups of four that carry one version, each group
in one commit, and merges and compacts in between. A reader that sees part of a group, two versions
of one, a removed text or an error has found a fault. Two more writers then add to one store at
once: one waits, both finish.
"""

import argparse
import multiprocessing
import random
import re
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bridgerag
from crash.toy import open_toy, scratch

GROUPS, SIZE = 6, 4
WORD = re.compile(r"Version (\d+)\.")


def group(number, version):
    """Return the documents of a group; each has several chunks and names all of the others."""
    return [
        bridgerag.Document(
            f"g{number}-{member}", f"Group {number}", "",
            f"The Amber Council met. Version {version}. Group Heron {number} agreed. " * 3,
            metadata={"group": number},
        )
        for member in range(SIZE)
    ]  # fmt: skip


def write(path, seed, until, counts):
    """Change groups until the time is up."""
    chance = random.Random(seed)
    with open_toy(path) as bridge:
        done, version = Counter(), 1
        while time.time() < until:
            version += 1
            number = chance.randrange(GROUPS)
            held = {ref.id for ref in bridge.documents()}
            action = chance.choice(["put", "put", "put", "put", "remove", "merge", "compact"])
            if action == "put":
                bridge.add(documents=group(number, version))
            elif action == "remove" and f"g{number}-0" in held:
                bridge.remove(*(f"g{number}-{member}" for member in range(SIZE)))
            elif action == "merge":
                with bridge._stores.open().writing() as (writer, _):
                    writer.merge(everything=True)
            elif action == "compact":
                bridge.compact()
            done[action] += 1
        counts.put(("writer", dict(done)))


def read(path, seed, until, counts):
    """Search, list and filter until the time is up, and look at every answer."""
    chance = random.Random(seed)
    done = Counter()
    try:
        with open_toy(path) as bridge:
            while time.time() < until:
                action = chance.choice([search, search, narrowed, listed, reopened])
                action(bridge, chance)
                done[action.__name__] += 1
        counts.put(("reader", dict(done)))
    except BaseException:
        counts.put(("fault", traceback.format_exc()))


def search(bridge, chance, where=None):
    """Search everything; no group may be there in part or in two versions."""
    method = chance.choice(["naive", "bridge"])
    found = bridge.search("What did the Amber Council say?", k=1000, method=method, where=where)
    members, versions = Counter(), {}
    for hit in found.hits:
        number = int(hit.document.id[1:].split("-")[0])
        members[number] += hit.chunk == 0
        assert hit.document.title == f"Group {number}"
        versions.setdefault(number, set()).update(WORD.findall(hit.text))
    assert all(count == SIZE for count in members.values()), f"part of a group: {members}"
    assert all(len(seen) == 1 for seen in versions.values()), f"two versions: {versions}"
    named = {note.id for note in found.abstracts}
    assert all(set(hit.abstracts) <= named for hit in found.hits)


def narrowed(bridge, chance):
    search(bridge, chance, where=f"group <= {chance.randrange(GROUPS)}")


def listed(bridge, chance):
    held = Counter(ref.title for ref in bridge.documents())
    assert all(count == SIZE for count in held.values()), held


def reopened(bridge, chance):
    bridge.close()
    listed(bridge, chance)


def add_alone(path, name, begin, counts):
    """Wait for the others, then add; one writer has the store, the other waits for it."""
    begin.wait()
    with open_toy(path) as bridge:
        for number in range(8):
            bridge.add(documents=[bridgerag.Document(f"{name}{number}", "", "", "Both finish.")])
    counts.put(("adder", name))


def play(path, seconds, readers, seed=1):
    """Run one writer and many readers; return what each did. Raises AssertionError on a fault."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bridgerag", "crash.concurrency"])
    with open_toy(path) as bridge:
        bridge.add(documents=[document for n in range(GROUPS) for document in group(n, 1)])
    counts, until = context.Queue(), time.time() + seconds
    work = [(write, seed), *((read, seed + n) for n in range(1, readers + 1))]
    run(context, [(target, (path, number, until, counts)) for target, number in work])
    begin = context.Barrier(2)
    run(context, [(add_alone, (path, name, begin, counts)) for name in ("a", "b")])
    results = [counts.get() for _ in range(len(work) + 2)]
    faults = [what for kind, what in results if kind == "fault"]
    assert not faults, "\n".join(faults)
    with open_toy(path) as bridge:
        assert bridge.check().problems == ()
        names = {ref.id for ref in bridge.documents()}
    assert {f"{name}{number}" for name in "ab" for number in range(8)} <= names
    return results


def run(context, work):
    """Start processes and wait until they have ended, well."""
    processes = [context.Process(target=target, args=args, daemon=True) for target, args in work]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert all(process.exitcode == 0 for process in processes), [p.exitcode for p in processes]


def main():
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where to make the store; default: in memory")
    options = parser.parse_args()
    with scratch() as folder:
        path = (options.folder or Path(folder)) / "store"
        results = play(path, options.seconds, options.readers, options.seed)
    total = sum((Counter(what) for kind, what in results if kind == "reader"), Counter())
    (written,) = (what for kind, what in results if kind == "writer")
    print(f"{options.readers} readers: {dict(total)}\n1 writer: {written}\nno fault")


if __name__ == "__main__":
    main()
