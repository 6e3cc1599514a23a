// Pushes the weight of a question from chunk to name to chunk, for a few rounds.
//
// A personalised page rank computed locally, after the forward push of Andersen, Chung and Lang
// (2006); rounds and a frontier of a fixed size bound it in place of a least residual, so that the
// cost has a ceiling that does not depend on the corpus.
//
// Graph, Push and their results are the same to the last bit however the corpus is cut into
// segments: weights are multiples of 2^-48 and small, so that sums do not depend on their order,
// and ties are settled by the ids of documents.
//
// Threads: a Graph is for any number of threads; a Push belongs to one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bridge/flat_map.h"
#include "bridge/lexical.h"
#include "bridge/name_index.h"

namespace bridge {

// Requires: 0 < restart <= 1; rounds in [1, 64]; frontier and width in [1, 4096]; near_weight >= 0
// and near_words > 0, both finite; definition_weight in [1, 64]; degree_power in [0.5, 1].
struct WalkOptions {
  double restart = 0.3;             // of the weight, back to the start at each half step
  std::uint32_t rounds = 4;         // of two half steps
  std::uint32_t frontier = 160;     // names, and chunks, that are pushed in a round
  std::uint32_t width = 100;        // chunks; a name in more leads to none that merely mentions it
  double near_weight = 8.0;         // of a name with all that is asked right beside it
  double near_words = 8.0;          // words away, where nearness has fallen to 1 / e
  double definition_weight = 16.0;  // against a mention of 1
  double degree_power = 0.7;        // of what a name leads to, that its weight is shared by
};

inline constexpr unsigned kNearMost = 32;  // words; what stands further away is not near
inline constexpr std::uint32_t kNowhere = 0xFFFFFFFFU;

// A segment, and which of its chunks are there. Chunks are numbered through the segments in order.
struct WalkSegment {
  const NameIndex* names;
  std::span<const std::uint32_t> first_chunk;  // of each document, and the end; ascend strictly
  Alive alive;
};

// What is known of a name in the whole corpus.
struct NameFacts {
  std::uint32_t chunks = 0;     // that may hold it
  std::uint32_t runs = 0;       // in how many it is a run of its own; 2 for more
  std::uint32_t documents = 0;  // that it titles
};

// The place of a name in a segment, for a reader that has met it there: it need not be looked up.
struct NameHint {
  std::uint32_t segment = kNowhere;
  std::uint32_t place = kNowhere;
};

// Where a name stands in a chunk.
struct NamePlace {
  std::uint32_t chunk;
  std::uint16_t first;
  std::uint8_t words;
};

struct Asked {
  std::span<const Stem> stems;      // each once
  std::span<const double> weights;  // what each is worth beside a name; together 1 or 0
};

struct Weighted {
  std::span<const std::uint32_t> chunks;
  std::span<const double> chunk_weights;
  std::span<const Key> names;
  std::span<const double> name_weights;
};

// Names and chunks as a graph.
class WalkGraph {
 public:
  // Requires: |first_chunk| - 1 documents and |alive| chunks (or 0), as the index of each segment
  // has; fewer than 2^31 chunks in all.
  WalkGraph(std::vector<WalkSegment> segments, const WalkOptions& options);

  const WalkOptions& options() const { return options_; }
  std::size_t chunks() const { return first_.back(); }
  double live_chunks() const { return live_chunks_; }

  NameFacts facts(Key name, NameHint hint = {}) const;
  // Its place in a segment; names() where it is not there.
  std::size_t place(std::size_t segment, Key name, NameHint hint) const;
  // Its definitions in a segment.
  std::span<const Definition> definitions(std::size_t segment, Key name, NameHint hint) const;
  bool known(const NameFacts& facts) const;    // a title's name, or a run in two chunks
  bool defined(const NameFacts& facts) const;  // a title's name, of no more than `width` documents
  bool walkable(const NameFacts& facts) const;
  double rarity(const NameFacts& facts) const;  // ln((n + 1) / (chunks + 0.5)), at least 0

  // The chunks that a name leads to, ascending: those it defines, and those that may hold it, if
  // they are no more than `width`.
  std::vector<std::uint32_t> chunks_of(Key name) const;

  // Whether `a` comes before `b` where their weights are equal: by document id, then chunk. That is
  // a strict order of all chunks even where a damaged index has its ids in none.
  bool before(std::uint32_t a, std::uint32_t b) const;

  struct At {
    std::uint32_t segment, chunk;
  };
  At at(std::uint32_t chunk) const;
  const WalkSegment& segment(std::size_t i) const { return segments_[i]; }
  std::size_t segments() const { return segments_.size(); }
  std::uint32_t first(std::size_t segment) const { return first_[segment]; }
  // The document of a chunk in its segment.
  static std::uint32_t document(const WalkSegment& segment, std::uint32_t chunk);

 private:
  std::vector<WalkSegment> segments_;
  std::vector<std::uint32_t> first_;  // chunk of each segment, and the end
  WalkOptions options_;
  double live_chunks_ = 0;
};

struct Pool {
  std::span<const std::uint32_t> chunks;
  std::span<const double> values;
};

struct Chosen {
  std::vector<std::uint32_t> places;  // in the pool
  std::vector<double> gains;
};

// One question's walk.
class Push {
 public:
  // Requires: chunks of the graph, each once; names each once. A name of the start may stand in one
  // chunk only; one that stands nowhere is left out.
  // Cost: usually some thousands of edges, at most rounds * frontier * (names of a chunk +
  // 2 * width).
  Push(const WalkGraph& graph, const Asked& asked, const Weighted& start);
  Push(Push&&) = default;
  Push(const Push&) = delete;  // its rows stay where they are

