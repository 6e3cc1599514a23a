// Finds the phrases of one document that are worth an entry in the entity index.
//
// Sees words only as keys and flags (flags mirror bridgerag.entities.words.WordFlag), so it is the
// same for every language. Three kinds of stretches are looked at, all inside one sentence and
// between breaks:
//   names   capitalised words, with connectors ("of", "de") between them and numbers behind them
//   terms   words between stop words, one to five at a time
//   Han     ideographs between function characters, two to six at a time
// What is kept is decided inside the document alone: names and whole Han runs always; single words
// and short phrases once in a short document, twice in a long one; the rest when it is repeated
// outside of one and the same longer phrase (the idea of C-value: Frantzi and others, 2000).
//
// Memory:  24 bytes an occurrence while it runs, about 2.5 occurrences a word of 262,144 words at
//          a time: a document longer than that is decided on in parts.
// Threads: safe to call at once from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bridge/hash.h"

namespace bridge {

enum WordFlag : std::uint8_t {
  kStop = 1,
  kBreak = 2,
  kCapital = 4,
  kAcronym = 8,
  kNumber = 16,
  kIdeograph = 32,
  kLong = 64,
  kConnector = 128,
};

// The words of one document: sentence j holds the words [sentences[j], sentences[j + 1]), chunk i
// the sentences [chunks[i], chunks[i + 1]).
struct WordStream {
  std::span<const Key> keys;
  std::span<const std::uint8_t> flags;
  std::span<const std::uint32_t> sentences;
  std::span<const std::uint32_t> chunks;
};

// Pairs (entity, chunk) as two arrays of one length, ascending by entity, then chunk; no pair twice.
struct Mentions {
  std::vector<Key> entities;
  std::vector<std::uint32_t> chunks;
};

// Whether the borders ascend, start at 0 and end where the level below ends.
bool well_formed(const WordStream& words);

// What else is known of a document: pairs found by other means (headings), which are kept whatever
// the counts say, and pairs of names for one thing ("WHO", "World Health Organization"): a chunk
// that mentions one of them mentions the other.
struct Known {
  std::span<const Key> entities;  // as long as chunks
  std::span<const std::uint32_t> chunks;
  std::span<const Key> aliases;  // two and two
};

// Returns the phrases of a document with the chunks that mention them.
// Requires: well_formed(words); every known chunk is one of the document; |known.aliases| even.
// Cost: O(n log n) in the occurrences, about 0.1 microseconds a word; aliases add the occurrences of
// the names they pair.
Mentions phrases(const WordStream& words, const Known& known);

// Writes the key of the n-gram of n words that starts at word i to grams[i * max_words + n - 1];
// n-grams past the last word get 0.
// Requires: |grams| == |words| * max_words.
void ngram_keys(std::span<const Key> words, std::size_t max_words, std::span<Key> grams);

}  // namespace bridge
