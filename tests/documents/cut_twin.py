"""A slow and obvious twin of the native cutter of long sentences: an expression, lists."""

import re

CJK = "\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
ATOM = re.compile(rf"[{CJK}][\u3001\u3002\uff0c\uff0e\uff1a-\uff1f]*+|[^\s{CJK}]+")
CLAUSE_ENDS = ",;:|—–，、：；」』。،؛"


def atoms(text, spans):
    """Return (place, start, end) of each word or CJK character of the spans."""
    return [
        (place, *atom.span())
        for place, (start, end) in enumerate(spans)
        for atom in ATOM.finditer(text, start, end)
    ]


def clauses(text, places, spans, sizes, target):
    """Return where each piece ends among the atoms."""
    ends, piece = [], []  # numbers of atoms
    for at, place in enumerate(places):
        if piece and places[piece[0]] != place:
            ends.append(at)
            piece = []
        while piece and sum(sizes[i] for i in piece) + sizes[at] > target:
            cut = well_cut(text, [spans[i] for i in piece])
            ends.append(piece[0] + cut)
            piece = piece[cut:]
        piece.append(at)
    return [*ends, len(places)] if piece else ends


def well_cut(text, piece):
    for at in range(len(piece) - 1, len(piece) // 2, -1):
        end = piece[at - 1][1]
        if text[end - 1] in CLAUSE_ENDS or "\n" in text[end : piece[at][0]]:
            return at
    return len(piece)
