#include "bridge/expand.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace bridge {
namespace {

constexpr std::uint32_t kMaxLevel = 255;  // no way up is longer, in a sound forest

// Ids [first, last) of abstracts or chunks; 64 bits, so that the end of a range cannot overflow.
struct Range {
  std::uint64_t first, last;
};

void expect_known(const Forest& forest, AbstractId abstract) {
  if (abstract < forest.size()) {
    return;
  }
  throw std::out_of_range("abstract is " + std::to_string(abstract) + "; the forest has " +
                          std::to_string(forest.size()));
}

void sort_unique(std::vector<AbstractId>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

// Appends what lies below an abstract, one range a level: the children of consecutive abstracts are
// consecutive. Levels fall by one at each step, so even a forest with a loop comes to an end.
void descend(const Forest& forest, AbstractId abstract, std::uint32_t depth,
             std::vector<Range>& out) {
  Range range{abstract, abstract + std::uint64_t{1}};
  for (std::uint32_t steps = std::min<std::uint32_t>(depth, forest.level[abstract]); steps > 0;
       --steps) {
    const std::uint64_t first = forest.first_child[range.first];
    const std::uint64_t last =
        std::uint64_t{forest.first_child[range.last - 1]} + forest.child_count[range.last - 1];
    if (first >= last || last > forest.size()) {
      return;
    }
    range = {first, last};
    out.push_back(range);
  }
}

// The ancestors of all seeds at once, a step at a time. An abstract is reached first by its nearest
// seed, with the most steps left, so those who come later need not go on.
std::vector<AbstractId> ascend(const Forest& forest, const std::vector<AbstractId>& seeds,
                               std::uint32_t depth) {
  std::vector<AbstractId> found, frontier = seeds, above, merged;
  for (depth = std::min(depth, kMaxLevel); depth > 0 && !frontier.empty(); --depth) {
    above.clear();
    for (const AbstractId abstract : frontier) {
      const AbstractId parent = forest.parent[abstract];
      if (parent < forest.size() && (above.empty() || above.back() != parent)) {
        above.push_back(parent);
      }
    }
    sort_unique(above);
    frontier.clear();
    std::set_difference(above.begin(), above.end(), found.begin(), found.end(),
                        std::back_inserter(frontier));
    merged.clear();
    std::set_union(found.begin(), found.end(), frontier.begin(), frontier.end(),
                   std::back_inserter(merged));
    found.swap(merged);
  }
  return found;
}

// All ids in the ranges, each once, ascending.
std::vector<std::uint32_t> spread(std::vector<Range>& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  std::vector<std::uint32_t> ids;
  std::uint64_t next = 0;
  for (const Range& range : ranges) {
    for (next = std::max(next, range.first); next < range.last; ++next) {
      ids.push_back(static_cast<std::uint32_t>(next));
    }
  }
  return ids;
}

}  // namespace

std::vector<AbstractId> ancestors(const Forest& forest, AbstractId abstract, std::uint32_t depth) {
  expect_known(forest, abstract);
  return ascend(forest, {abstract}, depth);  // ids rise with the level
}

std::vector<AbstractId> descendants(const Forest& forest, AbstractId abstract,
                                    std::uint32_t depth) {
  expect_known(forest, abstract);
  std::vector<Range> ranges;
  descend(forest, abstract, depth, ranges);
  return spread(ranges);
}

std::vector<AbstractId> expand(const Forest& forest, std::span<const AbstractId> seeds,
                               std::uint32_t depth) {
  std::vector<AbstractId> start(seeds.begin(), seeds.end());
  sort_unique(start);
  if (!start.empty()) {
    expect_known(forest, start.back());
  }
  std::vector<Range> ranges;
  for (const AbstractId seed : start) {
    ranges.push_back({seed, seed + std::uint64_t{1}});
    descend(forest, seed, depth, ranges);
  }
  for (const AbstractId abstract : ascend(forest, start, depth)) {
    ranges.push_back({abstract, abstract + std::uint64_t{1}});
  }
  return spread(ranges);
}

std::vector<ChunkId> pool(const Forest& forest, std::span<const AbstractId> abstracts) {
  std::vector<Range> ranges;
  ranges.reserve(abstracts.size());
  for (const AbstractId abstract : abstracts) {
    expect_known(forest, abstract);
    const std::uint64_t first = forest.first_chunk[abstract];
    const std::uint64_t last = first + forest.chunk_count[abstract];
    if (last > forest.chunks) {
      throw DamagedPayload("abstract " + std::to_string(abstract) + " owns chunks up to " +
                           std::to_string(last) + "; the forest has " +
                           std::to_string(forest.chunks));
    }
    ranges.push_back({first, last});
  }
  return spread(ranges);
}

}  // namespace bridge
