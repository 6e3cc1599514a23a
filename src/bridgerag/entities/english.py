"""English words that tell where a noun phrase begins and ends, and what their endings say.

All words here are in lower case.
"""

from __future__ import annotations

__all__ = [
    "ARTICLES",
    "BEFORE_TERM",
    "BEFORE_VERB",
    "DETERMINERS",
    "INSIDE_NAMES",
    "KEPT",
    "NO_NAMES",
    "NO_TERMS",
    "is_adverb",
    "is_number",
    "is_opener",
    "is_participle",
    "opens_no_term",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Words that patterns look for: they end a phrase and stay in the frame.
KEPT = _set("""
    contains contain contained containing includes include included including comprises comprise
    comprising consists consist consisting belongs belong belonging located situated based
    headquartered became become becomes remains remain lies lie part parts also currently especially
    particularly notably formerly now today originally primarily mainly has had
""")
# "Bank of England", "Vincent van Gogh"
INSIDE_NAMES = _set(
    "of the de del della di da do dos du la le les van von der den des und y bin ibn al el"
)
# No name begins with these, though they have a capital.
NO_NAMES = _set("""
    january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday figure table section chapter appendix mr mrs
    ms dr sir please
""")
# No term begins or ends with these.
NO_TERMS = _set("""
    one ones two three four five six seven eight nine ten first second third last next new old same
    many several various certain different fourth fifth sixth seventh eighth ninth tenth former late
    active able etc et way ways time times number kind lot thing things case cases like well even
    still often used due according eldest youngest oldest largest smallest best year years
""")
_LY_NOUNS = _set("family assembly supply ally reply monopoly anomaly butterfly rally italy")
_IRREGULAR = _set("""
    written made known born held built set led run sung drawn shot won given taken spoken found sold
    shown told taught bought begun chosen driven grown thrown sent lost left paid struck
""")
_NUMBER_ENDS = _set("s th st nd rd") | {""}

ARTICLES = _set("a an the")
DETERMINERS = _set("a an the its his her their our")
# Before "German novel" these make it one term; before "Germany" nothing does.
BEFORE_TERM = DETERMINERS | _set("of in by for at from near on to with as")
# Behind these a participle is a verb: "she made films".
BEFORE_VERB = _set("i we you he she it they who which that to has have had was were been")


def is_number(lower: str) -> bool:
    """Tell a number in digits: "1,200", "1960s", "3rd"."""
    return lower[0].isdigit() and lower.strip("0123456789.,'- ") in _NUMBER_ENDS


def is_adverb(lower: str) -> bool:
    """Tell an adverb by its ending."""
    return lower.endswith("ly") and len(lower) > 4 and lower not in _LY_NOUNS


def is_participle(lower: str) -> bool:
    """Tell a participle, or a verb in the past, by its ending; nouns in -ing pass for one."""
    if lower.endswith("ing"):
        return len(lower) > 5
    return lower in _IRREGULAR or (len(lower) > 3 and lower.endswith("ed") and lower[-3] != "e")


def opens_no_term(lower: str) -> bool:
    """Tell a word that no term begins with: one of `NO_TERMS`, or an adverb."""
    return lower in NO_TERMS or is_adverb(lower)


def is_opener(lower: str) -> bool:
    """Tell a word that begins a sentence more often than it is a name: "Besides", "Founded"."""
    return lower == "besides" or is_participle(lower) or opens_no_term(lower)
