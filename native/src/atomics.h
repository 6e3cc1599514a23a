// Relaxed atomic access to plain numbers in mapped memory: std::atomic_ref, and where the library
// does not have it yet (libc++ before 19) the compiler's builtins.
#pragma once

#include <atomic>
#include <cstdint>

namespace bridge {

#if defined(__cpp_lib_atomic_ref)

inline std::uint32_t relaxed_load(const std::uint32_t& number) {
  return std::atomic_ref(const_cast<std::uint32_t&>(number)).load(std::memory_order_relaxed);
}
// Stores `wanted` if `number` is still `seen`; if not, updates `seen`. May fail for no reason.
inline bool relaxed_exchange(std::uint32_t& number, std::uint32_t& seen, std::uint32_t wanted) {
  return std::atomic_ref(number).compare_exchange_weak(seen, wanted, std::memory_order_relaxed);
}

#else

inline std::uint32_t relaxed_load(const std::uint32_t& number) {
  return __atomic_load_n(&number, __ATOMIC_RELAXED);
}
inline bool relaxed_exchange(std::uint32_t& number, std::uint32_t& seen, std::uint32_t wanted) {
  return __atomic_compare_exchange_n(&number, &seen, wanted, true, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

#endif

}  // namespace bridge
