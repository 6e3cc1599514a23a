#include "find_step.h"

#if defined(BRIDGE_X86)

#include <immintrin.h>

#define BRIDGE_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#define BRIDGE_AVX512 __attribute__((target("avx2,bmi,bmi2,avx512f,avx512dq,avx512vl")))

namespace bridge {
namespace {

struct Avx2Slots {
  BRIDGE_AVX2 static std::uint32_t of(const Bucket& bucket, Key key, std::uint32_t) {
    const __m256i keys = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bucket.keys));
    const __m256i wanted = _mm256_set1_epi64x(static_cast<std::int64_t>(key));
    const __m256d same = _mm256_castsi256_pd(_mm256_cmpeq_epi64(keys, wanted));
    return static_cast<std::uint32_t>(_mm256_movemask_pd(same));
  }
};

BRIDGE_AVX2 void avx2_step(const ListQuestion& asked, ListRing& ring, std::size_t start) {
  take_step<Avx2Slots>(asked, ring, start);
}

// The same, with the addresses of a block computed in one vector.
BRIDGE_AVX512 void avx512_step(const ListQuestion& asked, ListRing& ring, std::size_t start) {
  take_step<Avx2Slots>(asked, ring, start);
}

}  // namespace

bool have_avx2_find() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}

bool have_avx512_find() {
  return have_avx2_find() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

FindKernel avx2_find() { return {"avx2", avx2_step}; }
FindKernel avx512_find() { return {"avx512", avx512_step}; }

}  // namespace bridge

#endif
