"""The patterns of `relations`: which phrases of a sentence make a hierarchy, and by which words.

Kinds and parts come from Hearst's patterns (M. Hearst, "Automatic acquisition of hyponyms from
large text corpora", 1992); the rest is what a subject is said to be, with the prepositions behind
it: "is the capital of", "was directed by". English only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bridgerag.entities.noun_phrases import Frame, Phrase

__all__ = ["BELONGS_TO", "IN", "IS_A", "PART_OF", "Edge", "edges"]

IS_A, PART_OF, BELONGS_TO, IN = "is a", "is part of", "belongs to", "is in"

Edge = tuple[Phrase, str, Phrase]  # narrower, kind, broader

# ---- rules: `low` and `high` are phrases or lists of them, `link` becomes the kind ---------------

_DET = r"(?:(?:a|an|the|its|his|her|their|our|some|all|both|other|various|#) )*+"
_ITEM = rf"{_DET}(?:T\d+ )?[NT]\d+"
_ITEMS = rf"{_ITEM}(?: , {_ITEM})*(?:(?: ,)? (?:and|or|as well as) {_ITEM})?"
_NAME = rf"{_DET}(?:T\d+ )?N\d+"
_NAMES = rf"{_NAME}(?:(?: ,)? and {_NAME})?"
_OF = r"(?:of|in|by|for|at|from|near|on|to|with|under|within)"
_PLACED = r"(?:in|at|near|from) (?:the )?"
_NO_LIST = rf"(?!(?: , {_NAME})*(?: ,)? (?:and|or) )"  # "in Rome, Paris and Bonn" nests nothing
_ALSO = r"(?:(?:which|that|also) )*"


def _rules(*pairs: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rf"(?<!\S){pattern}(?!\S)"), kind) for pattern, kind in pairs)


_KINDS = _rules(
    (rf"(?P<high>[NT]\d+)(?: ,)? such as (?P<low>{_ITEMS})", ""),
    (rf"such (?P<high>T\d+) as (?P<low>{_ITEMS})", ""),
    (rf"(?P<high>T\d+) , (?:especially|particularly|notably) (?P<low>{_ITEMS})", ""),
    (rf"(?P<low>{_ITEMS})(?: ,)? (?:and|or) (?:many )?other (?P<high>T\d+)", ""),
    (rf"(?P<high>[NT]\d+)(?: ,)? (?:including|include|includes) (?P<low>{_ITEMS})", "plural"),
)
_PARTS = _rules(
    (r"an? (?P<low>T\d+) is an? (?P<high>T\d+)", IS_A),
    (rf"(?P<low>{_ITEM}) (?:also )?belongs? to (?P<high>{_ITEM})", BELONGS_TO),
    (
        rf"(?P<low>{_ITEM})(?: (?:is|are|was|were))?(?: ,)? (?:an? )?(?:T\d+ )?parts? of "
        rf"(?P<high>{_ITEM})",
        PART_OF,
    ),
    (
        rf"(?P<high>{_ITEM})(?: ,)? {_ALSO}(?:contains?|contained|comprises?|comprised|"
        rf"consists? of|consisted of) (?P<low>{_ITEMS})",
        PART_OF,
    ),
    (
        rf"(?P<high>N\d+)(?: ,)? {_ALSO}(?:includes?|included|including) (?P<low>{_ITEMS})",
        PART_OF,
    ),
    (rf"{_PLACED}(?P<low>N\d+) , (?P<high>N\d+){_NO_LIST}", IN),
    (rf"{_PLACED}N\d+ , (?P<low>N\d+) , (?P<high>N\d+){_NO_LIST}", IN),
    (r"(?:in|at|of|near|from) (?:the )?(?P<low>N\d+) in (?:the )?(?P<high>N\d+)", IN),
    (r"(?P<high>N\d+) 's (?:T\d+ )?(?P<low>N\d+)", BELONGS_TO),
    (
        rf"(?P<low>N\d+) , (?:N\d+ , )?(?:(?:an?|the|#) )*(?P<link>T\d+ {_OF}) (?P<high>{_NAMES})",
        "is ",
    ),
)

# ---- what a subject is, and does -----------------------------------------------------------------

_SUBJECT = r"(?:^|\| |, )(?:the )?(?P<low>N\d+)(?: , [^|]{1,80}? ,)?"
_ADVERBS = r"(?:(?:also|formerly|now|today|best|[a-z]+ly) )*"
_IS = re.compile(rf"{_SUBJECT} (?P<be>is|was|are|were|became|remains) {_ADVERBS}(?P<rest>.+)")
_DOES = re.compile(rf"{_SUBJECT} {_ADVERBS}(?P<link>(?:T\d+|[a-z]+ed) {_OF}) (?P<high>{_NAME})")
_CLAUSE_END = re.compile(
    r" (?:\||but|who|whom|which|that|where|when|while|whose|although|because|until|since) "
    rf"|(?<=\d) , (?:(?:an?|the|only|#) )*T\d+ {_OF} "
)
_TYPES = re.compile(
    r"(?P<det>an?|the|one of the) (?:# )?(?P<types>T\d+(?: , T\d+)*(?:(?: ,)? and (?:an? )?T\d+)?)"
)
_LINK = re.compile(
    r"(?:(?P<also>T\d+)(?: ,)? and )?(?P<det>(?:an?|the) )?(?:# )?"
    rf"(?P<link>(?:T\d+|[a-z]+ed|[a-z]+n|built|held|led|set) {_OF}) (?P<high>{_NAMES})"
)
_INTRANSITIVE = frozenset(
    ["died", "lived", "moved", "retired", "served", "worked", "played", "graduated", "studied"]
)
_POSSESSED = re.compile(r"(?:his|her|its|their) (?P<link>T\d+) (?P<low>N\d+)")
_LAST_NAME = re.compile(r"N\d+(?!.*N\d)")
_PHRASE = re.compile(r"(?:T\d+ )?([NT]\d+)")


def edges(frame: Frame) -> Iterator[Edge]:
    """Yield the edges that one sentence states, rule by rule."""
    yield from _kinds(frame)
    for pattern, kind in _PARTS:
        for match in pattern.finditer(frame.text):
            link = match.groupdict().get("link", "")
            yield from _pairs(frame, match["low"], kind + _spelled(frame, link), match["high"])
    for match in _IS.finditer(frame.text):
        rest = _CLAUSE_END.split(match["rest"], maxsplit=1)[0]
        yield from _is(frame, match["low"], match["be"], rest)
    for match in _DOES.finditer(frame.text):
        yield from _pairs(frame, match["low"], _spelled(frame, match["link"]), match["high"])
    for match in _POSSESSED.finditer(frame.text):  # "his wife Ann": of the name before
        owner = _LAST_NAME.search(frame.text[: match.start()])
        if owner:
            kind = f"is {_spelled(frame, match['link'])} of"
            yield from _pairs(frame, match["low"], kind, owner[0])


def _kinds(frame: Frame) -> Iterator[Edge]:
    """Yield what is named as an example of what."""
    for pattern, number in _KINDS:
        for match in pattern.finditer(frame.text):
            broad = _kind(frame.phrases[int(match["high"][1:])])
            examples = _phrases(frame, match["low"])
            if number == "plural":  # "roles include the film" does not say what a film is
                if not broad.text.endswith("s"):
                    continue
                examples = [each for each in examples if each.is_name or each.text.endswith("s")]
            if broad.text:
                for narrow in examples:
                    yield narrow, IS_A, broad


def _kind(phrase: Phrase) -> Phrase:
    """Return the kind that a phrase names: "frozen foods" in "sell frozen foods worldwide".

    That is two words up to the last plural, or the last two. A name is none, unless it is one word
    at the start of a sentence, which has its capital from there.
    """
    words = phrase.text.split()
    plurals = [at for at, word in enumerate(words, 1) if word.endswith("s")]
    if phrase.is_name and (phrase.first > 0 or len(words) > 1 or not plurals):
        return phrase._replace(text="")
    words = words[: plurals[-1]] if plurals else words
    text = " ".join(words[-2:])
    return phrase._replace(text=text.lower() if phrase.is_name else text, is_name=False)


def _is(frame: Frame, low: str, be: str, rest: str) -> Iterator[Edge]:
    """Yield what stands behind "is": kinds, and names behind a preposition."""
    types = _TYPES.match(rest)
    if types and not (types["det"] == "the" and _LINK.match(rest)):
        yield from _pairs(frame, low, IS_A, types["types"])
    for link in _LINK.finditer(rest):
        words = _spelled(frame, link["link"])
        if link["link"][0] == "T" and not link["det"] and not words.endswith(" of"):
            continue  # an adjective: "quiet on"
        if words.partition(" ")[0] not in _INTRANSITIVE:
            words = f"{be} {link['det'] or ''}{words}"
        yield from _pairs(frame, low, words, link["high"])
        if link["also"]:  # "the capital and largest city of"
            words = f"{be} {_spelled(frame, link['also'])} {words.rpartition(' ')[2]}"
            yield from _pairs(frame, low, words, link["high"])


def _pairs(frame: Frame, low: str, kind: str, high: str) -> Iterator[Edge]:
    for narrow in _phrases(frame, low):
        for broad in _phrases(frame, high):
            yield narrow, kind, broad


def _phrases(frame: Frame, text: str) -> Sequence[Phrase]:
    """Return the phrases in a piece of a frame; of "the river Rhine" it is the name."""
    return [frame.phrases[int(name[1:])] for name in _PHRASE.findall(text)]


def _spelled(frame: Frame, text: str) -> str:
    """Return a piece of a frame with its phrases written out."""
    return re.sub(r"[NT](\d+)", lambda match: frame.phrases[int(match[1])].text, text)
