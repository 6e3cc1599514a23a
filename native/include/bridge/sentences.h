// Where sentences begin and end, in any script.
//
// A text is cut at paragraph borders (blank lines, list items, table rows, headings), at line ends
// that do not look like hard wraps, and after full stops. Narrow stops (Latin, Cyrillic, Greek)
// must be followed by white space and something that can begin a sentence; wide ones (CJK, Arabic,
// Indic) stand alone.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bridge/chars.h"

namespace bridge {

// Words that decide, as keys of their lower case; `openers` as they are spelled.
struct SentenceWords {
  KeySet never_last;     // a stop behind them never ends a sentence
  KeySet before_number;  // nor does it where a number follows
  KeySet rarely_last;    // it does where an opener follows
  KeySet openers;
  KeySet function_words;  // a line that ends with one goes on
};

// Returns the spans of the sentences in [start, end) of a text, in order. Neither end of a span is
// white space and every other character is inside exactly one span; a span may hold line ends. What
// stands before `start` and behind `end` is looked at where a rule asks for it.
// Requires: start <= end <= length(text) < 2^32.
// Cost: linear.
std::vector<Span> sentences(const Text& text, std::size_t start, std::size_t end,
                            const CharTable& chars, const SentenceWords& words);

}  // namespace bridge
