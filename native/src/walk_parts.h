// What the parts of the walk share.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bridge/walk.h"

namespace bridge {

inline constexpr std::uint32_t kNoName = kNowhere - 1;  // a key or a span that is known to be none

// Rounds down to a multiple of 2^-48: sums of such numbers below 32 are exact in any order.
inline double quantised(double weight) {
  constexpr double kQuantum = 0x1p48;
  return std::floor(weight * kQuantum) / kQuantum;
}

inline bool there(Alive alive, std::size_t chunk) { return alive.empty() || alive[chunk] != 0; }

using DistinctWords = std::vector<Stem>;  // ascending, each once

// Those of a chunk's text and title. Cost: a sort.
DistinctWords distinct_words(const WalkGraph& graph, std::uint32_t chunk);

// Whether `other` holds more than `most` of the words of `own`. Cost: linear.
bool holds(const DistinctWords& other, const DistinctWords& own, double most);

}  // namespace bridge
