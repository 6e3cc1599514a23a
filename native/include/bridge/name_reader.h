// Reads the words of a document for the walk: the spans that may be names, and the stems of words.
//
// What is a name is decided when a question comes: what a title defines, or what several chunks
// hold. So every span that may turn out to be one is kept, and a document is read without a look at
// any other.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bridge/hash.h"
#include "bridge/phrases.h"

namespace bridge {

using Stem = std::uint32_t;  // the low half of a stem's word key

// The words of one document, as `WordStream`, with more columns.
struct NameStream {
  std::span<const Key> plain;             // a word's key without case and accents; 0 for a break
  std::span<const Stem> stems;            // of its stem
  std::span<const std::uint8_t> letters;  // signs of the plain word, 255 for more
  std::span<const std::uint8_t> flags;    // WordFlag
  std::span<const std::uint32_t> sentences;
  std::span<const std::uint32_t> chunks;
};

// A span of words in a chunk. Positions count the words of the chunk from 0, breaks left out, and
// eight more between two sentences; what lies behind kMostPosition is not read.
struct NameSpan {
  Key name;
  std::uint16_t first;
  std::uint8_t words;  // 1 to 8
  std::uint8_t run;    // 1 for a run of capitalised words that is no part of a longer one
};

inline constexpr std::uint16_t kMostPosition = 65000;
inline constexpr std::uint16_t kTitlePosition = 65535;  // of a word that stands in the title only

struct StemPlace {
  Stem stem;
  std::uint16_t position;
};

// Row c of `spans` is chunk c's, by first word, the longer first; row c of `stems` its words that
// are no function words, by position.
struct NamesRead {
  std::vector<NameSpan> spans;
  std::vector<std::uint32_t> span_borders;  // one more than chunks
  std::vector<StemPlace> stems;
  std::vector<std::uint32_t> stem_borders;  // one more than chunks
};

NamesRead read_names(const NameStream& words);

}  // namespace bridge
