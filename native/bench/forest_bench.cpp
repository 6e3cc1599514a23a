#include <utility>
#include <vector>

#include "bridge/expand.h"
#include "bridge/reach.h"
#include "count.h"
#include "random.h"
#include "trees.h"

using namespace bridge;

namespace {

constexpr std::uint32_t kDocuments = 400;

// Trees, and where the abstracts and chunks of each document start.
struct Grown {
  Trees trees;
  std::vector<std::uint32_t> first_abstract{0}, first_chunk{0};
};

Grown grown(Random& random) {
  Grown all;
  for (std::uint32_t i = 0; i < kDocuments; ++i) {
    all.trees.add_document(1 + random.below(40), 3 + random.below(4), random);
    all.first_abstract.push_back(static_cast<std::uint32_t>(all.trees.parent.size()));
    all.first_chunk.push_back(static_cast<std::uint32_t>(all.trees.n_chunks));
  }
  return all;
}

// The abstracts of some entities, most of them in few.
SeedLists some_seeds(std::uint32_t abstracts, Random& random) {
  SeedLists seeds{{0}, {}};
  for (int entity = 0; entity < 6; ++entity) {
    std::uint32_t at = 0;
    for (std::uint32_t i = 0, n = 1 + random.below(1 + random.below(60)); i < n; ++i) {
      at += 1 + random.below(abstracts / 64);
      seeds.ids.push_back(at);
    }
    seeds.offsets.push_back(seeds.ids.size());
  }
  return seeds;
}

}  // namespace

void count_forest() {
  Random random(2);
  const Grown all = grown(random);
  const Forest forest = all.trees.view();
  std::vector<SeedLists> questions;
  for (int i = 0; i < 100; ++i) {
    questions.push_back(some_seeds(static_cast<std::uint32_t>(forest.size()), random));
  }

  count("expand_pool", [&] {
    std::size_t chunks = 0;
    for (const SeedLists& seeds : questions) {
      chunks += pool(forest, expand(forest, seeds.ids, 2)).size();
    }
    return chunks;
  });

  const std::vector<ReachSegment> segments{
      {forest, all.first_abstract, all.first_chunk, {}, {nullptr, RowType::f16, 0, 0}}};
  const std::vector<std::uint8_t> crowded(6, 0);
  count("reach", [&] {
    std::size_t chunks = 0;
    for (const SeedLists& seeds : questions) {
      chunks += reach(segments, {seeds}, crowded, kDocuments, 2).chunks;
    }
    return chunks;
  });
}
