// What a machine's memory can do at best: reads of single cache lines at random, and nothing else.
// For benchmarks, which print it beside what the library takes.
//
// A line is eight numbers. Who names a line that is not there reads the last one.
//
// Memory:  nothing is allocated.
// Threads: as many as like.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bridge {

inline constexpr std::size_t kLineNumbers = 8;  // 64 bytes

// The first number of a line is the line to read next: every read waits for the one before.
// Returns the line after `steps` from line 0. Requires: there is a line.
std::uint64_t chase_lines(std::span<const std::uint64_t> lines, std::size_t steps);

// Adds up the first numbers of the lines named in `order`, each asked for `ahead` reads before it
// is needed (0: never). Requires: there is a line.
std::uint64_t sum_lines(std::span<const std::uint64_t> lines, std::span<const std::uint32_t> order,
                        std::size_t ahead);

}  // namespace bridge
