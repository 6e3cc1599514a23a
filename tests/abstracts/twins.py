"""A slow and obvious twin of the native picker of sentences: sets and dicts."""

from itertools import pairwise


def pick(scores, sizes, offsets, words, is_leaf, first, count, room):
    """Return the sentences picked, one list an abstract."""
    said_by = [set(words[a:b]) for a, b in pairwise(offsets)]
    picked = []
    for leaf, start, many, space in zip(is_leaf, first, count, room, strict=True):
        if leaf:
            here = sorted(range(start, start + many), key=lambda j: -scores[j])[:8]
        else:
            here = [j for below in picked[start : start + many] for j in below]
        picked.append(best(sorted(here), space, scores, sizes, said_by))
    return picked


def best(candidates, room, scores, sizes, said_by):
    worth = {j: scores[j] for j in candidates}
    least = 0.35 * max(worth.values(), default=0.0)
    said, chosen, left = set(), [], 1.25 * room
    while worth:
        j = max(worth, key=worth.__getitem__)
        if chosen and worth[j] <= least:
            break
        chosen.append(j)
        said |= said_by[j]
        left -= sizes[j]
        worth = {
            i: scores[i] * (1.0 - len(said_by[i] & said) / max(1, len(said_by[i])))
            for i in worth
            if i != j and sizes[i] <= left
        }
    return sorted(chosen)
