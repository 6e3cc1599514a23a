"""A slow and obvious twin of the native packer of chunks: lists, one unit at a time."""

from itertools import groupby

STOPS = frozenset(".!?。！？…؟۔।")


def pack(text, units, sizes, borders, sections, groups, target):
    """Return the first unit of each chunk, and the section it belongs to."""
    first, homes = [], []
    for _, numbers in groupby(range(len(sections)), key=lambda number: groups[number]):
        for start, home in packed(text, units, sizes, borders, sections, list(numbers), target):
            first.append(start)
            homes.append(home)
    return first, homes


def packed(text, units, sizes, borders, sections, group, target):
    chunks = []  # [section, units]
    size = target
    for section in group:
        running = size * 4 < target
        for unit in range(borders[section], borders[section + 1]):
            if not running or size + sizes[unit] > target:
                chunks.append([section, []])
                size = 0
                if running and leads_in(chunks, unit, text, units, sizes, sections, target):
                    moved = chunks[-2][1].pop()
                    chunks[-1][1].append(moved)
                    size = sizes[moved]
                running = True
            chunks[-1][1].append(unit)
            size += sizes[unit]
    even_tails(chunks, sizes, target)
    return [(held[0], home(begun, held, units, sizes, sections, group)) for begun, held in chunks]


def leads_in(chunks, unit, text, units, sizes, sections, target):
    """Tell whether the last unit of the chunk before only introduces ``unit``."""
    section, before = chunks[-1][0], chunks[-2][1]
    start, end = units[before[-1]]
    return (
        len(before) >= 2
        and sizes[before[-1]] * 16 < target
        and sizes[before[-1]] + sizes[unit] <= target
        and start >= sections[section][0]
        and text[end - 1] not in STOPS
    )


def even_tails(chunks, sizes, target):
    for at in range(1, len(chunks)):
        section = chunks[at][0]
        last = at + 1 == len(chunks) or chunks[at + 1][0] != section
        if not last or chunks[at - 1][0] != section:
            continue
        before, tail = chunks[at - 1][1], chunks[at][1]

        def total(units):
            return sum(sizes[unit] for unit in units)

        if total(tail) * 6 >= target:
            continue
        while len(before) > 1 and total(tail) + sizes[before[-1]] <= total(before[:-1]):
            tail.insert(0, before.pop())


def home(begun, held, units, sizes, sections, group):
    """Return the section that holds most of a chunk which ends behind the one it was begun in."""
    if units[held[-1]][0] < sections[begun][1]:
        return begun
    shares = {}
    for unit in held:
        section = max(number for number in group if sections[number][0] <= units[unit][0])
        shares[section] = shares.get(section, 0) + sizes[unit]
    return max(shares, key=lambda number: (shares[number], -number))
