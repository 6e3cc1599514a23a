#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "bridge/reach.h"

namespace bridge {
namespace {

using Ids = std::span<const AbstractId>;

// Those of ascending `ids` that are in [first, last).
Ids inside(Ids ids, AbstractId first, AbstractId last) {
  const auto begin = std::lower_bound(ids.begin(), ids.end(), first);
  return {begin, std::lower_bound(begin, ids.end(), last)};
}

std::vector<AbstractId> owners_of(const Forest& forest, Ids expanded, ChunkId chunk) {
  std::vector<AbstractId> owners;
  for (const AbstractId abstract : expanded) {
    if (chunk >= forest.first_chunk[abstract] &&
        chunk - forest.first_chunk[abstract] < forest.chunk_count[abstract]) {
      owners.push_back(abstract);
    }
  }
  return owners;
}

// A seed that climbs `steps` levels comes to the owner at `place`.
struct Climb {
  std::uint32_t steps;
  std::size_t place;
  AbstractId seed;

  bool operator<(const Climb& other) const {
    return std::tie(steps, place, seed) < std::tie(other.steps, other.place, other.seed);
  }
};

std::optional<Climb> shortest(const Forest& forest, Ids seeds, Ids owners, std::uint32_t depth) {
  std::optional<Climb> found;
  for (const AbstractId seed : seeds) {
    AbstractId here = seed;
    for (std::uint32_t steps = 0; here < forest.size() && steps <= depth; ++steps) {
      const auto owner = std::find(owners.begin(), owners.end(), here);
      if (owner != owners.end()) {
        const Climb climb{steps, static_cast<std::size_t>(owner - owners.begin()), seed};
        found = found ? std::min(*found, climb) : climb;
        break;  // what lies above is further
      }
      here = forest.parent[here];
    }
  }
  return found;
}

}  // namespace

Traced trace(const ReachSegment& segment, const Reach& reach, std::size_t number, ChunkId chunk) {
  const auto above =
      std::upper_bound(segment.first_chunk.begin(), segment.first_chunk.end(), chunk);
  if (above == segment.first_chunk.begin() || above == segment.first_chunk.end()) {
    throw std::out_of_range("chunk is " + std::to_string(chunk) + "; the segment has " +
                            std::to_string(segment.first_chunk.back()));
  }
  const auto place = static_cast<std::size_t>(above - segment.first_chunk.begin()) - 1;
  const AbstractId first = segment.first_abstract[place], last = segment.first_abstract[place + 1];
  Traced traced;
  traced.owners = owners_of(segment.forest, inside(reach.expanded[number], first, last), chunk);
  for (std::uint32_t e = 0; e < reach.verdicts.size(); ++e) {
    const Ids seeds = inside(reach.seeds[number].of(e), first, last);
    const auto climb = shortest(segment.forest, seeds, traced.owners, reach.depth);
    if (!climb) {
      continue;
    }
    if (climb->steps > 0) {
      traced.ways.push_back(
          {e, climb->seed, traced.owners[climb->place], static_cast<std::int32_t>(climb->steps)});
    } else {
      const std::size_t down = std::min<std::size_t>(reach.depth, climb->place);
      traced.ways.push_back(
          {e, climb->seed, traced.owners[climb->place - down], -static_cast<std::int32_t>(down)});
    }
  }
  return traced;
}

}  // namespace bridge
