// For loops over many keys that wait for memory: asking for it early, and choosing without a
// branch, because a branch that is guessed wrongly costs as much as a read.
#pragma once

#include <cstddef>

#if defined(__GNUC__)
#define BRIDGE_INLINE inline __attribute__((always_inline))
#else
#define BRIDGE_INLINE inline
#endif

namespace bridge {

// Asks for the cache line at an address, which may be any. Always inline: a call that returns
// nothing and writes nothing would be taken out.
BRIDGE_INLINE void fetch([[maybe_unused]] const void* line) {
#if defined(__GNUC__)
  __builtin_prefetch(line);
#endif
}

// `number` if `condition`, else 0.
constexpr std::size_t if_so(bool condition, std::size_t number) {
  return number & (std::size_t{0} - static_cast<std::size_t>(condition));
}

}  // namespace bridge
