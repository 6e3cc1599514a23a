"""Slow and obvious twins of the reading of names; they share no code with it."""

import itertools
import re
import unicodedata

from bridgerag.entities import WordFlag
from bridgerag.entities.normalize import normalize_word
from bridgerag.entities.plain import stem
from bridgerag.entities.tokens import TOKEN, is_word
from bridgerag.text import STOP_IDEOGRAPHS, STOP_WORDS
from entities.twins import entity_key, word_key

STOP, BREAK, CAPITAL, ACRONYM, NUMBER, IDEOGRAPH, LONG, CONNECTOR = WordFlag
LONGEST, APART, MOST_POSITION = 8, 8, 65000


def names(words):
    """Return the spans (chunk, name, first, words, run) and stems (chunk, stem, position)."""
    columns = (words.plain, words.stems, words.letters, words.flags)
    tokens = list(zip(*(column.tolist() for column in columns), strict=True))
    spans, stems = [], []
    for chunk in range(len(words.chunks) - 1):
        position = 0
        for s in range(words.chunks[chunk], words.chunks[chunk + 1]):
            sentence = Sentence(tokens[words.sentences[s] : words.sentences[s + 1]])
            rows = sentence.rows()
            for first, end in sorted(sentence.candidates(), key=lambda span: (span[0], -span[1])):
                if sentence.letters(first, end) < 3 or position + first > MOST_POSITION:
                    continue
                run = int((first, end) in rows)
                key = sentence.key(first, end)
                spans.append((chunk, key, position + first, end - first, run))
            stems += [
                (chunk, stem, position + place)
                for place, (_, stem, _, flags) in enumerate(sentence.words)
                if not flags & STOP and position + place <= MOST_POSITION
            ]
            position += len(sentence.words) + APART
    return spans, stems


class Sentence:
    """The words of a sentence; `breaks` are the places of words behind a break."""

    def __init__(self, tokens):
        self.words, self.breaks = [], set()
        for token in tokens:
            if token[3] & BREAK:
                self.breaks.add(len(self.words))
            else:
                self.words.append(token)

    def __len__(self):
        return len(self.words)

    def key(self, first, end):
        return entity_key([plain for plain, _, _, _ in self.words[first:end]])

    def letters(self, first, end):
        return sum(letters for _, _, letters, _ in self.words[first:end])

    def proper(self, i):
        flags = self.words[i][3]
        return bool(flags & CAPITAL and (not flags & STOP or flags & ACRONYM))

    def number(self, i):
        return bool(self.words[i][3] & NUMBER)

    def edge(self, i):
        return self.proper(i) or self.number(i)

    def broken(self, first, end):
        """Whether a break stands between the words of a span."""
        return any(place in self.breaks for place in range(first + 1, end))

    def runs(self):
        i = 0
        while i < len(self):
            two = i + 1 < len(self) and not self.broken(i, i + 2)
            if not (self.proper(i) or (self.number(i) and two and self.proper(i + 1))):
                i += 1
                continue
            ends = [end for end in range(i + 1, min(len(self), i + 12) + 1) if self.is_run(i, end)]
            yield i, max(ends)
            i = max(ends)

    def is_run(self, first, end):
        kinds = "".join(
            "e" if self.edge(i) else "s" if self.words[i][3] & STOP else "-"
            for i in range(first, end)
        )
        return not self.broken(first, end) and re.fullmatch("e(s{0,2}e)*", kinds) is not None

    def candidates(self):
        runs = list(self.runs())
        for first, end in runs:
            for i in range(first, end):
                for j in range(i + 1, min(end, i + LONGEST) + 1):
                    named = any(map(self.proper, range(i, j)))
                    if self.edge(i) and self.edge(j - 1) and named:
                        yield i, j
        for (first, end), (start, last) in itertools.pairwise(runs):
            if end == start and start in self.breaks and last - first <= LONGEST:
                yield first, last

    def rows(self):
        """Rows of capitalised words without a number."""
        i, found = 0, set()
        while i < len(self):
            first = i
            i += 1
            if not self.proper(first):
                continue
            while i < len(self) and i not in self.breaks and self.goes_on(i):
                i += 1
            if not any(map(self.number, range(first, i))):
                found.add((first, i))
        return found

    def goes_on(self, i):
        flags = self.words[i][3]
        capital = flags & CAPITAL and (not flags & STOP or flags & CONNECTOR)
        return bool(flags & NUMBER or capital)


# ---- titles


def title(text):
    """Return the keys of the names of a title, ascending."""
    text = text[:400]
    bare = re.sub(r"\s*\([^()]*\)\s*$", "", text)
    parts = [text, bare, *re.split(r"\s*[:|–—]\s+|\s+-\s+", bare)]
    keys = set()
    for part in parts:
        whole = words = tokens_of(part)
        while words and plain(words[0]) in STOP_WORDS:
            words = words[1:]
        while words and plain(words[-1]) in STOP_WORDS:
            words = words[:-1]
        keys.update(name_key(words or whole))
    return sorted(keys)


def title_terms(text):
    """Return the words of content of a title, of those with one stem the first."""
    words = [plain(word) for word in tokens_of(text[:400]) if not is_stop(word)]
    return [word for i, word in enumerate(words) if stem(word) not in map(stem, words[:i])]


def tokens_of(text):
    return [token for token in TOKEN.findall(text) if is_word(token)]


def name_key(words):
    """Yield the key of words that can be a name."""
    signs = "".join(map(plain, words))
    telling = any(sign.isalpha() for sign in signs)
    short = len(signs) < 3 or (len(signs) == 3 and not telling)
    if not short and len(words) <= LONGEST and any(map(means_something, words)):
        yield entity_key([word_key(plain(word)) for word in words])


def means_something(word):
    """Tell a word of content, or an acronym that is spelled as a function word ("WHO")."""
    acronym = word == word.upper() != word.lower() and 2 <= len(normalize_word(word)) <= 8
    return acronym or not is_stop(word)


def is_stop(word):
    folded = normalize_word(word)
    hiragana = "ぁ" <= word[0] <= "ゟ"
    return hiragana or folded in STOP_WORDS or folded in STOP_IDEOGRAPHS


def plain(word):
    letters = unicodedata.normalize("NFKD", normalize_word(word))
    bare = "".join(sign for sign in letters if not unicodedata.combining(sign))
    return bare or normalize_word(word)
