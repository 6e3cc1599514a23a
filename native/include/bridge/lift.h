// Lifts entities that most children of an abstract share to the abstract itself.
//
// Threads: safe to call at once from many threads.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bridge/hash.h"

namespace bridge {

// The abstracts of a forest; children are consecutive and stand before their parents, and those of
// one level ascend with their parents. The parent of a root is no abstract.
struct LiftForest {
  std::span<const std::uint32_t> parent;
  std::span<const std::uint32_t> child_count;
  std::span<const std::uint8_t> level;
};

using EntityPair = std::pair<Key, std::uint32_t>;  // an entity and an abstract that holds it

// Returns the pairs after lifting, ascending, each once: an entity found in more than `share` of an
// abstract's children, and in two of them or more, stands at the abstract in place of those
// children; level by level, upwards.
// Requires: every pair names an abstract.
// Cost: O(m log m). Memory: twice the pairs.
std::vector<EntityPair> lift(std::vector<EntityPair> pairs, const LiftForest& forest,
                             double share);

}  // namespace bridge
