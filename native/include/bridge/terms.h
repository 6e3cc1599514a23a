// Which words of a document or a question BM25 counts.
//
// Terms are the words that are no function words; neighbouring Han characters also count as pairs.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bridge/lexical.h"
#include "bridge/phrases.h"

namespace bridge {

// The terms among some words, in the order they stand; a pair behind the first of its two.
std::vector<Term> terms(std::span<const Key> keys, std::span<const std::uint8_t> flags);

// Terms and the chunk of each, ascending by chunk.
struct ChunkTerms {
  std::vector<Term> terms;
  std::vector<std::uint32_t> chunks;
};

// The terms of each chunk in the order they stand, and behind them `title` in each.
// Requires: well_formed(words). Cost: linear.
ChunkTerms chunk_terms(const WordStream& words, std::span<const Term> title);

}  // namespace bridge
