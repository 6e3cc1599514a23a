#include "bridge/terms.h"

#include <cstddef>

namespace bridge {
namespace {

constexpr Key kMultiplier = 0xD1342543DE82EF95ULL;

bool is_term(std::uint8_t flags) { return (flags & (kStop | kBreak)) == 0; }

bool is_han_term(std::uint8_t flags) { return is_term(flags) && (flags & kIdeograph) != 0; }

// A key that neither a word nor, likely, another pair has.
Term pair_term(Key left, Key right) { return (left ^ kEmptyEntity) * kMultiplier + right; }

// Appends the terms of the words [first, last). A pair may reach over the end.
void append(std::span<const Key> keys, std::span<const std::uint8_t> flags, std::size_t first,
            std::size_t last, std::vector<Term>& found) {
  for (std::size_t i = first; i < last; ++i) {
    if (!is_term(flags[i])) {
      continue;
    }
    found.push_back(keys[i]);
    if (is_han_term(flags[i]) && i + 1 < keys.size() && is_han_term(flags[i + 1])) {
      found.push_back(pair_term(keys[i], keys[i + 1]));
    }
  }
}

}  // namespace

std::vector<Term> terms(std::span<const Key> keys, std::span<const std::uint8_t> flags) {
  std::vector<Term> found;
  append(keys, flags, 0, keys.size(), found);
  return found;
}

ChunkTerms chunk_terms(const WordStream& words, std::span<const Term> title) {
  ChunkTerms found;
  for (std::uint32_t chunk = 0; chunk + 1 < words.chunks.size(); ++chunk) {
    const std::size_t first = words.sentences[words.chunks[chunk]];
    append(words.keys, words.flags, first, words.sentences[words.chunks[chunk + 1]], found.terms);
    found.terms.insert(found.terms.end(), title.begin(), title.end());
    found.chunks.resize(found.terms.size(), chunk);
  }
  return found;
}

}  // namespace bridge
