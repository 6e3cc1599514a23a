// An inverted index over search terms, and BM25 over it.              Robertson and Zaragoza, 2009
//
// Holds, for each term, the chunks it stands in and how often. What a term is worth (its idf) and
// the average length come from the caller, so that many indexes can answer as one; which chunks are
// still alive comes from the caller too, so that what is removed leaves no trace in the numbers.
//
// Memory:  the payload (lexical_payload.h) belongs to the caller and must outlive the index, which
//          holds only spans.
// Threads: safe to call at once from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bridge/hash.h"
#include "bridge/renumber.h"
#include "bridge/sink.h"
#include "bridge/wire.h"

namespace bridge {

using Term = Key;

// A byte a chunk, 0 for one that is as good as gone; empty where all are there.
using Alive = std::span<const std::uint8_t>;

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

// Every term once, ascending; term t stands in chunks[offsets[t] .. offsets[t + 1]), ascending, and
// in each as often as `counts` says: up to 65535 times, which stands for more as well.
struct LexicalEntries {
  std::span<const Term> terms;
  std::span<const std::uint64_t> offsets;
  std::span<const std::uint32_t> chunks;
  std::span<const std::uint16_t> counts;
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

  // Everything that is stored, in place. Throws DamagedPayload where it is not as `build_lexical`
  // leaves it. Cost: linear in the payload. `pace` hears what is read.
  LexicalEntries entries(Pace* pace = nullptr) const;

  // In how many chunks a term stands, of those alive. Requires: |alive| == chunks(), or 0.
  // Cost: a binary search, and with `alive` a step a posting.
  std::uint32_t df(Term term, Alive alive = {}) const;

  // Scores every chunk that holds a term of the query and is alive, ascending by chunk. A term that
  // weighs 0 or less is passed over; repeated terms count again. Cost: linear in their postings;
  // where these are few, the number of chunks plays no part.
  // Requires: |query.terms| == |query.idf|; |alive| == chunks(), or 0.
  ScoredChunks score(const Bm25& query, Alive alive = {}) const;

  // The best k of `score`, best first; equal scores: lower chunk first.
  ScoredChunks top(const Bm25& query, std::size_t k, Alive alive = {}) const;

  // What `score` says of each of some chunks, dead or alive; 0 for one that holds no term.
  // Requires: `chunks` ascend; each < chunks(). Cost: a search a term and chunk.
  std::vector<float> score_of(const Bm25& query, std::span<const std::uint32_t> chunks) const;

 private:
  struct Range {
    std::size_t first, last;
  };
  struct ScoredChunk {
    std::uint32_t chunk;
    float score;
  };
  Range range(Term term) const;
  static ScoredChunks best_of(std::vector<ScoredChunk> found, std::size_t k);

  // What `score` gives: by merging postings where they are few, else by a sum a chunk.
  std::vector<ScoredChunk> find(const Bm25& query, Alive alive) const;
  std::vector<ScoredChunk> find_few(const Bm25& query, Alive alive) const;
  std::vector<ScoredChunk> find_many(const Bm25& query, Alive alive) const;

  // Calls `visit(chunk, gain)` for each living chunk that gains by term t, ascending.
  template <typename Visit>
  void for_each_gain(const Bm25& query, std::size_t t, Alive alive, Visit visit) const;

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

// The payload of all parts together, chunk c of part i under the number maps[i][c]: byte for byte
// what `build_lexical` makes of the chunks that are kept. Throws std::invalid_argument where a map
// has another length than its part has chunks, or by `count_kept`; DamagedPayload by `entries`.
// Requires: |parts| == |maps|.
// Cost: linear in the parts, times log |parts| for terms; where parts interleave, a term's postings
// are sorted. Memory: a number a chunk, and the postings of one term; the payload goes to the sink.
void merge_lexical(std::span<const LexicalIndex* const> parts, std::span<const Renumbering> maps,
                   Sink& sink);
Image merge_lexical(std::span<const LexicalIndex* const> parts, std::span<const Renumbering> maps);

}  // namespace bridge
