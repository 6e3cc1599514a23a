#include "dot_kernels.h"

#if defined(BRIDGE_X86)

#include <cpuid.h>
#include <immintrin.h>

#define BRIDGE_AVX2 __attribute__((target("avx2,fma,f16c")))

namespace bridge {
namespace {

BRIDGE_AVX2 float sum_of(__m256 a, __m256 b, __m256 c, __m256 d) {
  const __m256 sums = _mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d));
  __m128 half = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
  half = _mm_add_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

BRIDGE_AVX2 __m256 load(const float* row) { return _mm256_loadu_ps(row); }
BRIDGE_AVX2 __m256 load(const std::uint16_t* row) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
}

// Four sums side by side hide the latency of the multiply-add.
template <typename T>
BRIDGE_AVX2 float avx2_dot(const float* query, const T* row, std::size_t dim) {
  __m256 a = _mm256_setzero_ps(), b = a, c = a, d = a;
  std::size_t i = 0;
  for (; i + 32 <= dim; i += 32) {
    a = _mm256_fmadd_ps(load(row + i), load(query + i), a);
    b = _mm256_fmadd_ps(load(row + i + 8), load(query + i + 8), b);
    c = _mm256_fmadd_ps(load(row + i + 16), load(query + i + 16), c);
    d = _mm256_fmadd_ps(load(row + i + 24), load(query + i + 24), d);
  }
  for (; i + 8 <= dim; i += 8) {
    a = _mm256_fmadd_ps(load(row + i), load(query + i), a);
  }
  return sum_of(a, b, c, d) + tail(query, row, i, dim);
}

BRIDGE_AVX2 float avx2_i8(const float* query, const std::int8_t* row, std::size_t dim) {
  __m256 a = _mm256_setzero_ps(), b = a;
  __m256i squares = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 16 <= dim; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + i));
    const __m256i words = _mm256_cvtepi8_epi16(bytes);
    squares = _mm256_add_epi32(squares, _mm256_madd_epi16(words, words));
    const __m256i low = _mm256_cvtepi8_epi32(bytes);
    const __m256i high = _mm256_cvtepi8_epi32(_mm_unpackhi_epi64(bytes, bytes));
    a = _mm256_fmadd_ps(_mm256_cvtepi32_ps(low), load(query + i), a);
    b = _mm256_fmadd_ps(_mm256_cvtepi32_ps(high), load(query + i + 8), b);
  }
  alignas(32) std::int32_t lanes[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), squares);
  std::int32_t sum = sum_of_squares(row, i, dim);
  for (const std::int32_t lane : lanes) {
    sum += lane;
  }
  const __m256 zero = _mm256_setzero_ps();
  const float dot = sum_of(a, b, zero, zero) + tail(query, row, i, dim);
  return over_norm(dot, sum);
}

}  // namespace

bool have_avx2() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const bool f16c = __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & (1U << 29)) != 0;
  return f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

DotKernels avx2_kernels() { return {"avx2", avx2_dot<float>, avx2_dot<std::uint16_t>, avx2_i8}; }

}  // namespace bridge

#endif
