"""Slow and obvious twins of the native kernels; they share no code with them."""

import math
from collections import Counter, defaultdict

from bridgerag.entities import WordFlag

MASK = 2**64 - 1
STOP, BREAK, CAPITAL, ACRONYM, NUMBER, IDEOGRAPH, LONG, CONNECTOR = WordFlag


def mix(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def word_key(word):
    h = 0xCBF29CE484222325
    for byte in word.encode():
        h = ((h ^ byte) * 0x100000001B3) & MASK
    return mix(h)


def entity_key(word_keys):
    h = 0x9E3779B97F4A7C15
    for key in word_keys:
        h = mix((h * 0xD1342543DE82EF95 + int(key)) & MASK)
    return h


# ---- phrases: the same rules, on lists of words instead of running keys

SHORT_DOCUMENT = 25
SURE, LIKELY, PIECE, SHORT_WORD = range(4)


def phrases(words, known=(), aliases=()):
    """Return the set of (entity key, chunk) pairs of a document of one block."""
    tokens = list(zip(words.keys.tolist(), words.flags.tolist(), strict=True))
    found = defaultdict(list)  # entity -> [(run around it, chunk, kind)]
    for chunk in range(len(words.chunks) - 1):
        for s in range(words.chunks[chunk], words.chunks[chunk + 1]):
            sentence = tokens[words.sentences[s] : words.sentences[s + 1]]
            for entity, around, kind in occurrences(sentence):
                found[entity_key(entity)].append((entity_key(around), chunk, kind))
    for key, chunk in known:
        found[key].append((key, chunk, SURE))
    extra = [(a, b) for pair in aliases for a, b in (pair, pair[::-1])]
    copies = [(b, (b, chunk, SURE)) for a, b in extra for _, chunk, _ in found.get(a, ())]
    for key, occurrence in copies:
        found[key].append(occurrence)
    short_document = len(words.chunks) - 1 <= SHORT_DOCUMENT
    return {
        (key, chunk)
        for key, places in found.items()
        if worth_keeping(key, places, short_document)
        for _, chunk, _ in places
    }


def worth_keeping(key, places, short_document):
    best = min(kind for _, _, kind in places)
    runs = Counter(around for around, _, _ in places)
    repeated = len(runs) > 1 or runs[key] > 1
    if best == SURE or (best == LIKELY and short_document):
        return True
    return repeated and (best != SHORT_WORD or short_document)


def occurrences(sentence):
    """Yield (entity, run around it, kind); entities and runs are lists of word keys."""
    while sentence and sentence[0][1] & BREAK:
        sentence = sentence[1:]
    stretch, before = [], 0
    for token in [*sentence, (0, int(BREAK))]:
        if not token[1] & BREAK:
            stretch.append(token)
            continue
        yield from names(stretch, sentence, before)
        yield from terms(stretch)
        before += len(stretch) + 1
        stretch = []


def proper(sentence, i):
    def acronym(j):
        return 0 <= j < len(sentence) and sentence[j][1] & ACRONYM

    flags = sentence[i][1]
    lone_acronym = acronym(i) and not acronym(i - 1) and not acronym(i + 1)
    return bool(flags & CAPITAL and (not flags & STOP or lone_acronym))


def names(stretch, sentence, before):
    flags = [flag for _, flag in stretch]
    is_proper = [proper(sentence, before + i) for i in range(len(stretch))]
    i = 0
    while i < len(stretch):
        if not is_proper[i]:
            i += 1
            continue
        end = i + 1
        while True:  # the next proper word or number, at most two connectors away
            gap = 0
            while end + gap < len(stretch) and not (
                is_proper[end + gap] or flags[end + gap] & NUMBER
            ):
                gap += 1
            between = flags[end : end + gap]
            if end + gap >= min(len(stretch), i + 8) or gap > 2:
                break
            if not all(flag & CONNECTOR for flag in between):
                break
            end += gap + 1
        yield from name(
            [key for key, _ in stretch[i:end]], flags[i:end], is_proper[i:end], before + i == 0
        )
        i = end


def name(keys, flags, is_proper, first_of_sentence):
    initial = first_of_sentence and not flags[0] & ACRONYM
    if initial and len(keys) == 1:
        yield keys, keys, LIKELY if flags[0] & LONG else SHORT_WORD
        return
    yield keys, keys, SURE
    border = CONNECTOR | NUMBER
    for i in range(len(keys)):
        for j in range(i + 1, len(keys) + 1):
            part = keys[i:j]
            good_end = is_proper[j - 1] or (j - i > 1 and flags[j - 1] & NUMBER)
            if len(part) == len(keys) or not is_proper[i] or not good_end:
                continue
            if initial and i == 1 and j == len(keys):
                yield part, keys, SURE
            elif j == len(keys) or ((i == 0 or flags[i - 1] & border) and flags[j] & border):
                yield part, keys, LIKELY


def terms(stretch):
    run = []
    for token in [*stretch, (0, int(STOP))]:
        same = not run or (run[0][1] ^ token[1]) & IDEOGRAPH == 0
        if not token[1] & STOP and same:
            run.append(token)
            continue
        if run:
            yield from (han(run) if run[0][1] & IDEOGRAPH else term(run))
        run = [] if token[1] & STOP else [token]


def term(run):
    whole = [key for key, _ in run]
    for i in range(len(run)):
        for j in range(i + 1, min(len(run), i + 5) + 1):
            part, flags = whole[i:j], [flag for _, flag in run[i:j]]
            if len(part) == 1:
                plain = not flags[0] & (CAPITAL | NUMBER)
                if plain or (flags[0] & NUMBER and flags[0] & LONG):
                    yield part, whole, LIKELY if flags[0] & LONG else SHORT_WORD
            elif all(flag & (CAPITAL | NUMBER) for flag in flags):
                continue
            elif not flags[0] & NUMBER and not flags[-1] & NUMBER:
                yield part, whole, LIKELY if len(part) == len(whole) <= 3 else PIECE


def han(run):
    whole = [key for key, _ in run]
    for i in range(len(run)):
        for j in range(i + 2, min(len(run), i + 6) + 1):
            edge = i == 0 or j == len(run)
            all_of_it = i == 0 and j == len(run)
            yield whole[i:j], whole, SURE if all_of_it or (edge and j - i == 2) else PIECE


# ---- BM25


def bm25(terms, chunks, n_chunks, query, average_length, k1, b):
    """Return {chunk: score} of the chunks that hold a term; ``query`` is [(term, idf)]."""
    counts, lengths = Counter(zip(terms, chunks, strict=True)), Counter(chunks)
    scores = defaultdict(list)
    for term, idf in query:
        for chunk in range(n_chunks):
            tf = counts[term, chunk]
            if tf and idf > 0:
                norm = 1 - b + b * lengths[chunk] / average_length
                scores[chunk].append(idf * tf * (k1 + 1) / (tf + k1 * norm))
    return {chunk: math.fsum(parts) for chunk, parts in scores.items()}
