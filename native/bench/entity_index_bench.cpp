#include <vector>

#include "bridge/entity_index.h"
#include "count.h"
#include "random.h"

using namespace bridge;

namespace {

constexpr std::uint32_t kEntities = 20'000;
constexpr std::uint32_t kQuestions = 16'384;

struct Pairs {
  std::vector<Key> keys;
  std::vector<AbstractId> abstracts;
};

// Half of the entities in one abstract, few in many, in random order.
Pairs some_pairs(Random& random) {
  Pairs pairs;
  for (std::uint32_t i = 0; i < 3 * kEntities; ++i) {
    pairs.keys.push_back(mix(1 + random.below(1 + random.below(kEntities))));
    pairs.abstracts.push_back(random.below(50'000));
  }
  return pairs;
}

}  // namespace

void count_entity_index() {
  Random random(1);
  const Pairs pairs = some_pairs(random);
  std::vector<Key> asked;  // every other one is unknown
  for (std::uint32_t i = 0; i < kQuestions; ++i) {
    asked.push_back(i % 2 == 0 ? mix(1 + random.below(kEntities)) : random.next());
  }

  EntityIndex index;
  count("entity_build", [&] {
    index = EntityIndex::build(pairs.keys, pairs.abstracts);
    return index.size();
  });

  std::vector<std::uint64_t> offsets(asked.size() + 1);
  LargeVector<AbstractId> ids;
  ids.reserve(pairs.keys.size());
  count("lookup_many", [&] {
    index.lookup_many(asked, offsets, ids);
    return ids.size();
  });

  std::vector<std::uint32_t> counts(asked.size());
  count("count_many", [&] {
    index.count_many(asked, counts);
    std::size_t known = 0;
    for (const std::uint32_t one : counts) {
      known += one > 0;
    }
    return known;
  });
}
