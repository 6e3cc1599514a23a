// Picks the sentences that summarise each abstract of a document.
//
// A leaf picks among its best sentences, an abstract above among what its children picked; each by
// score, less the share of a sentence's words that those picked before have said (the greedy idea
// of maximal marginal relevance: Carbonell and Goldstein, 1998).
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace bridge {

// The sentences of a document: sentence j holds the content words [offsets[j], offsets[j + 1]).
struct ScoredSentences {
  std::span<const double> scores;          // none is NaN
  std::span<const std::uint32_t> sizes;    // in words
  std::span<const std::uint32_t> offsets;  // one more than sentences
  std::span<const std::uint32_t> words;
};

// The abstracts of a document, children before parents. A leaf (no children) owns the sentences
// [first, first + count), another the children [first, first + count).
struct SummaryTree {
  std::span<const std::uint8_t> is_leaf;
  std::span<const std::uint32_t> first;
  std::span<const std::uint32_t> count;
  std::span<const std::uint32_t> room;  // about so many words
};

// A tree as `Tree` of forest/grow.py has it, children before parents.
struct TreeColumns {
  std::span<const std::uint32_t> child_count, first_child, first_chunk, chunk_count;
  std::span<const std::uint8_t> level;
};

// What a `SummaryTree` is a view of.
struct SummaryShape {
  std::vector<std::uint8_t> is_leaf;
  std::vector<std::uint32_t> first, count, room;
};

// Args:
//   chunks  the sentences of chunk c are [chunks[c], chunks[c + 1])
//   rooms   of an abstract by its level; the last one holds for all above
// Requires: the columns have one length and name chunks; `rooms` is not empty.
SummaryShape summary_shape(const TreeColumns& tree, std::span<const std::uint32_t> chunks,
                           std::span<const std::uint32_t> rooms);

// Abstract a has picked the sentences [borders[a], borders[a + 1]) of `sentences`, ascending.
struct Picked {
  std::vector<std::uint32_t> sentences;
  std::vector<std::uint32_t> borders;
};

// The first invariant that does not hold, or nullptr.
const char* check(const ScoredSentences& sentences, const SummaryTree& tree);

// Picks one sentence an abstract, however long it is, and others that fit and say something new.
// Equal scores go to the earlier sentence.
// Requires: check(sentences, tree) == nullptr.
// Cost: linear in the sentences; about 2 microseconds a sentence that is weighed against others.
Picked pick(const ScoredSentences& sentences, const SummaryTree& tree);

}  // namespace bridge