  // Up to `count` chunks that weight came to, heaviest first.
  std::vector<std::uint32_t> chunks(std::size_t count) const;
  double weight(std::uint32_t chunk) const;

  // The names that the `count` heaviest chunks lead to, by falling share of their weight, with a
  // place where each stands, and the stems of its words there; at most `most`.
  struct Lead {
    Key name;
    double gain;
    double rarity;
    NamePlace place;
    std::vector<Stem> stems;
  };
  std::vector<Lead> leads(std::size_t count, std::size_t most);

  // How most of the weight came to a chunk, from the start to it, without circles: names and chunks
  // in turn. A name that the walk read in a chunk has its place there, one of the start has none.
  struct Step {
    bool is_name;
    Key name;
    NamePlace place;  // a chunk: its number in `place.chunk`
  };
  std::vector<Step> way(std::uint32_t chunk) const;

  // Chooses chunks one by one, at most `count`: each by its value, the worth of the words that it
  // holds and none before it does, and `link_weight` times the most of its weight that one before
  // it hands on to it, from name to chunk. What tells the same as two chosen before, nine tenths
  // of the distinct words of either in the other, is chosen only where nothing else is left. Cost: O(|pool| * (|words| * count +
  // |pool| + count * words of a chunk)), and the edges of those chosen.
  Chosen choose(const Pool& pool, const Asked& words, double link_weight, std::size_t count);

 private:
  struct Name {
    Key key;
    NameFacts facts;
    bool defined, walkable;
    double rarity;
    NameHint hint;
  };
  struct Edge {
    std::uint32_t to;
    double share;
    std::uint16_t first;  // from a chunk: where the name stands best
    std::uint8_t words;
  };
  using Edges = std::span<const Edge>;

  // Rows of edges that stay where they are while others are added.
  class EdgeRows {
   public:
    Edges keep(const std::vector<Edge>& row);

   private:
    std::vector<std::vector<Edge>> blocks_;
  };

  std::uint32_t name_node(Key key, NameHint hint = {});
  std::uint32_t stored_name(std::uint32_t segment, std::uint32_t place);
  std::uint32_t chunk_node(std::uint32_t chunk);
  Edges leaving_chunk(std::uint32_t node);
  Edges leaving_name(std::uint32_t node);
  void prefetch_chunks(std::span<const std::uint32_t> nodes) const;
  void prefetch_names(std::span<const std::uint32_t> nodes) const;
  void hand_on(std::uint32_t chunk, const Pool& pool, std::vector<double>& most);
  const std::vector<StoredSpan>& mentions(std::uint32_t segment, std::uint32_t chunk);
  void choose_apart(bool defined);
  double nearness(const StoredSpan& span);
  void find_asked(const NameIndex& names, std::uint32_t chunk);
  std::vector<std::uint32_t> heaviest(const std::vector<double>& weight, bool names,
                                      std::size_t count) const;

  template <typename Leaving>
  std::vector<std::uint32_t> step(const std::vector<double>& start, const std::vector<double>& from,
                                  bool from_names, std::vector<double>& to, Leaving leaving);

  const WalkGraph& graph_;
  FlatMap asked_places_;      // of the stems that the question asks with
  std::vector<double> asks_;  // what each is worth
  std::uint64_t asked_bits_ = 0;
  std::array<double, kNearMost + 1> decay_{};

  std::vector<Name> names_;
  FlatMap name_of_key_, name_of_place_;
  std::vector<std::uint32_t> chunks_;
  FlatMap chunk_of_number_;
  EdgeRows rows_;
  std::vector<std::optional<Edges>> from_chunk_, from_name_;  // in rows_
  std::vector<Edge> row_;                                     // the one at hand
  std::vector<std::uint32_t> edge_of_name_;                   // in row_, or kNowhere

  // For the mentions of the chunk at hand.
  struct Scratch {
    std::vector<StoredSpan> found, chosen;  // `run`: whether it is chosen
    std::vector<std::uint8_t> covered;      // whether a position is one of a span taken
  } scratch_;

  struct Near {
    std::uint16_t position;
    std::uint32_t stem;
  };
  std::vector<Near> near_;                 // the asked stems of the chunk at hand
  std::vector<unsigned> closest_;          // of each asked stem to the span at hand, or 0
  std::vector<std::uint32_t> near_stems_;  // the asked stems near that span

  std::vector<double> weight_;  // of chunk nodes, at the end
  std::vector<std::vector<std::uint32_t>> came_to_names_, came_to_chunks_;  // by round and node
};

// Whether each chunk holds each stem, in its text or its title: a row a chunk.
std::vector<std::uint8_t> held(const WalkGraph& graph, std::span<const std::uint32_t> chunks,
                               std::span<const Stem> stems);

// The places of `chunks` in an order that leaves out copies until the others are there: first those
// of which no `earlier` chunk and none before holds more than `most` of the distinct words, then
// the rest; each part keeps its order. Looks at the first `reach` chunks only, the others stand
// behind. Requires: chunks of the graph. Cost: O(reach^2) merges of two rows of words.
std::vector<std::uint32_t> copies_last(const WalkGraph& graph,
                                       std::span<const std::uint32_t> earlier,
                                       std::span<const std::uint32_t> chunks, double most,
                                       std::size_t reach);

}  // namespace bridge
