// New numbers for the chunks or abstracts of indexes that are merged into one.
#pragma once

#include <cstdint>
#include <span>

namespace bridge {

inline constexpr std::uint32_t kDropped = 0xFFFFFFFFU;

// What the numbers 0, 1, .. of one part become; `kDropped` for those that are left out.
using Renumbering = std::span<const std::uint32_t>;

// How many numbers all maps keep. Throws std::invalid_argument unless the new ones are 0 up to
// that count, each given once. Memory: one bit a number kept.
std::uint32_t count_kept(std::span<const Renumbering> maps);

}  // namespace bridge
