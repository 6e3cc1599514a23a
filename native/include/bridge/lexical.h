// An inverted index over search terms, and BM25 over it.              Robertson and Zaragoza, 2009
//
// Holds, for each term, the chunks it stands in and how often. What a term is worth (its idf) and
// the average length come from the caller, so that many indexes can answer as one.
//
// Payload: a `LexicalHeader`, then terms u64[terms], ascending; offsets u64[terms + 1] into the two
// posting sections; lengths u32[chunks]; postings u32[postings], chunks ascending within a term;
// counts u16[postings].
//
// Memory:  the payload belongs to the caller and must outlive the index, which holds only spans.
// Threads: safe to call at once from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bridge/hash.h"
#include "bridge/wire.h"

namespace bridge {

using Term = Key;

struct LexicalHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t chunks;
  std::uint64_t terms;
  std::uint64_t postings;
  std::uint64_t total_length;  // all lengths together
};

// Term t of a query weighs idf[t]; a chunk of the average length is neither favoured nor punished.
struct Bm25 {
  std::span<const Term> terms;
  std::span<const float> idf;
  float average_length;
  float k1;  // how soon repeats of a term stop counting
  float b;   // how much length counts, 0 to 1
};

struct ScoredChunks {
  std::vector<std::uint32_t> chunks;
  std::vector<float> scores;
};

class LexicalIndex {
 public:
  // Refuses (DamagedPayload) a payload of another kind, layout or size. Reads the header only; what
  // a damaged body says is checked against the borders when it is followed.
  explicit LexicalIndex(std::span<const std::byte> payload);

  std::size_t chunks() const { return lengths_.size(); }
  std::size_t terms() const { return terms_.size(); }
  std::size_t postings() const { return postings_.size(); }
  std::uint64_t total_length() const { return total_length_; }
  std::span<const std::uint32_t> lengths() const { return lengths_; }  // in terms, with repeats

  // In how many chunks a term stands.
  std::uint32_t df(Term term) const;

  // Scores every chunk that holds a term of the query, ascending by chunk. A term that weighs 0 or
  // less is passed over; repeated terms count again. Cost: linear in the terms' postings.
  // Requires: |query.terms| == |query.idf|.
  ScoredChunks score(const Bm25& query) const;

  // The best k of `score`, best first; equal scores: lower chunk first.
  ScoredChunks top(const Bm25& query, std::size_t k) const;

 private:
  struct Range {
    std::size_t first, last;
  };
  Range range(Term term) const;

  std::span<const Term> terms_;
  std::span<const std::uint64_t> offsets_;
  std::span<const std::uint32_t> lengths_;
  std::span<const std::uint32_t> postings_;
  std::span<const std::uint16_t> counts_;
  std::uint64_t total_length_ = 0;
};

// Builds the payload of `chunks` chunks: occurrence i says that terms[i] stands in where[i].
// Requires: |terms| == |where|; `where` does not descend; every where[i] < chunks.
// Cost: linear, plus sorting the distinct terms.
Image build_lexical(std::span<const Term> terms, std::span<const std::uint32_t> where,
                    std::uint32_t chunks);

}  // namespace bridge
