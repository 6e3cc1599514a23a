// Reads text into words and breaks: keys, flags and stems, sentence by sentence; and questions.
//
// What counts as one word: a run of letters and digits with its marks, apostrophes ("o'brien"),
// decimal points ("3.14"), the points of an abbreviation ("U.S.") and an ampersand between capitals
// ("AT&T"); every Han character by itself; a run of hiragana. Hyphens, slashes and underscores
// separate words. Punctuation that ends a phrase is a break; other signs are skipped.
//
// Words of ASCII are described here. Others need Unicode's normal forms and case folding and are
// left to the caller.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bridge/chars.h"
#include "bridge/phrases.h"

namespace bridge {

struct WordLists {
  KeySet stop_words;
  KeySet connectors;
};

struct WordsRead {
  std::vector<Key> keys;               // 0 for a break, and for what is odd
  std::vector<std::uint8_t> flags;     // WordFlag
  std::vector<std::uint32_t> stems;    // low half of the key of the word without its ending, or 0
  std::vector<std::uint8_t> letters;   // signs of the normalised word, 255 for more
  std::vector<std::uint32_t> borders;  // words [borders[i], borders[i + 1]) stand in span i
  std::vector<Odd> odd;                // words to be described; `place` is the word's number
};

// Returns the words in some spans of a text. A word ends with its span; what stands before a span
// is looked at where a rule asks for it.
// Requires: every span is one of the text; length(text) < 2^32.
// Cost: linear, about 8 nanoseconds a character. Memory: 14 bytes a word.
WordsRead read_words(const Text& text, std::span<const Span> spans, const CharTable& chars,
                     const WordLists& lists);

// The words of a question, a number or a span each in every column.
struct QuestionWords {
  std::vector<Key> keys;              // 0 for a break
  std::vector<std::uint8_t> flags;    // WordFlag
  std::vector<Key> plain;             // key of the word without accents
  std::vector<std::uint32_t> stems;   // as in WordsRead
  std::vector<std::uint8_t> letters;  // as in WordsRead
  std::vector<Span> spans;            // where the words stand in the question

  std::size_t size() const { return keys.size(); }
  // Takes out what has key 0.
  void drop_breaks();
};

struct QuestionRead {
  QuestionWords words;   // with breaks; those that are odd look like breaks
  std::vector<Odd> odd;  // words to be described; `place` is the word's number
};

inline constexpr std::uint32_t kQuestionChars = 16'384;
inline constexpr std::size_t kQuestionWords = 1024;  // with breaks

// Returns the first words and breaks of a question, as `read_words` does those of one span.
// Requires: length(text) < 2^32. Cost: as `read_words`.
QuestionRead read_question(const Text& text, const CharTable& chars, const WordLists& lists);

}  // namespace bridge
