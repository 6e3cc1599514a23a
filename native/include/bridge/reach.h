// What the entities of a question reach in all segments of a store: seed abstracts, the abstracts
// around them, the chunks those own.                            Bridge-RAG, Algorithm 1, lines 3-17
//
// An entity in many documents says little about where to look, and its chunks would have to be
// ranked all. One in at most `few_documents` documents is always followed, however many chunks that
// opens. Another is not where it is in more than `common_share` of the documents; and the others
// are followed from the rarest on, as long as the pool stays within `most_chunks`. Where that
// leaves nothing, a smaller depth is taken, the largest at which one is followed. All of that is
// counted over live documents of all segments together, so it is the same however a store is cut.
//
// Memory:  the segments' arrays are the caller's, and outlive what is made of them.
// Threads: nothing here changes a segment; all of it may run at once from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bridge/expand.h"
#include "bridge/forest.h"
#include "bridge/rank.h"

namespace bridge {

struct ReachLimits {
  std::uint32_t few_documents = 20;
  double common_share = 0.05;
  std::size_t most_chunks = 2048;
};

// Requires: both columns of borders ascend from 0 to what the forest has.
struct ReachSegment {
  Forest forest;
  std::span<const std::uint32_t> first_abstract, first_chunk;  // of each document, then the end
  std::span<const std::uint8_t> alive;                         // a byte a document; empty: all are
  Rows rows;                                                   // one a chunk; none without vectors
};

// Abstracts by entity: those of entity e are ids[offsets[e] .. offsets[e + 1]), ascending.
struct SeedLists {
  std::vector<std::uint64_t> offsets;
  std::vector<AbstractId> ids;

  std::span<const AbstractId> of(std::size_t entity) const {
    return std::span(ids).subspan(offsets[entity], offsets[entity + 1] - offsets[entity]);
  }
};

enum class Verdict : std::uint8_t {
  followed,
  common,   // in too large a share of the documents
  crowded,  // with it the pool would be too large
};

struct Reach {
  std::vector<Verdict> verdicts;                  // one an entity
  std::vector<std::uint32_t> documents;           // live ones with the entity; 0 if crowded
  std::vector<SeedLists> seeds;                   // one a segment; of those followed
  std::vector<std::vector<AbstractId>> expanded;  // one a segment, ascending
  std::vector<std::vector<ChunkId>> pools;        // one a segment, ascending
  std::size_t chunks = 0;                         // in all pools
  std::uint32_t depth = 0;                        // that asked for, or the smaller one taken
};

// Abstracts of documents that are not alive. An entity of which the indexes have more than these
// and `most_chunks` together is crowded, whatever its list says: each seed owns chunks of its own.
std::size_t dead_abstracts(const ReachSegment& segment);

// Whether any of a segment's abstracts, ascending, is of a live document.
bool any_alive(const ReachSegment& segment, std::span<const AbstractId> abstracts);

// What the entities reach within `depth` levels. `found` is what each segment's index gave for
// them, dead documents included; `crowded` says of which entities it was not asked.
// Cost: log2(entities) + log2(depth) openings of pools, each O(seeds + what they expand to).
// Requires: |found| == |segments|, each of |crowded| entities; `documents` is how many are alive.
// Throws std::out_of_range for an abstract that is not in its forest; DamagedPayload by `pool`.
Reach reach(std::span<const ReachSegment> segments, std::vector<SeedLists> found,
            std::span<const std::uint8_t> crowded, std::size_t documents, std::uint32_t depth,
            const ReachLimits& limits = {});

struct Found {
  std::uint32_t segment;
  ChunkId chunk;
  float score;
};

// The k chunks of highest cosine, best first, equal scores by segment and chunk; with them all that
// equal the last, at most k a segment. Requires: every segment has rows; |query| is their width.
std::vector<Found> best(std::span<const ReachSegment> segments, const Reach& reach,
                        std::span<const float> query, std::size_t k);

// How an entity leads to a chunk: `steps` levels up from the seed to the owner, or down if below 0.
struct Way {
  std::uint32_t entity;
  AbstractId seed, owner;
  std::int32_t steps;
};

struct Traced {
  std::vector<AbstractId> owners;  // the expanded abstracts that own the chunk, narrowest first
  std::vector<Way> ways;           // one for each entity that leads to it, the shortest
};

// Why a chunk of the pool of a segment is there. Of ways as short, the one to the narrowest owner
// is told, then the one from the lowest seed; a seed that is an owner itself goes on down to the
// narrowest within the depth. Throws std::out_of_range for a chunk that is not in the segment.
Traced trace(const ReachSegment& segment, const Reach& reach, std::size_t number, ChunkId chunk);

}  // namespace bridge
