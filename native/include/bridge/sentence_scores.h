// Scores the sentences of a document for its summaries.
//
// A sentence is worth the words it holds: those that the document returns to without using them
// everywhere, and those of its headings. Prose of 10 to 40 words that looks whole scores best, and
// what stands early in the document or in its chunk a little better.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bridge/chars.h"
#include "bridge/phrases.h"

namespace bridge {

// What `pick` (summary.h) asks of the sentences of a document. Words are told apart by a bucket of
// their key: counting them is then one pass without sorting, and the rare two that meet in a bucket
// merely share their weight.
struct SentenceScores {
  std::vector<double> scores;
  std::vector<std::uint32_t> sizes;    // words, breaks left out
  std::vector<std::uint32_t> offsets;  // the words of sentence j are [offsets[j], offsets[j + 1])
  std::vector<std::uint32_t> words;    // buckets of words that are no function words
};

// Args:
//   spans     the sentences in `text`, as many as `words` has, none of them empty
//   headings  keys of the words of the document's headings
// Requires: well_formed(words).
// Cost: linear, about 15 nanoseconds a word. Memory: 8 bytes a word, and 16 to 32 to count them.
SentenceScores score_sentences(const Text& text, std::span<const Span> spans,
                               const WordStream& words, std::span<const Key> headings,
                               const CharTable& chars);

}  // namespace bridge
