// How many tokens a text has: word pieces of a vocabulary, as BERT's uncased models count them.
//
// Pieces of a text stand between white space. Those of plain signs are counted here: punctuation is
// a token a sign, a word is its longest known beginning, then what follows. All others (CJK, loose
// marks, control characters) need Unicode's normal forms and are left to the caller.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/chars.h"

namespace bridge {

struct TokenCount {
  std::vector<std::uint32_t> tokens;  // of each span, without what is odd
  std::vector<Odd> odd;               // what is to be added; `place` is the span's number
};

class WordPieces {
 public:
  // Takes words, a line each; "##" begins one that continues a word. `plain` says of the first code
  // points what they count as: a letter from a to z or a digit, which make words; another sign,
  // which is a token; or 0 for what is not plain.
  WordPieces(std::string_view vocabulary, std::string_view plain);

  // Counts the tokens of some spans of a text. A span that holds white space which BERT deletes
  // (\v, \f, U+001C to U+001F, U+0085), gluing its neighbours together, is odd as a whole.
  // Requires: every span is one of the text.
  // Cost: linear, about 4 nanoseconds a character; more for words that are not in the vocabulary.
  TokenCount count(const Text& text, std::span<const Span> spans, const CharTable& chars) const;

 private:
  KeySet begin_, go_on_;
  std::string plain_;
  std::size_t longest_;  // word in the vocabulary, in bytes

  std::uint32_t split(std::string_view word) const;

  template <typename Unit>
  class Counter;
};

}  // namespace bridge
