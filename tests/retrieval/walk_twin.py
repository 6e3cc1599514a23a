"""The walk over names and chunks, slow and obvious: what the native `WalkGraph` has to equal."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

RUN, MOST_GAP = 1 << 31, 32
COPY, MOST_COPIES = 0.9, 2  # of the distinct words of either chunk in the other; chosen ones
TITLE_POSITION = 65535


def quantised(weight):
    return math.floor(weight * 2.0**48) / 2.0**48


@dataclass
class SlowGraph:
    """Built from `NameIndex` parts as (names, first chunk of each document, alive or None)."""

    parts: list
    title_names: set = field(default_factory=set)  # keys that may be defined
    restart: float = 0.3
    rounds: int = 4
    frontier: int = 160
    width: int = 100
    near_weight: float = 8.0
    near_words: float = 8.0
    definition_weight: float = 16.0
    degree_power: float = 0.7

    def __post_init__(self):
        self.spread, self.runs = defaultdict(set), defaultdict(set)
        self.titled = defaultdict(dict)  # documents by name, each with its first chunk
        self.spans, self.stems, self.order, self.document = {}, {}, {}, {}
        first = 0
        for number, (names, first_chunk, alive) in enumerate(self.parts):
            for place, (start, end) in enumerate(pairwise(first_chunk)):
                for chunk in range(int(start), int(end)):
                    if alive is None or alive[chunk]:
                        here = first + chunk
                        self.document[here] = (number, place)
                        self.order[here] = names.ids[place], chunk - int(start)
                        self.spans[here] = [
                            tuple(map(int, span)) for span in zip(*names.spans(chunk), strict=True)
                        ]
                        self.stems[here] = [
                            tuple(map(int, one)) for one in zip(*names.stems(chunk), strict=True)
                        ]
            self._definitions(names, first_chunk, alive, number, first)
            first += names.chunks
        for chunk, spans in self.spans.items():
            for name, _, _, run in spans:
                self.spread[name].add(chunk)
                if run:
                    self.runs[name].add(chunk)

    def _definitions(self, names, first_chunk, alive, number, first):
        for key in self.title_names:
            for document in names.definitions(key).tolist():
                chunk = int(first_chunk[document])
                if alive is None or alive[chunk]:
                    self.titled[key][number, document] = first + chunk

    def defined(self, name):
        return 0 < len(self.titled.get(name, ())) <= self.width

    def known(self, name):
        return self.defined(name) or len(self.runs.get(name, ())) > 1

    def walkable(self, name):
        return self.defined(name) or len(self.spread.get(name, ())) <= self.width

    def rarity(self, name):
        spread = len(self.spread.get(name, ()))
        return max(0.0, math.log((len(self.spans) + 1) / (spread + 0.5)))

    def mentions(self, chunk):
        found = [(name, a, n) for name, a, n, _ in self.spans[chunk] if self.known(name)]
        found.sort(key=lambda span: (-span[2], span[1]))
        chosen = list(dict.fromkeys(apart([s for s in found if self.defined(s[0])])))
        chosen = list(dict.fromkeys([*chosen, *apart(found)]))
        own = self.document[chunk]
        return [
            span for span in chosen if not (self.defined(span[0]) and own in self.titled[span[0]])
        ]

    def leaving_chunk(self, asks, chunk):
        asked = [
            (position, stem)
            for stem, position in self.stems[chunk]
            if stem in asks and position != TITLE_POSITION
        ]
        near = {}
        for name, first, count in self.mentions(chunk):
            if self.walkable(name):
                closest = {}
                for position, stem in asked:
                    gap = first - position if position < first else position - (first + count - 1)
                    if 0 < gap <= MOST_GAP:
                        closest[stem] = min(closest.get(stem, gap), gap)
                here = sum(
                    asks[stem] * math.exp(-closest[stem] / self.near_words)
                    for stem in asks
                    if stem in closest
                )
                near[name] = max(near.get(name, 0.0), here)
        weight = {n: self.rarity(n) * (1 + self.near_weight * x) for n, x in near.items()}
        total = sum(weight.values())
        return {name: worth / total for name, worth in weight.items() if worth > 0}

    def leaving_name(self, name):
        weight = defaultdict(float)
        titled = self.titled[name] if self.defined(name) else {}
        for chunk in titled.values():
            weight[chunk] += self.definition_weight / len(titled)
        spread = self.spread.get(name, set())
        narrow = len(spread) <= self.width
        others = [c for c in spread if self.document[c] not in titled] if narrow else spread
        degree = (self.definition_weight if titled else 0.0) + len(others)
        if narrow:
            for chunk in others:
                weight[chunk] += 1.0
        return {chunk: worth / degree**self.degree_power for chunk, worth in weight.items()}

    def push(self, asks, chunks, names):
        """Return the weights of chunks; all arguments are dicts."""
        names = {n: weight for n, weight in names.items() if self.known(n) or self.spread.get(n)}
        now_chunks, now_names = dict(chunks), dict(names)
        for _ in range(self.rounds):
            next_names = self._step(
                names, now_chunks, lambda c: self.leaving_chunk(asks, c), self.order.get
            )
            now_chunks = self._step(chunks, now_names, self.leaving_name, lambda name: name)
            now_names = next_names
        return {chunk: weight for chunk, weight in now_chunks.items() if weight > 0}

    def handed_on(self, asks, chunk):
        """Return what a chunk hands on of its weight, by chunk."""
        arrived = defaultdict(float)
        for name, share in self.leaving_chunk(asks, chunk).items():
            for other, part in self.leaving_name(name).items():
                arrived[other] += share * part
        return arrived

    def choose(self, asks, pool, worth, link_weight, count):
        """Return chunks of ``pool``, a value by chunk, with their gains; ``worth`` is by stem.

        A copy of what is chosen comes only where nothing else is left.
        """
        held = {chunk: {stem for stem, _ in self.stems[chunk]} for chunk in pool}
        linked, chosen = dict.fromkeys(pool, 0.0), {}
        first = []  # of those chosen, the ones that were no copies

        def is_copy(chunk):
            alike = [
                other
                for other in first
                if len(held[chunk] & held[other]) > COPY * max(len(held[chunk]), len(held[other]))
            ]
            return len(alike) >= MOST_COPIES

        for _ in range(min(count, len(pool))):
            said = set().union(*(held[chunk] for chunk in chosen))
            gains = {
                chunk: pool[chunk]
                + link_weight * linked[chunk]
                + sum(worth[stem] for stem in worth if stem in held[chunk] - said)
                for chunk in pool
                if chunk not in chosen
            }
            fresh = [chunk for chunk in gains if not is_copy(chunk)]
            best = min(fresh or gains, key=lambda chunk: (-gains[chunk], self.order[chunk]))
            if fresh:
                first.append(best)
            chosen[best] = gains[best]
            handed = self.handed_on(asks, best)
            linked = {chunk: max(linked[chunk], handed.get(chunk, 0.0)) for chunk in pool}
        return chosen

    def _step(self, start, weights, edges, order):
        arrived = {node: quantised(self.restart * weight) for node, weight in start.items()}
        heaviest = sorted(
            (n for n in weights if weights[n] > 0), key=lambda n: (-weights[n], order(n))
        )
        for node in heaviest[: self.frontier]:
            for other, share in edges(node).items():
                amount = quantised((1 - self.restart) * weights[node] * share)
                arrived[other] = arrived.get(other, 0.0) + amount
        return arrived


def apart(spans):
    taken, chosen = set(), []
    for name, first, count in spans:
        if taken.isdisjoint(range(first, first + count)):
            taken.update(range(first, first + count))
            chosen.append((name, first, count))
    return chosen
