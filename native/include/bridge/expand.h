// Widens a set of abstracts to their relatives, and abstracts to their chunks.
//                                              Bridge-RAG, eq. (1) and Algorithm 1, lines 11 to 17
//
// Every function takes a forest of any content: one that `check` refuses gives answers without
// meaning, never a read outside the arrays. An id that is not in the forest is std::out_of_range.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bridge/forest.h"

namespace bridge {

// The parents of an abstract up to `depth` levels above, nearest first.
std::vector<AbstractId> ancestors(const Forest& forest, AbstractId abstract, std::uint32_t depth);

// The abstracts up to `depth` levels below an abstract, ascending.
std::vector<AbstractId> descendants(const Forest& forest, AbstractId abstract, std::uint32_t depth);

// The seeds with all their ancestors and descendants within `depth`: straight up and straight down,
// siblings stay out. Each id once, ascending; seeds in any order, repeats count once.
// Cost: O(s log s + levels * s + answer) for s seeds.
std::vector<AbstractId> expand(const Forest& forest, std::span<const AbstractId> seeds,
                               std::uint32_t depth);

// The chunks that the abstracts own, each once, ascending. Cost: O(a log a + answer).
// Throws DamagedPayload for a range that ends beyond the forest's chunks.
std::vector<ChunkId> pool(const Forest& forest, std::span<const AbstractId> abstracts);

}  // namespace bridge
